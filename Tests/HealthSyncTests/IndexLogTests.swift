import Core
import Foundation
import HealthSync
import Synchronization
import TestSupport
import Testing

/// The index as a log: it answers as a dictionary would, whatever was cut.
@Suite struct IndexLogTests {
    /// A file in memory that may lose power while it writes.
    final class LogFile: HealthLogFile {
        let bytes = Mutex<[UInt8]>([])
        let largest = Mutex(0)
        /// So many bytes of the next call are written before the power goes.
        let cut = Mutex<Int?>(nil)

        init(_ bytes: [UInt8] = []) { self.bytes.withLock { $0 = bytes } }

        func size() throws -> Int { bytes.withLock { $0.count } }
        func read(from place: Int, count: Int) throws -> [UInt8] {
            largest.withLock { $0 = max($0, count) }
            return bytes.withLock { Array($0.dropFirst(place).prefix(count)) }
        }
        func write(_ new: [UInt8], at place: Int) throws {
            let cut = cut.withLock { cut in
                defer { cut = nil }
                return cut
            }
            bytes.withLock {
                $0 = Array($0.prefix(place)) + new.prefix(min(cut ?? .max, new.count - (cut == nil ? 0 : 1)))
            }
            if cut != nil { throw CocoaError(.fileWriteUnknown) }
        }
    }

    private func uuid(_ random: inout Seeded) -> UUID {
        var words = [random.next(), random.next()]
        return words.withUnsafeMutableBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    @Test func itAnswersAsADictionaryWould() throws {
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
                        let notes = some.map {
                            HealthNote(uuid: $0, target: HealthTarget(targets.randomElement(using: &random) ?? ""))
                        }
                        try log.note(notes)
                        for note in notes { model[note.uuid] = note.target.text }
                    } else {
                        try log.forget(Array(some))
                        for uuid in some { model[uuid] = nil }
                    }
                } catch {
                    // What was cut inside of a frame is as if it had not been; the next process opens the file.
                    log = try HealthIndexLog(file)
                }
                if Int.random(in: 0..<4, using: &random) == 0 { log = try HealthIndexLog(file) }
                if Int.random(in: 0..<8, using: &random) == 0 {
                    file = LogFile()
                    log = try log.compact(into: file)
                    #expect(log.entries == model.count && log.forgotten == 0)
                }
                let asked = Array(uuids.shuffled(using: &random).prefix(30))
                try check(log, model, asked)
            }
        }
    }

    private func check(_ log: HealthIndexLog<LogFile>, _ model: [UUID: String], _ asked: [UUID]) throws {
        let known = try log.known(asked)
        for uuid in asked {
            let count = model.values.count { $0 == model[uuid] }
            let expected = model[uuid].map { IndexedSample(target: HealthTarget($0), count: count) }
            #expect(known[uuid] == expected)
        }
    }

    @Test func itReadsInPiecesAndTakes33BytesASample() throws {
        var random = Seeded.fresh()
        let file = LogFile()
        var log = try HealthIndexLog(file)
        var uuids: [UUID] = []
        for _ in 0..<20 {
            let some = (0..<1_000).map { _ in uuid(&random) }
            try log.note(some.map { HealthNote(uuid: $0, target: .observation(uuid(&random))) })
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

    @Test func aChangedByteIsNamedAndACutEndIsNot() throws {
        let file = LogFile()
        var log = try HealthIndexLog(file)
        let uuids = (0..<3).map { _ in UUID() }
        for uuid in uuids { try log.note([HealthNote(uuid: uuid, target: "Observation/1")]) }
        let bytes = file.bytes.withLock { $0 }
        let frame = (bytes.count - 16) / 3
        for place in 0..<bytes.count {
            var changed = bytes
            changed[place] ^= 0x55
            do {
                // Of the last frame it may have been the process that did not write it to its end.
                let known = try HealthIndexLog(LogFile(changed)).known(uuids)
                #expect(known.count == 2 && place >= bytes.count - frame)
            } catch let error as HealthSyncError {
                #expect(error.code == "health-index-damaged" && place < bytes.count - frame + 8)
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
            // It goes on from there.
            let other = UUID()
            try log.note([HealthNote(uuid: other, target: "Observation/2")])
            #expect(try HealthIndexLog(cut).known([other])[other] == IndexedSample(target: "Observation/2", count: 1))
        }
    }
}
