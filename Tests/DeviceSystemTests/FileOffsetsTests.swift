import DeviceSystem
import Foundation
import TestSupport
import Testing

/// Files that are extended at their end.
@Suite struct FileOffsetsTests {
    @Test func bytesWrittenAtAnOffsetTruncateTheFileAndAreReadFromAnyOffset() throws {
        var random = Seeded.fresh()
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("log")
        let files = PosixFiles()
        #expect(try files.read(file, from: 0, count: 10).isEmpty)
        var model: [UInt8] = []
        for _ in 0..<60 {
            let offset = Int.random(in: 0...model.count, using: &random)
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try files.write(bytes, to: file, at: offset)
            model = model.prefix(offset) + bytes
            #expect(try files.size(of: file) == model.count)
            let start = Int.random(in: 0...model.count + 5, using: &random)
            let count = Int.random(in: 0...400, using: &random)
            #expect(try files.read(file, from: start, count: count) == Array(model.dropFirst(start).prefix(count)))
        }
        let absent = folder.url.appendingPathComponent("no/such")
        #expect(reason { () throws(DeviceStorageError) in try files.write([1], to: absent, at: 0) } == .fileMissing)
    }
}
