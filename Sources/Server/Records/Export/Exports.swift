import Foundation
import Storage
import Trust

/// The exports of a records' store: what those who ask and those who work on them share.
public struct Exports: Sendable {
    let database: any SQLDatabase
    let access: AccessControl
    let folder: ExportFolder
    let limits: ExportLimits
    let clock: @Sendable () -> Date
    let jobs: ExportJobs
    let store = RecordStore()
    /// Wakes who works.
    let news: AsyncStream<Void>
    let announce: AsyncStream<Void>.Continuation

    /// - Parameter folder: where the files are; several servers may share it.
    public init(
        database: any SQLDatabase, access: AccessControl, folder: ExportFolder, limits: ExportLimits = ExportLimits(),
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

    /// Works on exports until the task is cancelled: the next one begins soon after it was asked for. What is cut off is
    /// taken up by whoever works next.
    ///
    /// - Parameter failed: told the code of what went wrong with the store or the folder; it is tried again.
    public func work(failed: @Sendable (String) -> Void) async {
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

    /// Works on the next export to its end.
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

    func end(_ job: ExportJob, failed code: String?) async throws {
        let (jobs, expires) = (jobs, clock().addingTimeInterval(limits.keptFor))
        if code != nil { folder.removeFiles(of: job.id, but: []) }
        try await database.write { transaction in
            if code != nil { try jobs.restart(job.id, in: transaction) }
            try jobs.end(job.id, failed: code, expires: expires, in: transaction)
        }
    }

    /// Removes what expired, and the files of what is not there any more.
    func removeExpired() async throws {
        let (jobs, now) = (jobs, clock())
        let isAny = try await database.read {
            try $0.first("SELECT 1 AS one FROM export_job WHERE expires_at <= ? LIMIT 1", [SQLValue(now)]) != nil
        }
        if isAny { try await database.write { try jobs.removeExpired(at: now, in: $0) } }
        folder.removeJobs(but: try await database.read { try jobs.known(in: $0) })
    }

    static let openSQL = "SELECT 1 AS one FROM export_job WHERE status = 'open' LIMIT 1"
}
