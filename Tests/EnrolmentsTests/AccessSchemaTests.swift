import AccessTestSupport
import Storage
import StorageTestSupport
import Testing

@Suite struct AccessSchemaTests {
    @Test func databaseAllowsOneCurrentBindingOfEachDeviceAndParticipant() async throws {
        try await withAccess { _, database, _ async throws in
            func insert(_ device: String, _ participant: String?, ended: String? = nil) async -> String? {
                do {
                    try await database.write { transaction in
                        _ = try transaction.execute(
                            "INSERT INTO device_binding (device, participant, bound_at, ended_at) VALUES (?, ?, 'x', ?)",
                            [SQLValue(device), SQLValue(participant), SQLValue(ended)])
                    }
                    return nil
                } catch {
                    return (error as? StorageError)?.code
                }
            }
            #expect(await insert("d1", "anna") == nil)
            #expect(await insert("d1", "bert") == "storage-constraint")
            #expect(await insert("d2", "anna") == "storage-constraint")
            #expect(await insert("d2", nil) == "storage-constraint")
            #expect(await insert("d1", "carl", ended: "y") == nil)
            #expect(await insert("d2", nil, ended: "y") == nil)
        }
    }
}
