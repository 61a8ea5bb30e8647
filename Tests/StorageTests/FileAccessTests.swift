import Foundation
import Storage
import TestSupport
import Testing

@Suite struct FileAccessTests {
    @Test func missingFileIsNilAndAFolderIsAnError() async throws {
        try await withTemporaryFolder { path in
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            let file = folder.appendingPathComponent("a")
            #expect(try FileAccess.contents(of: file) == nil)
            #expect(try FileAccess.names(in: file) == nil)
            try Data("x".utf8).write(to: file)
            #expect(try FileAccess.contents(of: file) == Data("x".utf8))
            #expect(try FileAccess.names(in: folder) == ["a"])
            let isFolder = #expect(throws: FileAccessError.self) { try FileAccess.contents(of: folder) }
            #expect(isFolder?.code == "file-unreadable")
            let isFile = #expect(throws: FileAccessError.self) { try FileAccess.names(in: file) }
            #expect(isFile?.message.contains(file.path) == true)
            let missing = #expect(throws: FileAccessError.self) {
                try FileAccess.require(folder.appendingPathComponent("b"))
            }
            #expect(missing?.cause == .missing)
        }
    }

    @Test func anErrorOfFoundationNamesItsFile() throws {
        let path = "/nowhere/at/all"
        do {
            _ = try Data(contentsOf: URL(fileURLWithPath: path))
            Issue.record("there is no such file")
        } catch {
            let failure = try #require(FileAccessError(error))
            #expect(failure.path == path)
            #expect(failure.message.contains(path))
        }
    }
}
