import DeviceSystem
import Foundation
import TestSupport
import Testing

@testable import Outbox

/// Storage of a device's credentials.
@Suite struct SecretTests {
    /// Secrets in memory, outside of the folder like those in a Keychain.
    private final class MemorySecrets: SecretStore, @unchecked Sendable {
        private let lock = NSLock()
        private var secrets: [String: Data] = [:]

        func secret(named name: String) throws(DeviceStorageError) -> Data? { lock.withLock { secrets[name] } }
        func save(_ secret: Data, named name: String) throws(DeviceStorageError) {
            lock.withLock { secrets[name] = secret }
        }
        func removeSecret(named name: String) throws(DeviceStorageError) { lock.withLock { secrets[name] = nil } }
    }

    private func mode(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func enrolmentIsStoredOnlyWithTheSecrets() throws {
        let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
        let store = try DeviceStore.open(folder.url, secrets: secrets)
        #expect(!store.isEnrolled)
        let enrolment = try ScriptedStudy.enrolment()
        try store.save(enrolment)
        try store.outbox.append("Contract")
        #expect(store.isEnrolled)
        #expect(try store.enrolment() == enrolment)
        #expect(try DeviceStore.open(folder.url, secrets: secrets).enrolment() == enrolment)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        for path in paths {
            let content = (try? Data(contentsOf: folder.url.appendingPathComponent(path))) ?? Data()
            #expect(content.range(of: Data(enrolment.clientSecret.utf8)) == nil, "\(path)")
        }
        #expect(paths.contains { $0.hasSuffix(".sealed") })
        #expect(
            code { _ = try DeviceStore.open(folder.url, secrets: FileSecrets(folder: folder.url)).enrolment() }
                == "not-enrolled")
        try store.removeEnrolment()
        #expect(code { _ = try store.enrolment() } == "not-enrolled")
    }

    @Test func damagedEnrolmentIsReportedAndNotTreatedAsMissing() throws {
        let (folder, secrets) = (try TemporaryFolder(), MemorySecrets())
        let store = try DeviceStore.open(folder.url, secrets: secrets)
        try secrets.save(Data("{".utf8), named: "enrolment.json")
        #expect(code { _ = try store.enrolment() } == "storage-failed")
        #expect(store.isEnrolled)
    }

    @Test func enrolmentWithoutAKeychainIsAFileOfItsOwner() throws {
        let folder = try TemporaryFolder()
        let store = try DeviceStore.open(folder.url)
        try store.save(ScriptedStudy.enrolment())
        #if !canImport(Security)
            #expect(try mode(folder.url.appendingPathComponent("enrolment.json")) == 0o600)
        #endif
        #expect(try store.enrolment() == ScriptedStudy.enrolment())
    }
}
