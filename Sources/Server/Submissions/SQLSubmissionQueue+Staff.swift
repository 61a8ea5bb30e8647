import Foundation
import Storage

extension SQLSubmissionQueue {
    public func status(now: Date) async throws -> QueueStatus {
        try await database.read { transaction in
            var counts: [String: Int] = [:]
            for status in [SubmissionStatus.received, .held, .quarantined] {
                let row = try transaction.first(
                    "SELECT COUNT(*) AS total FROM submission WHERE status = ?", [SQLValue(status.rawValue)])
                counts[status.rawValue] = Int(try row?.integer("total") ?? 0)
            }
            let oldest = try transaction.first(
                "SELECT received_at FROM submission WHERE status = 'received' ORDER BY number LIMIT 1")
            return QueueStatus(
                depth: counts["received"] ?? 0, oldestReceivedAt: oldest?.dateIfPresent("received_at"),
                held: counts["held"] ?? 0, quarantined: counts["quarantined"] ?? 0)
        }
    }

    public func show(submissionID: String?) async throws -> [SubmissionSummary] {
        try await database.read { transaction in
            let rows =
                if let submissionID {
                    try transaction.query(
                        "SELECT * FROM submission WHERE submission_id = ? ORDER BY number",
                        [SQLValue(submissionID)])
                } else {
                    try transaction.query(
                        """
                        SELECT * FROM submission WHERE status IN ('received', 'held', 'refused', 'quarantined')
                        ORDER BY number
                        """)
                }
            return try rows.map { try SubmissionSummary($0) }
        }
    }

    public func retry(submissionID: String) async throws -> Bool {
        try await database.write { transaction in
            let rows = try transaction.query(
                """
                SELECT number FROM submission WHERE submission_id = ? AND status IN ('quarantined', 'held') ORDER BY number
                """, [SQLValue(submissionID)])
            try Self.putBack(rows, at: nil, in: transaction)
            return !rows.isEmpty
        }
    }

    public func retryAllQuarantined() async throws -> Int {
        try await database.write { transaction in
            let rows = try transaction.query(
                "SELECT number FROM submission WHERE status = 'quarantined' ORDER BY number")
            try Self.putBack(rows, at: nil, in: transaction)
            return rows.count
        }
    }

    public func discard(submissionID: String, at: Date) async throws -> Bool {
        try await database.write { transaction in
            let rows = try transaction.query(
                """
                SELECT number FROM submission WHERE submission_id = ? AND status IN ('quarantined', 'held')
                ORDER BY number
                """, [SQLValue(submissionID)])
            for row in rows {
                let outcome = SubmissionOutcome(status: .refused, reasonCode: "discarded")
                try Self.settle(try row.integer("number"), as: outcome, at: at, in: transaction)
            }
            return !rows.isEmpty
        }
    }
}
