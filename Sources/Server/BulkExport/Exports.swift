import Foundation
import Identity
import RecordStorage
import Storage

/// The exports of a records' store, shared by the API and the process that runs them.
package struct Exports: Sendable {
    package let database: any SQLDatabase
    package let access: AccessStores
    package let folder: ExportFolder
    package let limits: ExportLimits
    package let clock: @Sendable () -> Date
    package let jobs: ExportJobs
    package let store = RecordStore()
    /// Wakes the process that runs exports.
    let news: AsyncStream<Void>
    package let announce: AsyncStream<Void>.Continuation

    /// - Parameter folder: the folder of the files; several servers may share it.
    package init(
        database: any SQLDatabase, access: AccessStores, folder: ExportFolder, limits: ExportLimits = ExportLimits(),
        clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.access = access
        self.folder = folder
        self.limits = limits
        self.clock = clock
        jobs = ExportJobs(limits: limits)
        (news, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs exports until the task is cancelled. The next one begins soon after its request. An interrupted export is
    /// resumed by the next server that runs exports.
    ///
    /// - Parameter failed: called with the code of an error of the store or the folder; the run is repeated.
    package func work(failed: @Sendable (String) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !_Concurrency.Task.isCancelled {
                    announce.yield()
                    try? await _Concurrency.Task.sleep(for: .seconds(5))
                }
                announce.finish()
            }
            var lock: StoreLock?
            for await _ in news where !_Concurrency.Task.isCancelled {
                do {
                    if lock == nil { lock = try folder.lock() }
                    guard lock != nil else { continue }
                    while try await workOnNext() {}
                    try await removeExpired()
                } catch is CancellationError {
                    break
                } catch {
                    failed((error as? StorageError)?.code ?? "failed")
                }
            }
            group.cancelAll()
            withExtendedLifetime(lock) {}
        }
    }

    /// Runs the next export to its end.
    ///
    /// - Returns: whether there was one.
    func workOnNext() async throws -> Bool {
        let (jobs, folder, date) = (jobs, folder, clock())
        let isAny = try await database.read { try $0.first(Self.openSQL) != nil }
        guard isAny, let job = try await database.write({ try jobs.lease(in: folder.id, at: date, in: $0) }) else {
            return false
        }
        var run = try await ExportRun(job, of: self)
        do {
            try await run.finish()
        } catch let stop as ExportRun.Stop {
            if case .failed(let code) = stop { try await end(job, failed: code) }
        } catch let error as StorageError where ["storage-full", "file-unwritable"].contains(error.code) {
            try await end(job, failed: error.code)
        }
        return true
    }

    package func end(_ job: ExportJob, failed code: String?) async throws {
        let (jobs, expires) = (jobs, clock().addingTimeInterval(limits.keptFor))
        if code != nil { folder.removeFiles(of: job.id, but: []) }
        try await database.write { transaction in
            if code != nil { try jobs.restart(job.id, in: transaction) }
            try jobs.end(job.id, failed: code, expires: expires, in: transaction)
        }
    }

    /// Removes expired exports, and the files of removed ones.
    package func removeExpired() async throws {
        let (jobs, now) = (jobs, clock())
        let isAny = try await database.read {
            try $0.first("SELECT 1 AS one FROM export_job WHERE expires_at <= ? LIMIT 1", [SQLValue(now)]) != nil
        }
        if isAny { try await database.write { try jobs.removeExpired(at: now, in: $0) } }
        folder.removeJobs(but: try await database.read { try jobs.known(in: $0) })
    }

    static let openSQL = "SELECT 1 AS one FROM export_job WHERE status = 'open' LIMIT 1"
}
