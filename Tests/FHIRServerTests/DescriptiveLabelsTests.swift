import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import RecordStorage

/// A participant's own Patient is readable with standard scopes.
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
}
