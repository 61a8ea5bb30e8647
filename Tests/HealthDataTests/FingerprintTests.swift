import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import TestSupport
import Testing

@Suite struct FingerprintTests {
    @Test func fingerprintHasNotChanged() throws {
        #expect(
            try Samples.heartRate().fingerprint.text
                == "b2f052cef0a3d297350cd918b6ee4e5cfc071076d3170e26216c0d0362fa27d1")
        #expect(
            try Samples.pressure("120", "80").fingerprint.text
                == "cdf1636e5625e3d4e00adeb727a8c2dea625e78492ce716640412f6e6a82fdeb")
    }

    @Test func identityConsistsOfTypeTimesValueUnitAndSource() throws {
        let sample = try Samples.heartRate()
        var same = sample
        same.start.offsetMinutes = 60
        same.end.offsetMinutes = 60
        same.created = Samples.start
        same.context.wasUserEntered = true
        #expect(same.fingerprint == sample.fingerprint)
        let others = [
            try Samples.heartRate("73"), try Samples.heartRate(at: 1), try Samples.heartRate(end: 1),
            try Samples.heartRate(source: HealthSource(product: .iPhone, version: "4.3.1")),
            try Samples.heartRate(source: HealthSource(product: .appleWatch, version: "4.3.2")),
            try Samples.pressure("72", nil), try Samples.pressure(nil, "72"),
        ]
        #expect(Set(others.map(\.fingerprint) + [sample.fingerprint]).count == others.count + 1)
    }

    @Test func theResourceIdIsAUUIDOfTheSubjectAndTheContent() throws {
        let fingerprint = try Samples.heartRate().fingerprint
        let ids = [
            fingerprint.resourceID(subject: "p1"), fingerprint.resourceID(subject: "p2"),
            fingerprint.resourceID(subject: nil),
        ]
        #expect(Set(ids).count == 3)
        for id in ids {
            #expect(UUID(uuidString: id) != nil && Resource.isID(id))
            #expect(Array(id)[14] == "8" && "89ab".contains(Array(id)[19]))
        }
        #expect(try Samples.heartRate().fingerprint.resourceID(subject: "p1") == ids[0])
    }

    @Test func theCompactSetBehavesAsASetForRandomKeys() {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        var set = FingerprintSet()
        var model: Set<FingerprintKey> = []
        // Few prefixes and few initial slots: many collisions. Zero marks a free slot and must work as a key.
        var pool = (0..<1500).map { _ in
            FingerprintKey(
                high: UInt64.random(in: 0...2, using: &random) << 59,
                low: UInt64.random(in: 0...4, using: &random) << 62
                    | UInt64.random(in: 2...UInt64.max >> 2, using: &random)
            )
        }
        pool.append(FingerprintKey(high: 0, low: 0))
        var wrong = 0
        for _ in 0..<6000 {
            let key = pool[Int.random(in: 0..<pool.count, using: &random)]
            if set.contains(key) != model.contains(key) { wrong += 1 }
            if Int.random(in: 0..<3, using: &random) == 0 {
                if set.remove(key) != (model.remove(key) != nil) { wrong += 1 }
                continue
            }
            if set.insert(key) != model.insert(key).inserted { wrong += 1 }
        }
        for key in pool where set.contains(key) != model.contains(key) { wrong += 1 }
        #expect(wrong == 0 && set.count == model.count, "seed \(seed)")
    }
}

@Suite struct SentFingerprintsTests {
    private func file() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("seen-\(UUID().uuidString)")
    }

    @Test func committedFingerprintsPersistAndStagedOnesDoNot() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        let fingerprints = try (0..<50).map { try Samples.heartRate(at: Int64($0)).fingerprint }
        var seen = try SentFingerprints(file: file)
        for fingerprint in fingerprints[..<20] { seen.stage(fingerprint) }
        #expect(seen.contains(fingerprints[3]))
        try seen.commit()
        for fingerprint in fingerprints[20..<40] { seen.stage(fingerprint) }
        try seen.commit()
        seen.stage(fingerprints[45])
        let again = try SentFingerprints(file: file)
        #expect(again.count == 40)
        for (index, fingerprint) in fingerprints.enumerated() { #expect(again.contains(fingerprint) == (index < 40)) }
        seen.discard()
        #expect(!seen.contains(fingerprints[45]))
    }

    @Test func entryTruncatedAtAnyByteLosesOnlyThatEntry() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        let fingerprints = try (0..<4).map { try Samples.heartRate(at: Int64($0)).fingerprint }
        var seen = try SentFingerprints(file: file)
        for fingerprint in fingerprints[..<3] { seen.stage(fingerprint) }
        try seen.commit()
        let whole = try Data(contentsOf: file)
        for length in 0...whole.count {
            try whole.prefix(length).write(to: file)
            var cut = try SentFingerprints(file: file)
            #expect(cut.count == max(0, length / 16 - 1))
            cut.stage(fingerprints[3])
            try cut.commit()
            let read = try SentFingerprints(file: file)
            #expect(read.count == cut.count && read.contains(fingerprints[3]), "cut at \(length)")
        }
    }

    @Test func fileOfAnotherKindIsRefusedAndUnchanged() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("not a list of samples at all".utf8).write(to: file)
        #expect(throws: SentFingerprints.Failure.notSentFingerprints) { try SentFingerprints(file: file) }
        #expect(try Data(contentsOf: file) == Data("not a list of samples at all".utf8))
    }

    @Test func missingFolderIsAnErrorAndSamplesStayStaged() throws {
        var seen = try SentFingerprints(file: file().appendingPathComponent("missing"))
        let fingerprint = try Samples.heartRate().fingerprint
        seen.stage(fingerprint)
        #expect(throws: SentFingerprints.Failure.self) { try seen.commit() }
        #expect(seen.contains(fingerprint) && seen.count == 0)
    }
}
