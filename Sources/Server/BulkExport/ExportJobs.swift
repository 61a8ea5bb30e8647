import AccessPolicy
import FHIRHTTP
import Foundation
import RecordStorage
import Storage

/// The exports in the tables of a store, inside the caller's transaction.
package struct ExportJobs: Sendable {
    let limits: ExportLimits

    /// Maximum number of starts of a job. A job that ended the process that often would do it again.
    static let maximumStarts: Int64 = 5

    // MARK: - Requests

    /// Adds a job.
    ///
    /// - Throws: ``RecordsFailure`` where a limit on exports is reached.
    package func add(_ job: ExportJob, in transaction: any SQLTransaction) throws {
        func count(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
            Int(try transaction.first(sql, parameters)?.integer("total") ?? 0)
        }
        let actor = job.grant.actor
        let own = [SQLValue(actor.id)]
        guard try count(Self.openSQL, own) < limits.openOfClient, try count(Self.keptSQL, own) < limits.keptOfClient,
            try count("SELECT count(*) AS total FROM export_job", []) < limits.kept
        else { throw RecordsFailure.tooManyExports }
        try transaction.execute(
            """
            INSERT INTO export_job (id, actor_id, role, access_grant, request, status, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(job.id), SQLValue(actor.id), SQLValue(actor.role.rawValue), SQLValue(job.grant.kept),
                SQLValue(job.requestText), SQLValue(job.status.rawValue), SQLValue(job.createdAt),
                SQLValue(job.expiresAt),
            ])
    }

    /// Returns a caller's job; nil where the caller has no such job.
    package func find(_ id: String, of actor: Actor, in transaction: any SQLTransaction) throws -> ExportJob? {
        try transaction.first(
            "SELECT * FROM export_job WHERE id = ? AND actor_id = ? AND role = ?",
            [SQLValue(id), SQLValue(actor.id), SQLValue(actor.role.rawValue)]
        ).map { try ExportJob($0) }
    }

    package func files(of id: String, in transaction: any SQLTransaction) throws -> [BulkExportFile] {
        try transaction.query(
            "SELECT * FROM export_file WHERE job = ? ORDER BY type, length(name), name", [SQLValue(id)]
        )
        .map { try BulkExportFile($0) }
    }

    package func file(_ name: String, of id: String, in transaction: any SQLTransaction) throws -> BulkExportFile? {
        try transaction.first(
            "SELECT * FROM export_file WHERE job = ? AND name = ?", [SQLValue(id), SQLValue(name)]
        ).map { try BulkExportFile($0) }
    }

    /// Removes a job. Its files are removed by a later cleanup (``known(in:)``).
    package func remove(_ id: String, in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM export_file WHERE job = ?", [SQLValue(id)])
        try transaction.execute("DELETE FROM export_job WHERE id = ?", [SQLValue(id)])
    }

    /// Removes expired jobs.
    package func removeExpired(at now: Date, in transaction: any SQLTransaction) throws {
        for row in try transaction.query("SELECT id FROM export_job WHERE expires_at <= ?", [SQLValue(now)]) {
            try remove(row.text("id"), in: transaction)
        }
    }

    /// Returns the ids of all jobs.
    package func known(in transaction: any SQLTransaction) throws -> Set<String> {
        Set(try transaction.query("SELECT id FROM export_job").map { try $0.text("id") })
    }

    /// Returns the number of bytes of all files.
    func bytes(in transaction: any SQLTransaction) throws -> Int64 {
        try transaction.query("SELECT bytes FROM export_job").reduce(0) { $0 + (try $1.integer("bytes")) }
    }

    // MARK: - Processing

    /// Leases the next job: one without a lease, or with an expired one. A job with files in another folder begins
    /// again, because they are not here.
    ///
    /// - Parameter folder: the folder of the caller, who has its lock.
    func lease(in folder: String, at date: Date, in transaction: any SQLTransaction) throws -> ExportJob? {
        let now = try QueueClock.ofDatabase.now(date, in: transaction)
        while let row = try transaction.first(Self.leaseSQL, [SQLValue(folder), SQLValue(now)]) {
            let id = SQLValue(try row.text("id"))
            if try row.integer("begun") >= Self.maximumStarts {
                try transaction.execute(
                    "UPDATE export_job SET status = 'failed', error_code = 'export-crashed' WHERE id = ?", [id])
                continue
            }
            if row.textIfPresent("folder") != folder {
                try transaction.execute("DELETE FROM export_file WHERE job = ?", [id])
                try transaction.execute(
                    """
                    UPDATE export_job SET folder = ?, last_number = (SELECT max(number) FROM record),
                        done_through = NULL, written = 0, bytes = 0 WHERE id = ?
                    """, [SQLValue(folder), id])
            }
            try transaction.execute(
                "UPDATE export_job SET begun = begun + 1, lease_owner = ?, lease_until = ? WHERE id = ?",
                [SQLValue(folder), SQLValue(now.addingTimeInterval(limits.lease)), id])
            return try transaction.first("SELECT * FROM export_job WHERE id = ?", [id]).map { try ExportJob($0) }
        }
        return nil
    }

    /// Records the progress of a job, and extends its lease.
    ///
    /// - Returns: whether the caller still has the lease; the job may have been removed.
    func renew(
        _ id: String, in folder: String, written: Int64, bytes: Int64, at date: Date,
        in transaction: any SQLTransaction
    ) throws -> Bool {
        let until = try QueueClock.ofDatabase.now(date, in: transaction).addingTimeInterval(limits.lease)
        return try transaction.execute(
            """
            UPDATE export_job SET written = ?, bytes = ?, lease_until = ?
            WHERE id = ? AND status = 'open' AND lease_owner = ?
            """, [SQLValue(written), SQLValue(bytes), SQLValue(until), SQLValue(id), SQLValue(folder)]) > 0
    }

    /// Records a type as finished, with its files.
    func finish(
        type: String, of id: String, files: [BulkExportFile], in transaction: any SQLTransaction
    ) throws {
        for file in files {
            try transaction.execute(
                "INSERT INTO export_file (job, name, kind, type, count, bytes) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    SQLValue(id), SQLValue(file.name), SQLValue(file.kind.rawValue), SQLValue(file.type),
                    SQLValue(file.count), SQLValue(file.bytes),
                ])
        }
        // Progress resets the number of starts.
        try transaction.execute(
            "UPDATE export_job SET done_through = ?, begun = 1 WHERE id = ?", [SQLValue(type), SQLValue(id)])
    }

    /// Begins a job's files again.
    func restart(_ id: String, in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM export_file WHERE job = ?", [SQLValue(id)])
        try transaction.execute(
            "UPDATE export_job SET done_through = NULL, written = 0, bytes = 0 WHERE id = ?", [SQLValue(id)])
    }

    /// Ends a job.
    ///
    /// - Parameter code: the code of the failure; nil for success.
    func end(_ id: String, failed code: String?, expires: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            UPDATE export_job SET status = ?, error_code = ?, expires_at = ?, lease_owner = NULL, lease_until = NULL
            WHERE id = ?
            """,
            [
                SQLValue(code == nil ? ExportJob.Status.done.rawValue : ExportJob.Status.failed.rawValue),
                SQLValue(code), SQLValue(expires), SQLValue(id),
            ])
    }

    // MARK: - SQL

    static let openSQL = "SELECT count(*) AS total FROM export_job WHERE actor_id = ? AND status = 'open'"
    static let keptSQL = "SELECT count(*) AS total FROM export_job WHERE actor_id = ?"
    /// Parameters: folder, now.
    static let leaseSQL = """
        SELECT id, begun, folder FROM export_job
        WHERE status = 'open' AND (lease_owner IS NULL OR lease_owner = ? OR lease_until <= ?)
        ORDER BY created_at LIMIT 1
        """
}
