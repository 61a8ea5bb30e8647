import FHIR
import Storage

extension RecordsSchema {
    /// The summary of participants' Observations by HealthKit's types.
    static let streams: [Migration] = [
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
}
