import Storage
import Testing

@testable import RecordStorage

/// Records are found by the digests of their addresses.
@Suite struct RecordKeyTests {
    @Test func noTwoRecordsHaveOneAddress() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(#"{"resourceType":"Basic","id":"b1","code":{"text":"c"}}"#)
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
