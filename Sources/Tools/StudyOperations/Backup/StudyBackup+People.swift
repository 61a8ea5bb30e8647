import Accounts
import Foundation
import Storage
import StudyFiles

// The people store in a backup, if the study has accounts.
extension StudyBackup {
    /// Returns the number of accounts in a people store of this version; nil without a store.
    static func accounts(in people: Store?) async throws -> Int? {
        try await people?.open().closing { try await $0.read { try PeopleStore.accountCount(in: $0) } }
    }

    /// Copies the people store.
    ///
    /// - Returns: nil if the study has no accounts.
    static func copyPeople(of stores: StudyStores, into staging: URL) async throws -> (path: String, accounts: Int)? {
        guard let people = stores.people else { return nil }
        let path = staging.appendingPathComponent(StudyBackupManifest.people).path
        try await people.copy(to: path)
        let copy = Store(
            at: .file(path), migrations: people.migrations, schema: .people, permissions: (0o600, 0o700))
        return try await accounts(in: copy).map { (path, $0) }
    }

    /// Checks a restored people store, and gives it a new identity: all sessions and codes end, and cursors from before
    /// the restore start again.
    ///
    /// - Returns: the number of accounts; nil if the backup contains no people store.
    static func renewPeople(of staging: URL) async throws -> Int? {
        let path = StudyFolder(path: staging.path).defaultPeopleURL.path
        guard StudyBackupFiles.exists(path) else { return nil }
        guard SQLiteDatabase.isSound(path: path) else { throw damaged("a database in it is not sound") }
        let count = try await checking(
            path, migrations: PeopleSchema.store.migrations, permissions: StudyStores.recordsPermissions
        ) { people in
            try await people.write { transaction in
                let count = try PeopleStore.accountCount(in: transaction)
                try PeopleStore.renew(in: transaction)
                return count
            }
        }
        try SQLiteDatabase.settle(path: path)
        return count
    }
}
