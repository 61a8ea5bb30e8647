import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Trust

@testable import RecordStorage

/// A participant's own Patient is readable with standard scopes, also in a store that had hidden it.
@Suite struct DescriptiveLabelsTests {
    private static func labelled(_ type: String, id: String, code: String, more: String = "") -> String {
        """
        {"resourceType":"\(type)","id":"\(id)","meta":{"security":[{"system":\
        "http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"\(code)"}]}\(more)}
        """
    }

    @Test func aPseudonymizedPatientIsReadWithoutSensitiveScopes() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addGrant("app", scopes: "patient/*.rs", patients: .only(["p1"]))
        try await fixture.addGrant("bulk", scopes: "system/*.rs")
        try await fixture.addGrant("other", scopes: "patient/*.rs", patients: .only(["p2"]))
        try await fixture.put(Self.labelled("Patient", id: "p1", code: "PSEUDED"))
        try await fixture.put(
            Self.labelled("Observation", id: "o1", code: "REDACTED", more: #","subject":{"reference":"Patient/p1"}"#))
        for (token, status) in [("app", 200), ("bulk", 200), ("other", 404)] {
            for path in ["/fhir/Patient/p1", "/fhir/Patient/p1/_history/1", "/fhir/Observation/o1"] {
                #expect(try await fixture.send(.get, path, token: token).status == status, "\(token) \(path)")
            }
        }
        #expect(try await fixture.send(.get, "/fhir/Patient", token: "app").json["total"] == 1)
        #expect(
            try await fixture.send(.get, "/fhir/Patient/p1/$everything", token: "app").json["entry"]?.array?.count == 2)
        let rows = try await fixture.database.read { try $0.query("SELECT * FROM record_protection").count }
        #expect(rows == 0)
        try await fixture.close()
    }

    @Test func migrationCorrectsHiddenRecords() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/former.db"
            let former = RecordsSchema.migrations.filter { $0.number < 436 }
            let hidden = Self.labelled("Patient", id: "p1", code: "PSEUDED")
            let sensitive = """
                {"resourceType":"Patient","id":"p2","meta":{"security":[\
                {"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"PSEUDED"},\
                {"system":"\(SecurityLabels.sensitivitySystem)","code":"HIV"},{"system":"urn:x","code":"secret"}]}}
                """
            let binary = """
                {"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"eA==",\
                "securityContext":{"reference":"Patient/p1"}}
                """
            let database = try await TestEngine.chosen.open(path: path, migrations: former)
            let at = Date(timeIntervalSince1970: 1_780_000_000)
            try await database.write { transaction in
                // The current version needs a table that the former one did not have.
                try transaction.execute(RecordTypeChanges.tableSQL)
                for json in [hidden, sensitive, binary, Self.labelled("Patient", id: "p3", code: "MASKED")] {
                    let resource = try Resource(Data(json.utf8))
                    let put = try RecordStore().put(
                        resource, content: Data(json.utf8), original: nil, id: resource.id ?? "",
                        provenance: RecordProvenance(submissionID: "s", clientID: "c", keyID: nil, receivedAt: at),
                        at: at,
                        in: transaction)
                    #expect(put.outcome == .created)
                }
                // In the form that the older version stored.
                try transaction.execute(
                    """
                    INSERT INTO record_protection (number, kind, value)
                    SELECT number, 'sensitivity', '?' FROM record WHERE type = 'Patient' AND id IN ('p1', 'p3')
                    """)
                try transaction.execute("UPDATE record SET subject = NULL WHERE type = 'Binary'")
                // A deleted record keeps the labels of its last version with content.
                var writer: Int64?
                try RecordStore().write(
                    RecordProvenance(submissionID: "t", clientID: "c", keyID: nil, receivedAt: at), at: at,
                    in: transaction
                ) { writer = try $0.delete(type: "Patient", id: "p3") }
                #expect(writer != nil)
                try transaction.execute("DROP TABLE record_type_change")
            }
            try await database.close()
            let newer = try await TestEngine.chosen.open(path: path, migrations: RecordsSchema.migrations)
            let rows = try await newer.read { transaction in
                try transaction.query(
                    """
                    SELECT r.id, p.kind, p.value FROM record_protection p JOIN record r ON r.number = p.number
                    ORDER BY r.id, p.kind, p.value
                    """
                ).map { try "\($0.text("id")) \($0.text("kind")) \($0.text("value"))" }
            }
            #expect(rows == ["p2 sensitivity ?", "p2 sensitivity HIV"])
            let subject = try await newer.read {
                try $0.first("SELECT subject FROM record WHERE type = 'Binary'")?.textIfPresent("subject")
            }
            #expect(subject == "p1")
            try await newer.close()
        }
    }

    @Test func theAffectedRecordsAreFoundByIndexes() async throws {
        let fixture = try await RecordsFixture()
        let plan = try await fixture.database.read { transaction in
            guard transaction.dialect == .sqlite else { return [String]() }
            return try transaction.query(
                "EXPLAIN QUERY PLAN " + RecordsSchema.affectedSQL, [SQLValue(0), SQLValue(0), SQLValue(10)]
            ).map { try $0.text("detail") }
        }
        #expect(!plan.contains { $0.hasPrefix("SCAN record") }, "\(plan)")
        try await fixture.close()
    }
}
