import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import RecordStorage

@Suite struct RecordGuardTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func record(_ text: String) throws -> NewRecord {
        let resource = try Resource(Data(text.utf8))
        return NewRecord(resource, id: resource.id ?? "", subject: "p1", content: Data(text.utf8))
    }

    private func provenance(_ submission: String, after seconds: Double = 0) -> RecordProvenance {
        RecordProvenance(
            submissionID: submission, clientID: "c", keyID: nil, receivedAt: now.addingTimeInterval(seconds))
    }

    private func with(_ body: (any SQLDatabase) async throws -> Void) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", RecordsSchema.sections)]) { database async throws in
            let first = try record(#"{"resourceType":"Consent","id":"a","status":"active"}"#)
            let own = provenance(RecordProvenance.permissionSubmissionID)
            try await database.write { transaction in
                _ = try RecordStore().write(own, at: now, in: transaction) { try $0.insert(first) }
            }
            try await body(database)
        }
    }

    @Test func noOtherWriterChangesARecordOfAPermission() async throws {
        try await with { database in
            let new = try record(#"{"resourceType":"Consent","id":"a","status":"inactive"}"#)
            // Also a version that was received earlier, and the same bytes.
            let same = try record(#"{"resourceType":"Consent","id":"a","status":"active"}"#)
            for (name, change) in [
                ("put", { @Sendable (writer: inout RecordWriter) in _ = try writer.put(new) }),
                ("replace", { writer in _ = try writer.replace(new) }),
                ("same", { writer in _ = try writer.put(same) }),
                ("several", { writer in _ = try writer.put(contentsOf: [new]) }),
                ("delete", { writer in _ = try writer.delete(type: "Consent", id: "a") }),
                ("delete of a device", { writer in _ = try writer.delete(type: "Consent", id: "a", of: "p1") }),
            ] as [(String, @Sendable (inout RecordWriter) throws -> Void)] {
                for seconds in [-10.0, 0, 10] {
                    let other = provenance("fhir:1", after: seconds)
                    await #expect(throws: RecordGuard.refusal, "\(name)") {
                        try await database.write { transaction in
                            try RecordStore().write(other, at: now, in: transaction, change)
                        }
                    }
                }
            }
            let stored = try await database.read { try RecordStore().read(type: "Consent", id: "a", in: $0) }
            #expect(stored?.version == 1)
        }
    }

    @Test func writerOfPermissionsChangesThem() async throws {
        try await with { database in
            let new = try record(#"{"resourceType":"Consent","id":"a","status":"inactive"}"#)
            let own = provenance(RecordProvenance.permissionSubmissionID, after: 1)
            let result = try await database.write { transaction in
                try RecordStore().write(own, at: now, in: transaction) { try $0.replace(new) }
            }
            #expect(result.outcome == .updated && result.version == 2)
        }
    }

    @Test func protectedIdsAreKnownBeforeAWrite() async throws {
        try await with { database in
            try await database.read { transaction in
                #expect(try RecordGuard.protects([("Consent", "a")], in: transaction))
                #expect(try RecordGuard.protects([("Observation", "x"), ("Consent", "a")], in: transaction))
                #expect(try !RecordGuard.protects([("Consent", "b"), ("Observation", "a")], in: transaction))
                #expect(try !RecordGuard.protects([], in: transaction))
                for (sql, parameters) in [
                    (RecordGuard.sourceSQL, [1, 1]), (RecordGuard.presentSQL, [.blob(Data())]),
                    (RecordGuard.numbersSQL, ["a", "a", "a"]),
                ] as [(String, [SQLValue])] {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    #expect(!plan.readsAll, "\(sql) \(plan)")
                }
            }
        }
    }
}
