import Audit
import Foundation
import Storage
import StudyFiles

extension AccountDeletion {
    /// Repeats the deletions of accounts that were made after a backup, in the restored people store, before any other
    /// process opens it.
    ///
    /// - Parameter repeated: the repeated deletions of participants, with the study's list; the accounts are added.
    /// - Throws: ``ServerError`` `deletions-mismatch`; ``Storage/StorageError``.
    static func deleteAgain(
        in stores: StudyStores, adding repeated: inout StudyDeletion.RepeatedDeletions, at date: Date
    ) async throws {
        guard let store = stores.people, let path = store.path, StudyBackupFiles.exists(path) else { return }
        let present = try await register(in: path)
        if let key = present.key {
            var list = try repeated.list ?? StudyDeletionList(studyID: stores.folder.configuration().id, key: key)
            guard list.key == key else { throw StudyDeletion.mismatch }
            list.add(present.entries)
            repeated.list = list
        }
        if let list = repeated.list, !list.deletions.isEmpty {
            // The store may be that of an older version.
            _ = try await store.migrate()
            repeated.accounts = try await stores.openPeople().closing {
                try await deleteAgain(in: $0, by: list, now: date)
            }
            for copy in store.copies { try FileManager.default.removeItem(atPath: copy) }
            try SQLiteDatabase.compact(path: path)
        }
        // Opening created a log, and only the file is published.
        try SQLiteDatabase.settle(path: path)
        try? FileManager.default.removeItem(atPath: path + ".lock")
    }

    /// Returns the deletions in a people store of this version or of an older one.
    private static func register(in path: String) async throws -> (key: Data?, entries: [DeletionRegister.Entry]) {
        let people = try await SQLiteDatabase.open(
            path: path, migrations: [], schema: .exact, permissions: StudyStores.recordsPermissions)
        return try await people.closing { people in
            try await people.read { transaction in
                let register = DeletionRegister()
                return (try register.key(in: transaction), try register.all(in: transaction))
            }
        }
    }
}
