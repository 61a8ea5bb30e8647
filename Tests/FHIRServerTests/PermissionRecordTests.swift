import AccessPolicy
import FHIR
import Foundation
import HTTPTypes
import RecordStorage
import Testing

@testable import FHIRServer

/// The Consent and the Provenance of a permission: their patient reads them, and no caller of the FHIR API writes them.
@Suite struct PermissionRecordTests {
    private static let consent = """
        {"resourceType":"Consent","id":"c1","status":"active","scope":{"text":"x"},"category":[{"text":"y"}],\
        "patient":{"reference":"Patient/p1"},"policyRule":{"text":"z"}}
        """
    private static let provenance = """
        {"resourceType":"Provenance","id":"c1-1","target":[{"reference":"Consent/c1/_history/1"}],\
        "recorded":"2026-01-01T00:00:00Z","agent":[{"who":{"display":"app"}}]}
        """

    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("p1", scopes: "patient/*.cruds", patients: .only(["p1"]))
        try await fixture.addGrant("p2", scopes: "patient/*.cruds", patients: .only(["p2"]))
        try await fixture.put(#"{"resourceType":"Patient","id":"p1"}"#)
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let records = try [Self.consent, Self.provenance].map { text in
            let resource = try Resource(Data(text.utf8))
            return NewRecord(resource, id: resource.id ?? "", subject: "p1", content: Data(text.utf8))
        }
        let provenance = RecordProvenance(
            submissionID: RecordProvenance.permissionSubmissionID, clientID: "csi", keyID: nil, receivedAt: now)
        try await fixture.database.write { transaction in
            _ = try RecordStore().write(provenance, at: now, in: transaction) { try $0.insert(contentsOf: records) }
        }
        return fixture
    }

    @Test func patientReadsThemAndOthersDoNot() async throws {
        let fixture = try await fixture()
        for path in [
            "/fhir/Consent/c1", "/fhir/Consent/c1/_history/1", "/fhir/Provenance/c1-1",
            "/fhir/Provenance/c1-1/_history/1",
        ] {
            for token in ["p1", "writer"] {
                #expect(try await fixture.send(.get, path, token: token).status == 200, "\(path)")
            }
            #expect(try await fixture.send(.get, path, token: "p2").status == 404, "\(path)")
        }
        for (path, count) in [
            ("/fhir/Provenance?target=Consent/c1", 1), ("/fhir/Provenance/c1-1/_history", 1),
            ("/fhir/Consent?patient=p1", 1), ("/fhir/Patient/p1/$everything", 3),
        ] {
            let found = try await fixture.send(.get, path, token: "p1")
            #expect(found.json["entry"]?.array?.count == count, "\(path) \(found.json)")
        }
        let other = try await fixture.send(.get, "/fhir/Provenance?target=Consent/c1", token: "p2")
        #expect(other.json["entry"] == nil)
        try await fixture.close()
    }

    /// Only a permission gives its Provenance a patient whom the resource does not name.
    @Test func versionOfAnotherProvenanceWithoutAPatientIsHidden() async throws {
        let fixture = try await fixture()
        let first = Self.provenance.replacingOccurrences(of: "c1-1", with: "other")
        let second = first.replacingOccurrences(of: "Consent/c1/_history/1", with: "Patient/p1")
        for (body, status) in [(first, 201), (second, 200)] {
            #expect(try await fixture.send(.put, "/fhir/Provenance/other", body: body).status == status)
        }
        for (path, own, writer) in [
            ("/fhir/Provenance/other", 200, 200), ("/fhir/Provenance/other/_history/2", 200, 200),
            ("/fhir/Provenance/other/_history/1", 404, 200),
        ] {
            #expect(try await fixture.send(.get, path, token: "p1").status == own, "\(path)")
            #expect(try await fixture.send(.get, path, token: "writer").status == writer, "\(path)")
        }
        for (path, own, writer) in [
            ("/fhir/Provenance/other/_history", 1, 2), ("/fhir/Provenance/_history", 2, 3),
        ] {
            for (token, count) in [("p1", own), ("writer", writer)] {
                let found = try await fixture.send(.get, path, token: token)
                #expect(found.json["entry"]?.array?.count == count, "\(path) \(token) \(found.json)")
            }
        }
        try await fixture.close()
    }

