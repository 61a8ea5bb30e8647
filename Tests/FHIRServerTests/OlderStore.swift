import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import RecordStorage

/// A store at step 404, with uncompressed resources and an index of texts.
enum OlderStore {
    static let migrations = RecordsSchema.migrations.filter { $0.number <= 404 }

    /// Creates a store with resources, numbered from 1, of one submission.
    static func make(_ path: String, _ resources: [String], at: Date) async throws {
        let database = try await TestEngine.chosen.open(path: path, migrations: migrations)
        let records = try resources.map { json in
            let resource = try Resource(Data(json.utf8))
            return NewRecord(resource, id: try #require(resource.id), content: Data(json.utf8))
        }
        try await database.write { transaction in
            for (index, record) in records.enumerated() {
                try transaction.execute(
                    """
                    INSERT INTO record (number, type, id, version, subject, updated_ms, received_ms, received_number)
                    VALUES (?, ?, ?, 1, ?, ?, ?, 0)
                    """,
                    [
                        SQLValue(index + 1), SQLValue(record.type), SQLValue(record.id), SQLValue(record.subject),
                        SQLValue(Milliseconds.of(at)), SQLValue(Milliseconds.of(at)),
                    ])
                try transaction.execute(
                    """
                    INSERT INTO record_version (number, type, id, version, content, digest, last_updated, submission_id,
                        client_id, received_at, received_number) VALUES (?, ?, ?, 1, ?, ?, ?, 's', 'c', ?, 0)
                    """,
                    [
                        SQLValue(index + 1), SQLValue(record.type), SQLValue(record.id), .blob(record.content),
                        SQLValue(record.digest.map { String(format: "%02x", $0) }.joined()), SQLValue(at),
                        SQLValue(at),
                    ])
                try transaction.execute(
                    "INSERT INTO record_token (number, type, parameter, system, code) VALUES (?, ?, 'code', '', 'c')",
                    [SQLValue(index + 1), SQLValue(record.type)])
            }
        }
        try await database.close()
    }
}
