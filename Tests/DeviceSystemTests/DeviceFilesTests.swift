import DeviceSystem
import Foundation
import TestSupport
import Testing

/// Returns the reason of the error that the body throws; nil if it throws none.
func reason(_ body: () throws(DeviceStorageError) -> Void) -> DeviceStorageError.Reason? {
    do throws(DeviceStorageError) {
        try body()
        return nil
    } catch { return error.reason }
}

/// The files, locks and secrets of a device.
@Suite struct DeviceFilesTests {
    private func mode(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func secretFileIsReadableOnlyByItsOwner() throws {
        let folder = try TemporaryFolder()
        let secrets = FileSecrets(folder: folder.url)
        #expect(try secrets.secret(named: "a") == nil)
        try secrets.save(Data("one".utf8), named: "a")
        try secrets.save(Data("two".utf8), named: "a")
        #expect(try secrets.secret(named: "a") == Data("two".utf8))
        #expect(try mode(folder.url.appendingPathComponent("a")) == 0o600)
        try secrets.removeSecret(named: "a")
        try secrets.removeSecret(named: "a")
        #expect(try secrets.secret(named: "a") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [".lock"])
    }

    @Test func aLockHasOneHolderAndEndsWithItsValue() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("x.lock")
        var held: FileLock? = try PosixFiles().lock(file, patience: 0)
        #expect(
            reason { () throws(DeviceStorageError) in _ = try PosixFiles().lock(file, patience: 0.02) } == .fileBusy)
        withExtendedLifetime(held) {}
        held = nil
        #expect(reason { () throws(DeviceStorageError) in _ = try PosixFiles().lock(file, patience: 0) } == nil)
    }

    @Test func aWaitForALockEndsWithItsPatienceOrItsTask() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("x.lock")
        let held = try PosixFiles().lock(file, patience: 0)
        await #expect(throws: DeviceStorageError.self) { _ = try await PosixFiles().lock(file, awaiting: 0.02) }
        let waiting = Task { _ = try await PosixFiles().lock(file, awaiting: 3_600) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        withExtendedLifetime(held) {}
    }

    @Test func anAtomicWriteReplacesAFileAndLeavesNoOther() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("a")
        for content in ["first", ""] {
            try AtomicFile.write(Data(content.utf8), to: file)
            #expect(try PosixFiles().content(of: file) == Data(content.utf8))
        }
        #expect(try mode(file) == 0o600)
        #expect(try PosixFiles().names(in: folder.url) == ["a"])
    }

    @Test func aFailedAtomicWriteKeepsTheOldContent() throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appendingPathComponent("folder")
        try PosixFiles().makeFolder(target)
        #expect(
            reason { () throws(DeviceStorageError) in try AtomicFile.write(Data([1]), to: target) } == .storageFailed)
        #expect(try PosixFiles().names(in: folder.url) == ["folder"])
        let absent = folder.url.appendingPathComponent("no/such")
        #expect(reason { () throws(DeviceStorageError) in try AtomicFile.write(Data([1]), to: absent) } == .fileMissing)
    }

    @Test func leftoversOfAStoppedWriterAreRemoved() throws {
        let folder = try TemporaryFolder()
        for name in [".tmp-1", "a", ".lock"] {
            try PosixFiles().create(folder.url.appendingPathComponent(name), holding: Data([1]))
        }
        try AtomicFile.removeLeftovers(in: folder.url, files: PosixFiles())
        #expect(try PosixFiles().names(in: folder.url).sorted() == [".lock", "a"])
    }

    @Test func anAbsentFileHasNoContentAndNoSize() throws {
        let file = try TemporaryFolder().url.appendingPathComponent("a")
        #expect(try PosixFiles().content(of: file) == nil)
        #expect(try PosixFiles().size(of: file) == 0)
        #expect(reason { () throws(DeviceStorageError) in _ = try PosixFiles().read(file) } == .fileMissing)
    }
}
