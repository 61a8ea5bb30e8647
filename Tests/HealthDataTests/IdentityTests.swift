import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import TestSupport
import Testing

@Suite struct IdentityTests {
    @Test func theHashIsTheOneItHasAlwaysBeenAChangeWouldSendEverythingAgain() throws {
        #expect(
            try Samples.heartRate().identity.text == "b2f052cef0a3d297350cd918b6ee4e5cfc071076d3170e26216c0d0362fa27d1")
        #expect(
            try Samples.pressure("120", "80").identity.text
                == "cdf1636e5625e3d4e00adeb727a8c2dea625e78492ce716640412f6e6a82fdeb")
    }

    @Test func typeStartEndValueUnitAndSourceMakeTheIdentityOffsetMetadataAndCreationDoNot() throws {
        let sample = try Samples.heartRate()
        var same = sample
        same.start.offsetMinutes = 60
        same.end.offsetMinutes = 60
        same.created = Samples.start
        same.context.wasUserEntered = true
        #expect(same.identity == sample.identity)
        let others = [
            try Samples.heartRate("73"), try Samples.heartRate(at: 1), try Samples.heartRate(end: 1),
            try Samples.heartRate(source: HealthSource(product: .iPhone, version: "4.3.1")),
            try Samples.heartRate(source: HealthSource(product: .appleWatch, version: "4.3.2")),
            try Samples.pressure("72", nil), try Samples.pressure(nil, "72"),
        ]
        #expect(Set(others.map(\.identity) + [sample.identity]).count == others.count + 1)
    }

    @Test func theResourceIdIsAUUIDOfTheSubjectAndTheContent() throws {
        let identity = try Samples.heartRate().identity
        let ids = [
            identity.resourceID(subject: "p1"), identity.resourceID(subject: "p2"), identity.resourceID(subject: nil),
        ]
        #expect(Set(ids).count == 3)
        for id in ids {
            #expect(UUID(uuidString: id) != nil && Resource.isID(id))
            #expect(Array(id)[14] == "8" && "89ab".contains(Array(id)[19]))
        }
        #expect(try Samples.heartRate().identity.resourceID(subject: "p1") == ids[0])
    }

    @Test func theCompactSetBehavesAsASetForRandomKeys() {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        var set = IdentitySet()
        var model: Set<IdentityKey> = []
        // Few parts and few slots to begin at: many collisions. Zero is the mark of a free slot and must work as a key.
        var pool = (0..<1500).map { _ in
            IdentityKey(
                high: UInt64.random(in: 0...2, using: &random) << 59,
                low: UInt64.random(in: 0...4, using: &random) << 62
                    | UInt64.random(in: 2...UInt64.max >> 2, using: &random)
            )
        }
        pool.append(IdentityKey(high: 0, low: 0))
        var wrong = 0
        for _ in 0..<6000 {
            let key = pool[Int.random(in: 0..<pool.count, using: &random)]
            if set.contains(key) != model.contains(key) { wrong += 1 }
            if set.insert(key) != model.insert(key).inserted { wrong += 1 }
        }
        #expect(wrong == 0 && set.count == model.count, "seed \(seed)")
    }
}

@Suite struct SeenIdentitiesTests {
    private func file() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("seen-\(UUID().uuidString)")
    }

    @Test func whatIsCommittedIsThereTheNextTimeWhatIsOnlyStagedIsNot() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        let identities = try (0..<50).map { try Samples.heartRate(at: Int64($0)).identity }
        var seen = try SeenIdentities(file: file)
        for identity in identities[..<20] { seen.stage(identity) }
        #expect(seen.contains(identities[3]))
        try seen.commit()
        for identity in identities[20..<40] { seen.stage(identity) }
        try seen.commit()
        seen.stage(identities[45])
        let again = try SeenIdentities(file: file)
        #expect(again.count == 40)
        for (place, identity) in identities.enumerated() { #expect(again.contains(identity) == (place < 40)) }
        seen.discard()
        #expect(!seen.contains(identities[45]))
    }

    @Test func anEntryCutByACrashAtAnyByteCostsThatEntryAlone() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        let identities = try (0..<4).map { try Samples.heartRate(at: Int64($0)).identity }
        var seen = try SeenIdentities(file: file)
        for identity in identities[..<3] { seen.stage(identity) }
        try seen.commit()
        let whole = try Data(contentsOf: file)
        for length in 0...whole.count {
            try whole.prefix(length).write(to: file)
            var cut = try SeenIdentities(file: file)
            #expect(cut.count == max(0, length / 16 - 1))
            cut.stage(identities[3])
            try cut.commit()
            let read = try SeenIdentities(file: file)
            #expect(read.count == cut.count && read.contains(identities[3]), "cut at \(length)")
        }
    }

    @Test func aFileOfAnotherKindIsRefusedAndLeftAlone() throws {
        let file = file()
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("not a list of samples at all".utf8).write(to: file)
        #expect(throws: SeenIdentities.Failure.notSeenIdentities) { try SeenIdentities(file: file) }
        #expect(try Data(contentsOf: file) == Data("not a list of samples at all".utf8))
    }

    @Test func aFolderThatIsNotThereIsAnErrorWithACodeAndTheSamplesStayStaged() throws {
        var seen = try SeenIdentities(file: file().appendingPathComponent("missing"))
        let identity = try Samples.heartRate().identity
        seen.stage(identity)
        #expect(throws: SeenIdentities.Failure.self) { try seen.commit() }
        #expect(seen.contains(identity) && seen.count == 0)
    }
}
