import Core
import Foundation
import ServerHTTP
import Storage
import StudyKeys
import StudyOperations
import Submissions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The readiness of the server, and its metrics.
struct ServerReadiness: Sendable {
    let stores: StudyStores
    let queue: (any SQLDatabase)?
    let records: (any SQLDatabase)?
    let people: (any SQLDatabase)?
    /// The consumer's keys, read again when they change.
    let openers: KeyOpenerCache
    let roles: Set<ServerOptions.Role>
    let progress: ConsumerProgress
    let clock: @Sendable () -> Date

    /// Seconds without progress after which a consumer with waiting submissions is reported as stalled.
    static let stall: TimeInterval = 60
    /// The minimum of free disk space in bytes.
    static let leastDisk: Int64 = 64 << 20

    /// Returns the problems of the server; none if it is ready.
    func problems() async -> [ReadinessProblem] {
        var problems: [ReadinessProblem] = []
        for (name, database) in [("queue", queue), ("records", records), ("people", people)] {
            guard let database else { continue }
            do {
                // A transaction that changes nothing still needs the lock and the log.
                _ = try await database.write {
                    try $0.execute("UPDATE schema_migration SET number = number WHERE 1 = 0")
                }
            } catch {
                let code = (error as? StorageError)?.code ?? "storage-failed"
                problems.append(
                    ReadinessProblem(
                        code: "store-unwritable", message: "The \(name) store cannot be written (\(code))."))
            }
        }
        if roles.contains(.consumer) {
            do {
                _ = try await openers.opener()
            } catch {
                problems.append(
                    ReadinessProblem(
                        code: "keys-missing",
                        message: "There is no readable private key in keys/. "
                            + ((error as? any CodedError)?.message ?? "")))
            }
            if await isStalled() {
                problems.append(
                    ReadinessProblem(
                        code: "consumer-stalled",
                        message: "Submissions wait, and the consumer has done nothing for a minute."))
            }
        }
        for (_, path) in files {
            guard let free = Self.freeBytes(at: path), free < Self.leastDisk else { continue }
            problems.append(
                ReadinessProblem(code: "disk-full", message: "The disk has \(free >> 20) MB left for the stores."))
            break
        }
        return problems
    }

    /// The files of the open stores, by name.
    private var files: [(name: String, path: String)] {
        [
            ("queue", queue == nil ? nil : stores.queue.path), ("records", records == nil ? nil : stores.records.path),
            ("people", people == nil ? nil : stores.people?.path),
        ].compactMap { name, path in path.map { (name, $0) } }
    }

    private func isStalled() async -> Bool {
        guard let queue, let status = try? await SQLSubmissionQueue(database: queue).status(now: clock()),
            let oldest = status.oldestReceivedAt
        else { return false }
        let now = clock()
        return now.timeIntervalSince(max(oldest, progress.last ?? oldest)) > Self.stall
    }

    static func freeBytes(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(URL(fileURLWithPath: path).deletingLastPathComponent().path, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    /// Registers the metrics with the names that `/metrics` shows.
    func register(in registry: PrometheusRegistry) {
        if let queue {
            let submissions = SQLSubmissionQueue(database: queue)
            let clock = clock
            registry.gauge(
                "tributary_queue_submissions", help: "Submissions by status: received, held, quarantined.",
                samples: {
                    guard let status = try? await submissions.status(now: clock()) else { return [] }
                    return [
                        .init(Double(status.depth), labels: [("status", "received")]),
                        .init(Double(status.held), labels: [("status", "held")]),
                        .init(Double(status.quarantined), labels: [("status", "quarantined")]),
                    ]
                })
            registry.gauge("tributary_queue_oldest_seconds", help: "Age of the oldest waiting submission.") {
                guard let status = try? await submissions.status(now: clock()) else { return nil }
                return status.oldestReceivedAt.map { max(0, clock().timeIntervalSince($0)) } ?? 0
            }
            registry.gauge(
                "tributary_clock_behind_seconds",
                help:
                    "Seconds by which the newest receipt is ahead of the clock: above a few, one of them is wrong."
            ) {
                guard let newest = try? await submissions.newestReceipt() else { return 0 }
                return max(0, newest.timeIntervalSince(clock()))
            }
            registry.gauge(
                "tributary_refusals", help: "Refused requests by code, of the last hour.",
                samples: {
                    let since = String(SQLTimestamp.text(clock().addingTimeInterval(-3600)).prefix(16))
                    let rows = try? await queue.read { transaction in
                        try transaction.query(
                            "SELECT code, sum(count) AS count FROM refusal_count WHERE minute >= ? GROUP BY code LIMIT 100",
                            [SQLValue(since)])
                    }
                    return (rows ?? []).compactMap { row in
                        guard let code = row.textIfPresent("code"), let count = row.integerIfPresent("count") else {
                            return nil
                        }
                        return .init(Double(count), labels: [("code", code)])
                    }
                })
            registry.gauge(
                "tributary_quarantined", help: "Submissions in quarantine by their reason.",
                samples: {
                    let rows = try? await queue.read { transaction in
                        try transaction.query(
                            """
                            SELECT reason_code, count(*) AS count FROM submission WHERE status = 'quarantined'
                            GROUP BY reason_code LIMIT 100
                            """)
                    }
                    return (rows ?? []).compactMap { row in
                        row.integerIfPresent("count").map {
                            .init(Double($0), labels: [("code", row.textIfPresent("reason_code") ?? "none")])
                        }
                    }
                })
        }
        if roles.contains(.consumer) {
            let (progress, clock) = (progress, clock)
            registry.gauge("tributary_consumer_progress_seconds", help: "Seconds since the consumer made progress.") {
                progress.last.map { max(0, clock().timeIntervalSince($0)) }
            }
        }
        for (name, path) in files {
            registry.gauge("tributary_\(name)_disk_free_bytes", help: "Free disk where the \(name) store is.") {
                Self.freeBytes(at: path).map(Double.init)
            }
        }
    }
}
