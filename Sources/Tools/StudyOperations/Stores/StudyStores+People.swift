import Accounts
import Audit
import Foundation
import Storage
import StudyFiles

// The store of account holders. It exists only if `study.json` has `accounts`.
extension StudyStores {
    /// The error for a study without accounts.
    package static let withoutAccounts = ServerError(
        code: "accounts-missing",
        message: "The study has no accounts; add \"accounts\": {\"groups\": [\"main\"]} to study.json.")

    /// Creates or migrates the people store.
    ///
    /// - Returns: nil if the study has no accounts.
    @discardableResult
    package func migratePeople() async throws -> StoreMigration.Report? {
        guard let people else { return nil }
        let report = try await people.migrate()
        try await withPeople { try await $0.prepare() }
        return report
    }

    /// Opens the database of the people store.
    ///
    /// - Throws: ``ServerError`` `accounts-missing`; ``Storage/StorageError``.
    package func openPeople(onWait: (@Sendable (Duration) -> Void)? = nil) async throws -> any SQLDatabase {
        guard let people else { throw Self.withoutAccounts }
        return try await people.open(onWait: onWait)
    }

    /// Returns the key of the digests of deleted accounts; nil before the first deletion, and without accounts.
    func deletionKeyOfPeople() async throws -> Data? {
        guard let people, try await people.isThere() else { return nil }
        return try await people.open().closing { try await $0.read { try DeletionRegister().key(in: $0) } }
    }

    /// Returns the people store of an open database.
    package func people(
        _ database: any SQLDatabase, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> PeopleStore {
        let study = try folder.configuration()
        guard let accounts = study.accounts else { throw Self.withoutAccounts }
        return PeopleStore(
            audit: AuditLog(database: database, clock: clock), groups: accounts.groups, title: study.title)
    }

    /// Runs a closure with the people store, and closes it.
    package func withPeople<T>(
        clock: @escaping @Sendable () -> Date = { Date() }, _ body: (PeopleStore) async throws -> T
    ) async throws -> T {
        try await openPeople().closing { try await body(try people($0, clock: clock)) }
    }
}
