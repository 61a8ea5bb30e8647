import DeviceSystem
import Foundation

/// A device's folder: `outbox/`, `refused/`, `sent/`, `deliveries.json`, `upload.json` and small JSON files of the app;
/// and the store of its secrets. Folders have mode 0700, files 0600. Several processes may use it at the same time.
public struct DeviceStore: Sendable {
    /// The folder.
    public let folder: URL
    /// The queue in the folder.
    public let outbox: OutboxDirectory
    private let files: OutboxFiles
    let secrets: OutboxSecrets

    /// Opens the folder, and creates it if it does not exist. Throws storage errors, and `outbox-busy`.
    ///
    /// - Parameter secrets: the store of the enrolment; `nil` for the system's default: on Apple's systems the
    ///   Keychain, under a service named after the folder, elsewhere the file `enrolment.json` in the folder.
    public static func open(
        _ folder: URL, files: any DurableFiles = PosixFiles(), secrets: (any SecretStore)? = nil
    ) throws(OutboxError) -> DeviceStore {
        let system = files
        let files = OutboxFiles(system)
        try files.makeFolder(folder)
        let outbox = try OutboxDirectory.open(
            folder: folder.appendingPathComponent("outbox"), refusedFolder: folder.appendingPathComponent("refused"),
            files: system)
        let store = DeviceStore(
            folder: folder, outbox: outbox, files: files,
            secrets: OutboxSecrets(secrets ?? systemSecrets(folder: folder, files: system)))
        try store.locked { () throws(OutboxError) in try files.removeLeftovers(in: folder) }
        return store
    }

    private static func systemSecrets(folder: URL, files: any DurableFiles) -> any SecretStore {
        #if canImport(Security)
            KeychainSecrets(service: "tributary.\(folder.lastPathComponent)")
        #else
            FileSecrets(folder: folder, files: files)
        #endif
    }

    // MARK: - Enrolment

    /// Returns the enrolment. Throws `not-enrolled` if there is none.
    public func enrolment() throws(OutboxError) -> Enrolment {
        guard let content = try secrets.secret(named: Self.enrolmentName) else {
            throw OutboxError(.notEnrolled, "This store is not enrolled in a study: run device enrol first.")
        }
        return try Self.decode(Enrolment.self, content, named: Self.enrolmentName)
    }

    /// Whether there is an enrolment.
    public var isEnrolled: Bool { ((try? secrets.secret(named: Self.enrolmentName)) ?? nil) != nil }

    /// Saves an enrolment, which replaces an earlier one.
    public func save(_ enrolment: Enrolment) throws(OutboxError) {
        try secrets.save(Self.encode(enrolment, named: Self.enrolmentName), named: Self.enrolmentName)
    }

    /// Removes the enrolment, for example when a participant leaves the study permanently.
    public func removeEnrolment() throws(OutboxError) { try secrets.removeSecret(named: Self.enrolmentName) }

    private static let enrolmentName = "enrolment.json"

    // MARK: - Small files

    /// Returns the content of a file of the app; `nil` if there is none.
    /// - Parameter name: a plain file name such as `participant.json`.
    public func data(named name: String) throws(OutboxError) -> Data? { try files.content(of: file(name)) }

    /// Writes a file of the app atomically: at every instant the file has the complete old or new content.
    public func save(_ content: Data, named name: String) throws(OutboxError) {
        try locked { () throws(OutboxError) in try files.replace(file(name), with: content) }
    }

    /// Returns a JSON value of the app; `nil` if there is no such file. Throws `storage-failed` if it cannot be
    /// decoded.
    public func value<Value: Decodable>(_ type: Value.Type, named name: String) throws(OutboxError) -> Value? {
        guard let content = try data(named: name) else { return nil }
        return try Self.decode(type, content, named: name)
    }

    /// Writes a JSON value of the app, as ``save(_:named:)-(Data,_)`` does.
    public func save<Value: Encodable>(_ value: Value, named name: String) throws(OutboxError) {
        try save(Self.encode(value, named: name), named: name)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ content: Data, named name: String)
        throws(OutboxError)
        -> Value
    {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: content)
        } catch {
            throw OutboxError(.storageFailed, "The file \(name) in the store is damaged.")
        }
    }

    private static func encode<Value: Encodable>(_ value: Value, named name: String) throws(OutboxError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do { return try encoder.encode(value) } catch {
            throw OutboxError(.storageFailed, "The file \(name) cannot be written.")
        }
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    private func locked<Result>(_ body: () throws(OutboxError) -> Result) throws(OutboxError) -> Result {
        let lock = try files.lock(folder.appendingPathComponent(".lock"), patience: 10)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }
}
