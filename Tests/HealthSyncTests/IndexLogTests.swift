import Core
import DeviceSystem
import Foundation
import HealthSync
import Synchronization
import TestSupport
import Testing

/// The index as a log: it gives the answers of a dictionary after any truncation.
@Suite struct IndexLogTests {
    /// A file in memory that can lose power during a write.
    final class LogFile: GrowingFile {
        let bytes = Mutex<[UInt8]>([])
        let largest = Mutex(0)
        /// Number of bytes of the next write that are written before the power is lost.
        let cut = Mutex<Int?>(nil)

        init(_ bytes: [UInt8] = []) { self.bytes.withLock { $0 = bytes } }

        func size() throws -> Int { bytes.withLock { $0.count } }
        func read(from offset: Int, count: Int) throws -> [UInt8] {
            largest.withLock { $0 = max($0, count) }
            return bytes.withLock { Array($0.dropFirst(offset).prefix(count)) }
        }
        func write(_ new: [UInt8], at offset: Int) throws {
            let cut = cut.withLock { cut in
                defer { cut = nil }
                return cut
            }
            bytes.withLock {
                $0 = Array($0.prefix(offset)) + new.prefix(min(cut ?? .max, new.count - (cut == nil ? 0 : 1)))
            }
            if cut != nil { throw CocoaError(.fileWriteUnknown) }
        }
    }

    private func uuid(_ random: inout Seeded) -> UUID {
        var words = [random.next(), random.next()]
        return words.withUnsafeMutableBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    @Test func indexAgreesWithADictionary() throws {
        var random = Seeded.fresh()
        for _ in 0..<60 {
            var file = LogFile()
            var log = try HealthIndexLog(file)
            var model: [UUID: String] = [:]
            let uuids = (0..<60).map { _ in uuid(&random) }
            let targets =
                (0..<8).map { _ in "Observation/" + uuid(&random).uuidString.lowercased() }
                + ["Condition/c1 DocumentReference/d1", "Observation/x.1", "Basic/\(uuid(&random).uuidString)"]
            for _ in 0..<30 {
                let some = uuids.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random))
                let isCut = Int.random(in: 0..<5, using: &random) == 0
                if isCut { file.cut.withLock { $0 = Int.random(in: 0...400, using: &random) } }
                do {
                    if Bool.random(using: &random) {
                        let entries = some.map {
                            IndexEntry(uuid: $0, target: HealthTarget(targets.randomElement(using: &random) ?? ""))
                        }
                        try log.record(entries)
                        for entry in entries { model[entry.uuid] = entry.target.text }
                    } else {
                        try log.forget(Array(some))
                        for uuid in some { model[uuid] = nil }
                    }
                } catch {
                    // A truncated frame has no effect; the next process opens the file.
                    log = try HealthIndexLog(file)
                }
                if Int.random(in: 0..<4, using: &random) == 0 { log = try HealthIndexLog(file) }
                if Int.random(in: 0..<8, using: &random) == 0 {
                    file = LogFile()
                    log = try log.compact(into: file)
                    #expect(log.entries == model.count && log.forgotten == 0)
                }
                let asked = Array(uuids.shuffled(using: &random).prefix(30))
                try check(log, against: model, for: asked)
            }
        }
    }

    private func check(_ log: HealthIndexLog<LogFile>, against model: [UUID: String], for asked: [UUID]) throws {
        let known = try log.known(asked)
        for uuid in asked {
            let count = model.values.count { $0 == model[uuid] }
            let expected = model[uuid].map { IndexedSample(target: HealthTarget($0), count: count) }
            #expect(known[uuid] == expected)
        }
    }

    @Test func indexIsReadInPiecesAndUses33BytesPerSample() throws {
        var random = Seeded.fresh()
        let file = LogFile()
        var log = try HealthIndexLog(file)
        var uuids: [UUID] = []
        for _ in 0..<20 {
            let some = (0..<1_000).map { _ in uuid(&random) }
            try log.record(some.map { IndexEntry(uuid: $0, target: .observation(uuid(&random))) })
            uuids += some
        }
        #expect(try log.known([uuids[0], uuids[19_999]]).count == 2)
        #expect(try HealthIndexLog(file).entries == 20_000)
        #expect(file.largest.withLock { $0 } <= 65_536)
        #expect(try file.size() < 20_000 * 34)
        #expect(!log.isWorthCompacting)
        try log.forget(Array(uuids.prefix(9_000)))
        #expect(log.isWorthCompacting)
        let smaller = LogFile()
        #expect(try log.compact(into: smaller).entries == 11_000)
        #expect(try smaller.size() < 11_000 * 34)
    }

    @Test func changedByteIsReportedAndATruncatedEndIsNot() throws {
        let file = LogFile()
        var log = try HealthIndexLog(file)
        let uuids = (0..<3).map { _ in UUID() }
        for uuid in uuids { try log.record([IndexEntry(uuid: uuid, target: "Observation/1")]) }
        let bytes = file.bytes.withLock { $0 }
        let frame = (bytes.count - 16) / 3
        for offset in 0..<bytes.count {
            var changed = bytes
            changed[offset] ^= 0x55
            do {
                // The last frame may be incomplete because of an ended process.
                let known = try HealthIndexLog(LogFile(changed)).known(uuids)
                #expect(known.count == 2 && offset >= bytes.count - frame)
            } catch let error as HealthSyncError {
                #expect(error.code == "health-index-damaged" && offset < bytes.count - frame + 8)
            }
        }
        for length in 0...bytes.count {
            let cut = LogFile(Array(bytes.prefix(length)))
            var log = try HealthIndexLog(cut)
            #expect(try log.known(uuids).count == max(0, length - 16) / frame)
            let zeros = LogFile(Array(bytes.prefix(length)) + Array(repeating: 0, count: bytes.count - length))
            if length >= 16, (length - 16) % frame == 0 {
                #expect(try HealthIndexLog(zeros).known(uuids).count == (length - 16) / frame)
            }
            // Writing continues from there.
            let other = UUID()
            try log.record([IndexEntry(uuid: other, target: "Observation/2")])
            #expect(try HealthIndexLog(cut).known([other])[other] == IndexedSample(target: "Observation/2", count: 1))
        }
    }
}
