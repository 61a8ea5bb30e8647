import Core
import DeviceSystem
import Foundation
import ResearchResults

/// The local copies of a phone: the account and its server, the session as a secret, the profile, the visible patients.
///
/// Each file names its account, so a file of another account is never read.
struct AccountFolder: Sendable {
    /// The files of an account.
    enum Item: String, CaseIterable {
        case profile = "profile.json"
        case patients = "patients.json"
        /// The account. It is written first and removed last.
        case holder = "account.json"
    }

    /// The account of the folder.
    struct Holder: Sendable, Hashable {
        let holder: AccountHolder
        let server: AccountServer
    }

    static let sessionName = "account-session"
    /// Seconds to wait for another process that changes the files.
    private static let patience = 30.0

    let folder: URL
    let secrets: any SecretStore
    let files: any DurableFiles

    init(folder: URL, secrets: (any SecretStore)? = nil, files: any DurableFiles = PosixFiles()) {
        self.folder = folder
        self.secrets = secrets ?? FileSecrets(folder: folder, files: files)
        self.files = files
    }

    // MARK: - Reading

    /// Returns the account of the folder, which may have no session; nil for none, or for a file that is not readable.
    func holder() throws(DeviceStorageError) -> Holder? {
        guard let json = try json(.holder), let holder = AccountHolder(json: json),
            let url = json["url"]?.string, let antispam = json["antispam"]?.string,
            let server = try? AccountServer(url, antispam: antispam)
        else { return nil }
        return Holder(holder: holder, server: server)
    }

    /// Returns the session of the account of the folder; nil for none.
    func session() throws(DeviceStorageError) -> AccountSession? {
        guard let account = try holder()?.holder.account,
            let session = try secrets.secret(named: Self.sessionName).flatMap({ AccountSession(stored: $0) }),
            session.account == account
        else { return nil }
        return session
    }

    /// Returns the content of a file of an account; nil if there is none.
    func content(_ item: Item, of account: String) throws(DeviceStorageError) -> JSON? {
        guard let json = try json(item), json["account"]?.string == account else { return nil }
        return json
    }

    private func json(_ item: Item) throws(DeviceStorageError) -> JSON? {
        try files.content(of: url(item)).flatMap { JSON(reading: $0) }
    }

    // MARK: - Changing

    /// Performs changes without those of other processes in between.
    ///
    /// - Throws: `DeviceStorageError`, `CancellationError`, and the errors of the body.
    func locked<Outcome: Sendable>(_ body: (AccountFolder) throws -> Outcome) async throws -> Outcome {
        let lock = try await files.lock(folder.appendingPathComponent("account.lock"), awaiting: Self.patience)
        defer { withExtendedLifetime(lock) {} }
        return try body(self)
    }

    /// Takes the lock of a longer operation, such as a refresh or a pull. Local copies can be removed meanwhile.
    func lock(of operation: String) async throws -> FileLock {
        try await files.lock(folder.appendingPathComponent("\(operation).lock"), awaiting: Self.patience)
    }

    /// Writes a file of the account. Call it in ``locked(_:)``, after a check that the account is still that of the folder.
    func write(_ json: JSON, as item: Item, of account: String) throws(DeviceStorageError) {
        var json = json
        json["account"] = .string(account)
        try AtomicFile.write(json.data(), to: url(item), files: files)
    }

    /// Writes the account.
    func write(_ holder: Holder) throws(DeviceStorageError) {
        var json = holder.holder.json
        json["url"] = .string(holder.server.url.absoluteString)
        json["antispam"] = .string(holder.server.antispam)
        try write(json, as: .holder, of: holder.holder.account)
    }

    func save(_ session: AccountSession) throws(DeviceStorageError) {
        try secrets.save(session.stored, named: Self.sessionName)
    }

    func removeSession() throws(DeviceStorageError) { try secrets.removeSecret(named: Self.sessionName) }

    func remove(_ item: Item) throws(DeviceStorageError) {
        try files.remove(url(item))
        try files.syncFolder(folder)
    }

    /// Removes all copies. Each is tried, so that an error leaves as little as possible.
    ///
    /// - Throws: the first error.
    func erase() throws(DeviceStorageError) {
        var first: DeviceStorageError?
        func attempt(_ body: () throws(DeviceStorageError) -> Void) {
            do throws(DeviceStorageError) { try body() } catch { first = first ?? error }
        }
        attempt { () throws(DeviceStorageError) in try removeSession() }
        attempt { () throws(DeviceStorageError) in try AtomicFile.removeLeftovers(in: folder, files: files) }
        attempt { () throws(DeviceStorageError) in try erasePlans() }
        for item in Item.allCases { attempt { () throws(DeviceStorageError) in try remove(item) } }
        if let first { throw first }
    }

    /// The folder of the care plans, whose files CareStores writes.
    var plansFolder: URL { folder.appendingPathComponent("plans", isDirectory: true) }

    private func erasePlans() throws(DeviceStorageError) {
        guard FileManager.default.fileExists(atPath: plansFolder.path) else { return }
        for name in try files.names(in: plansFolder) { try files.remove(plansFolder.appendingPathComponent(name)) }
        try files.syncFolder(plansFolder)
    }

    private func url(_ item: Item) -> URL { folder.appendingPathComponent(item.rawValue) }
}
