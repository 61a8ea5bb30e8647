import FHIR
import Storage

extension RecordsSchema {
    /// The summary of participants' Observations by HealthKit type.
    package static let streams: [Migration] = [
        Migration(number: 424, name: "summary of streams") { dialect in
            [
                """
                CREATE TABLE record_stream (
                    subject text NOT NULL, stream text NOT NULL, first_ms bigint, last_ms bigint,
                    received_ms bigint NOT NULL, total bigint NOT NULL, PRIMARY KEY (subject, stream)
                ) \(dialect.keptInKey)
                """,
                """
                INSERT INTO record_stream (subject, stream, first_ms, last_ms, received_ms, total)
                SELECT subject, stream, min(CASE WHEN low > \(Int64.min + 1) THEN low END),
                    max(CASE WHEN high < \(Int64.max) THEN high END), max(received), count(*) FROM (
                    SELECT r.number, r.subject, r.date_low AS low, r.date_high AS high, r.received_ms AS received,
                        min(c.code) AS stream
                    FROM search_term c JOIN record_term t ON t.term = c.number JOIN record r ON r.number = t.number
                    WHERE c.type = 'Observation' AND c.parameter = 'code' AND c.system = '\(CodeSystemURL.healthKit)'
                        AND c.code <> '' AND r.deleted = 0 AND r.subject IS NOT NULL
                    GROUP BY r.number, r.subject, r.date_low, r.date_high, r.received_ms
                ) AS observed GROUP BY subject, stream
                """,
            ]
        }
    ]

    /// The entries and streams of Observations whose health type comes from another code than HealthKit's.
    package static let healthTypes: [Migration] = [
        Migration(
            number: 446, name: "Observations by their health types", slice: nameHealthTypes,
            statements: { _ in
                // The last processed record.
                ["CREATE TABLE IF NOT EXISTS health_type_progress (last bigint NOT NULL)"]
            }),
        Migration(number: 447, name: "progress of health types dropped") { _ in ["DROP TABLE health_type_progress"] },
    ]

    @Sendable private static func nameHealthTypes(_ transaction: any SQLTransaction) throws -> Bool {
        let progress = try transaction.first("SELECT last FROM health_type_progress")
        let last = try progress?.integer("last") ?? 0
        let end = try SearchReindexing(selection: .withoutHealthKitCode).next(after: last, in: transaction)
        guard let end else { return false }
        try transaction.execute(
            progress == nil
                ? "INSERT INTO health_type_progress (last) VALUES (?)" : "UPDATE health_type_progress SET last = ?",
            [SQLValue(end.last)])
        return true
    }
}
