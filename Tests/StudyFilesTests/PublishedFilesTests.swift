import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StudyFiles

@Suite struct PublishedFilesTests {
    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        func now() -> ContinuousClock.Instant { instant.withLock { $0 } }
        func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
    }

    /// Returns the number of file system lookups for 300 submissions, after the first.
    private func lookups(files: Int) async throws -> Int {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for number in 0..<files {
            try Data("{}".utf8).write(to: folder.url.appendingPathComponent("form-\(number).json"))
        }
        let clock = Clock()
        let published = PublishedFiles<Int>([folder.url], now: { clock.now() }, { ($0 ?? 0) + 1 })
        #expect(await published.value() == 1)
        let before = await published.lookups
        for _ in 0..<300 { #expect(await published.value() == 1) }
        return await published.lookups - before
    }

    @Test func costOfASubmissionDoesNotDependOnTheNumberOfForms() async throws {
        let few = try await lookups(files: 4)
        #expect(try await lookups(files: 400) == few)
        #expect(few <= 300)
    }

    @Test func aChangedFileIsSeenWithinASecondAndANewOneAtOnce() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("form.json")
        try Data("{}".utf8).write(to: file)
        let clock = Clock()
        let published = PublishedFiles<Int>([folder.url], now: { clock.now() }, { ($0 ?? 0) + 1 })
        #expect(await published.value() == 1)
        // Writes into the existing file, so that the folder stays unchanged.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("{\"a\": 1}".utf8))
        try handle.close()
        clock.advance(by: .seconds(1))
        #expect(await published.value() == 2)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: folder.path)
        try Data("{}".utf8).write(to: folder.url.appendingPathComponent("other.json"))
        #expect(await published.value() == 3)
        #expect(await published.current() == (3, 3))
    }
}
