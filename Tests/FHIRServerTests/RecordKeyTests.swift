import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import RecordStorage

/// Records formerly indexed by type and id are found by the digests of their addresses.
@Suite struct RecordKeyTests {
    private static let at = Date(timeIntervalSince1970: 1_780_000_000)
    private static let former = RecordsSchema.migrations.filter { $0.number < 428 }

    private static func content(_ number: Int) -> Data {
        Data(#"{"resourceType":"Basic","id":"b\#(number)","code":{"text":"c"}}"#.utf8)
    }

    /// Creates a store at the former step with records of one version each.
    private func makeFormer(_ path: String, count: Int) async throws {
        let database = try await TestEngine.chosen.open(path: path, migrations: Self.former)
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO record_source (number, submission_id, client_id, received_at, received_number, stored_at)
                VALUES (1, 's', 'c', ?, 0, ?)
                """, [SQLValue(Self.at), SQLValue(Self.at)])
            for number in 1...count {
                try transaction.execute(
                    """
                    INSERT INTO record (number, type, id, version, updated_ms, received_ms)
                    VALUES (?, 'Basic', ?, 1, 0, ?)
                    """, [SQLValue(number), SQLValue("b\(number)"), SQLValue(Milliseconds.of(Self.at))])
                let new = NewRecord(try Resource(Self.content(number)), id: "b\(number)", content: Self.content(number))
                try transaction.execute(
                    "INSERT INTO record_version (number, version, content, digest, source) VALUES (?, 1, ?, ?, 1)",
                    [SQLValue(number), SQLValue(new.stored.content), SQLValue(new.digest)])
            }
        }
        try await database.close()
    }

    /// For a process that ends at any point.
    @Test(arguments: [0, 1, 3]) func theRecordsOfAnOlderStoreAreFoundByTheirAddresses(parts: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/former.db"
            try await makeFormer(path, count: 12_000)
            if parts > 0 {
                let started = try await TestEngine.chosen.open(
                    path: path, migrations: RecordsSchema.migrations.filter { $0.number <= 428 })
                let slice = try #require(RecordsSchema.migrations.first { $0.number == 429 }?.slice)
                for _ in 0..<parts { _ = try await started.write { try slice($0) } }
                try await started.close()
            }
            let database = try await TestEngine.chosen.open(path: path, migrations: RecordsSchema.migrations)
            let (others, found) = try await database.read { transaction in
                (
                    try transaction.query("SELECT id, address_digest FROM record").filter { row in
                        try row.blobIfPresent("address_digest")
                            != RecordKey.digest(type: "Basic", id: row.text("id"))
                    }.count,
                    try [1, 4_999, 5_000, 5_001, 12_000].map {
                        try RecordStore().read(type: "Basic", id: "b\($0)", in: transaction)?.content
                    }
                )
            }
            #expect(others == 0)
            #expect(found == [1, 4_999, 5_000, 5_001, 12_000].map(Self.content))
            // An existing record is not stored a second time.
            let same = try await database.write { transaction in
                try RecordStore().put(
                    Resource(Self.content(7)), content: Self.content(7), original: nil, id: "b7",
                    provenance: RecordProvenance(submissionID: "t", clientID: "c", keyID: nil, receivedAt: Self.at),
                    at: Self.at, in: transaction)
            }
            #expect(same.became == [.unchanged: 1] && same.number == 7)
            try await database.close()
        }
    }

    @Test func noTwoRecordsHaveOneAddress() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(String(decoding: Self.content(1), as: UTF8.self))
        await #expect(throws: StorageError.self) {
            try await fixture.database.write { transaction in
                try transaction.execute(
                    """
                    INSERT INTO record (number, type, id, address_digest, version, updated_ms)
                    VALUES (99, 'Basic', 'b1', ?, 1, 0)
                    """, [RecordKey.value(type: "Basic", id: "b1")])
            }
        }
        try await fixture.close()
    }
}