    @Test func noCallerWritesThem() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        let json: HTTPFields = [.contentType: "application/json"]
        let fhir: HTTPFields = [.contentType: "application/fhir+json"]
        let inactive = Self.consent.replacingOccurrences(of: "active", with: "inactive")
        let deletion =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Consent/c1"}}]}"#
        let update = #"""
            {"resourceType":"Bundle","type":"transaction","entry":[{"resource":\#(inactive),
            "request":{"method":"PUT","url":"Consent/c1"}}]}
            """#
        let requests: [(HTTPRequest.Method, String, String?, HTTPFields)] = [
            (.put, "/fhir/Consent/c1", inactive, fhir), (.put, "/fhir/Consent/c1", Self.consent, fhir),
            (.patch, "/fhir/Consent/c1", #"{"status":"inactive"}"#, json), (.delete, "/fhir/Consent/c1", nil, fhir),
            (.put, "/fhir/Consent?_id=c1", inactive, fhir), (.delete, "/fhir/Consent?_id=c1", nil, fhir),
            (.patch, "/fhir/Consent?_id=c1", #"{"status":"inactive"}"#, json),
            (.delete, "/fhir/Provenance/c1-1", nil, fhir), (.post, "/fhir", deletion, fhir),
            (.post, "/fhir", update, fhir),
        ]
        for (method, path, body, headers) in requests {
            for token in ["p1", "writer"] {
                let refused = try await fixture.send(method, path, body: body, token: token, headers: headers)
                #expect(
                    refused.status == 403 && code(refused.json) == "permission-not-written-here",
                    "\(token) \(method) \(path) \(refused)")
            }
            // Others do not detect it.
            let hidden = try await fixture.send(method, path, body: body, token: "p2", headers: headers)
            #expect(code(hidden.json) != "permission-not-written-here", "\(method) \(path) \(hidden)")
        }
        let batch = try await fixture.send(
            .post, "/fhir", body: deletion.replacingOccurrences(of: "transaction", with: "batch"), token: "p1")
        #expect(batch.json["entry"]?[0]?["response"]?["status"]?.string?.hasPrefix("403") == true, "\(batch.json)")
        #expect(try await fixture.rows == rows)
        // Validation reports it too.
        let parameters = #"""
            {"resourceType":"Parameters","parameter":[{"name":"resource","resource":\#(inactive)},
            {"name":"mode","valueCode":"update"}]}
            """#
        let validated = try await fixture.send(.post, "/fhir/Consent/c1/$validate", body: parameters, token: "p1")
        #expect(code(validated.json) == "permission-not-written-here", "\(validated.json)")
        try await fixture.close()
    }

    @Test func anotherConsentIsWrittenAsBefore() async throws {
        let fixture = try await fixture()
        let other = Self.consent.replacingOccurrences(of: #""id":"c1","#, with: "")
        #expect(try await fixture.send(.post, "/fhir/Consent", body: other, token: "p1").status == 201)
        let named = Self.consent.replacingOccurrences(of: #""id":"c1""#, with: #""id":"c2""#)
        #expect(try await fixture.send(.put, "/fhir/Consent/c2", body: named, token: "p1").status == 201)
        let changed = named.replacingOccurrences(of: "active", with: "inactive")
        #expect(try await fixture.send(.put, "/fhir/Consent/c2", body: changed, token: "p1").status == 200)
        #expect(try await fixture.send(.delete, "/fhir/Consent/c2", token: "p1").status == 204)
        try await fixture.close()
    }
}
