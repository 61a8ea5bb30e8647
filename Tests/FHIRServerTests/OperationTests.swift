import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Storage
import StorageTestSupport
import Testing

@testable import FHIRServer
@testable import RecordStorage

/// `$everything` and `$validate` (<https://hl7.org/fhir/R4/operations.html>).
@Suite(.timeLimit(.minutes(10)))
struct OperationTests {
    /// Returns a fixture with two patients, and resources of each, of both and of none.
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("p1", scopes: "patient/*.rs", patients: .only(["p1"]))
        try await fixture.addGrant(
            "observations", scopes: "patient/Patient.r patient/Observation.r", patients: .only(["p1"]))
        for id in ["p1", "p2"] { try await fixture.put(#"{"resourceType":"Patient","id":"\#(id)"}"#) }
        for id in ["a", "b", "c"] { try await fixture.put(observation(id)) }
        try await fixture.put(observation("other", subject: "p2"))
        try await fixture.put(#"{"resourceType":"Practitioner","id":"doc"}"#)
        try await fixture.put(#"{"resourceType":"Practitioner","id":"unnamed"}"#)
        try await fixture.put(
            #"{"resourceType":"Encounter","id":"e","status":"finished","class":{"code":"AMB"},"subject":{"reference":"Patient/p1"},"participant":[{"individual":{"reference":"Practitioner/doc"}}]}"#
        )
        try await fixture.put(
            #"{"resourceType":"Appointment","id":"both","status":"booked","participant":[{"actor":{"reference":"Patient/p1"},"status":"accepted"},{"actor":{"reference":"Patient/p2"},"status":"accepted"}]}"#
        )
        return fixture
    }

    private func ids(_ json: JSON) -> [String] {
        (json["entry"]?.array ?? []).compactMap { entry in
            entry["resource"].flatMap { resource in
                resource["resourceType"]?.string.flatMap { type in resource["id"]?.string.map { "\(type)/\($0)" } }
            }
        }
    }

    @Test func everythingHasThePatientsResourcesAndTheirSharedReferences() async throws {
        let fixture = try await fixture()
        let all = try await fixture.send(.get, "/fhir/Patient/p1/$everything")
        #expect(all.status == 200)
        #expect(
            ids(all.json) == [
                "Patient/p1", "Appointment/both", "Encounter/e", "Observation/a", "Observation/b", "Observation/c",
                "Practitioner/doc",
            ])
        let modes = (all.json["entry"]?.array ?? []).compactMap { $0["search"]?["mode"]?.string }
        #expect(modes == Array(repeating: "match", count: 6) + ["include"])
        try await fixture.close()
    }

    @Test func everythingIsLimitedToTheGrant() async throws {
        let fixture = try await fixture()
        let own = try await fixture.send(.get, "/fhir/Patient/p1/$everything", token: "p1")
        // A resource of two patients is not shown to the app of one of them.
        #expect(!ids(own.json).contains("Appointment/both"))
        #expect(ids(own.json).count == 6)
        let some = try await fixture.send(.get, "/fhir/Patient/p1/$everything", token: "observations")
        #expect(ids(some.json) == ["Patient/p1", "Observation/a", "Observation/b", "Observation/c"])
        for id in ["p2", "none"] {
            let answer = try await fixture.send(.get, "/fhir/Patient/\(id)/$everything", token: "p1")
            #expect(answer.status == 404 && code(answer.json) == "record-unknown")
        }
        #expect(try await fixture.send(.get, "/fhir/Observation/a/$everything").status == 404)
        try await fixture.close()
    }

    @Test func pagesHaveEachResourceOnce() async throws {
        let fixture = try await fixture()
        var found: [String] = []
        var path = "/fhir/Patient/p1/$everything?_count=2"
        for _ in 0..<10 {
            let page = try await fixture.send(.get, path)
            found += ids(page.json).filter { !$0.hasPrefix("Practitioner") }
            let next = page.json["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
            guard let next, let start = next.range(of: "/fhir/") else { break }
            path = String(next[start.lowerBound...])
        }
        #expect(
            found == [
                "Patient/p1", "Appointment/both", "Encounter/e", "Observation/a", "Observation/b", "Observation/c",
            ])
        try await fixture.close()
    }

    @Test func everythingIsNarrowedByTypeTimeAndChange() async throws {
        let fixture = try await fixture()
        try await fixture.put(observation("old", date: "2020-01-01"))
        func found(_ query: String) async throws -> [String] {
            ids(try await fixture.send(.get, "/fhir/Patient/p1/$everything?" + query).json)
        }
        #expect(try await found("_type=Observation,Encounter&end=2021") == ["Encounter/e", "Observation/old"])
        #expect(try await found("_type=Observation,Encounter,Practitioner&end=2021").last == "Practitioner/doc")
        #expect(try await found("_type=Observation&start=2026-03-01&end=2026-03-01").count == 3)
        #expect(try await found("_since=2100-01-01") == [])
        for wrong in ["_type=Nothing", "_since=x", "_cursor=x", "_cursor=Nothing.n1", "_count=x", "start=2026-13"] {
            #expect(try await fixture.send(.get, "/fhir/Patient/p1/$everything?" + wrong).status == 400, "\(wrong)")
        }
        try await fixture.close()
    }

    /// <https://hl7.org/fhir/R4/patient-operation-everything.html>: _type and _since apply to included resources too.
    @Test func includedResourcesAreFilteredByTypeAndTime() async throws {
        let fixture = try await fixture()
        func found(_ query: String) async throws -> [String] {
            ids(try await fixture.send(.get, "/fhir/Patient/p1/$everything?" + query).json)
        }
        #expect(try await found("_type=Observation") == ["Observation/a", "Observation/b", "Observation/c"])
        #expect(try await found("_type=Practitioner") == ["Practitioner/doc"])
        #expect(try await found("_type=Encounter&_type=Practitioner") == ["Encounter/e", "Practitioner/doc"])
        #expect(try await found("_type=Organization") == [])
        let before = DateTime(Date().addingTimeInterval(30)).text
        try await fixture.put(
            observation("later").replacingOccurrences(
                of: #""status""#, with: #""performer":[{"reference":"Practitioner/doc"}],"status""#),
            at: Date().addingTimeInterval(60), submission: "later")
        #expect(try await found("_since=" + before) == ["Observation/later"])
        try await fixture.put(
            #"{"resourceType":"Practitioner","id":"doc","active":true}"#, at: Date().addingTimeInterval(60),
            submission: "doc")
        #expect(try await found("_since=" + before) == ["Observation/later", "Practitioner/doc"])
        try await fixture.close()
    }

    /// The care dates of types whose date element has another name, or several.
    @Test func everythingIsFilteredByCareDate() async throws {
        let fixture = try await fixture()
        for (id, year) in [("then", 2010), ("now", 2020)] {
            for (type, time) in [
                ("MedicationRequest", #""authoredOn":"\#(year)-05-01""#),
                ("MedicationStatement", #""effectivePeriod":{"start":"\#(year)-05-01","end":"\#(year)-06-01"}"#),
                ("MedicationAdministration", #""effectiveDateTime":"\#(year)-05-01""#),
                ("Condition", #""onsetDateTime":"\#(year)-05-01","recordedDate":"\#(year)-05-02""#),
                ("Procedure", #""performedDateTime":"\#(year)-05-01""#),
                ("ServiceRequest", #""authoredOn":"\#(year)-05-01""#),
            ] {
                try await fixture.put(
                    #"{"resourceType":"\#(type)","id":"\#(id)-\#(type.lowercased())","subject":{"reference":"Patient/p2"},\#(time)}"#
                )
            }
        }
        // A period from before the range to after it overlaps the range.
        try await fixture.put(
            #"{"resourceType":"Condition","id":"long","subject":{"reference":"Patient/p2"},"onsetDateTime":"2010","abatementDateTime":"2022"}"#
        )
        try await fixture.put(#"{"resourceType":"Condition","id":"untold","subject":{"reference":"Patient/p2"}}"#)
        // The date of a finding is not a date of care.
        try await fixture.put(
            observation("date", subject: "p2", date: "2020-05-01").replacingOccurrences(
                of: #""valueQuantity":{"value":72.00,"unit":"/min"}"#, with: #""valueDateTime":"2009-01-01""#))
        func found(_ query: String) async throws -> Set<String> {
            Set(
                ids(try await fixture.send(.get, "/fhir/Patient/p2/$everything?" + query).json)
                    .map { String($0.split(separator: "/")[1]) })
        }
        let now = try await found("start=2020-01-01&end=2020-12-31")
        #expect(now.filter { $0.hasPrefix("now-") }.count == 6 && !now.contains { $0.hasPrefix("then-") }, "\(now)")
        #expect(now.isSuperset(of: ["p2", "long", "untold", "date"]))
        #expect(try await !found("end=2010-12-31").contains("date"))
        let then = try await found("end=2010-12-31")
        #expect(then.filter { $0.hasPrefix("then-") }.count == 6 && !then.contains { $0.hasPrefix("now-") })
        #expect(try await found("start=2023").isDisjoint(with: ["long", "now-condition"]))
        try await fixture.close()
    }

    /// A reference with this server's base URL is included; one to another server is not.
    @Test func targetsOfReferencesWithTheOwnBaseURLAreIncluded() async throws {
        let fixture = try await fixture()
        let base = try #require(
            try await fixture.get("/fhir/Practitioner").1["link"]?[0]?["url"]?.string?.replacingOccurrences(
                of: "/Practitioner", with: ""))
        try await fixture.put(#"{"resourceType":"Organization","id":"own"}"#)
        try await fixture.put(#"{"resourceType":"Organization","id":"far"}"#)
        try await fixture.put(#"{"resourceType":"Binary","id":"note","contentType":"text/plain","data":"AAAA"}"#)
        try await fixture.put(#"{"resourceType":"Binary","id":"scan","contentType":"text/plain","data":"AAAA"}"#)
        try await fixture.put(
            #"{"resourceType":"DocumentReference","id":"d","status":"current","subject":{"reference":"Patient/p1"},"#
                + #""custodian":{"reference":"\#(base)/Organization/own"},"author":[{"reference":"http://far.example/fhir/Organization/far"}],"#
                + #""content":[{"attachment":{"url":"Binary/note"}},{"attachment":{"url":"\#(base)/Binary/scan"}}]}"#)
        let found = ids(try await fixture.send(.get, "/fhir/Patient/p1/$everything?_type=Organization,Binary").json)
        #expect(found == ["Binary/note", "Binary/scan", "Organization/own"])
        // A Binary without an owner is shown only to callers with access to all patients.
        let own = ids(try await fixture.send(.get, "/fhir/Patient/p1/$everything", token: "p1").json)
        #expect(own.contains("Organization/own") && !own.contains("Binary/note"))
        try await fixture.close()
    }

    /// <https://hl7.org/fhir/R4/operations.html#executing>
    @Test func everythingSupportsPOSTLikeGET() async throws {
        let fixture = try await fixture()
        func post(_ body: String?, _ query: String = "", headers: HTTPFields = [.contentType: "application/fhir+json"])
            async throws -> (status: Int, json: JSON, headers: HTTPFields)
        {
            try await fixture.send(.post, "/fhir/Patient/p1/$everything" + query, body: body, headers: headers)
        }
        let all = ids(try await fixture.send(.get, "/fhir/Patient/p1/$everything").json)
        #expect(ids(try await post(#"{"resourceType":"Parameters"}"#).json) == all)
        #expect(ids(try await post(nil, headers: [:]).json) == all)
        let narrowed =
            #"{"resourceType":"Parameters","parameter":["#
            + #"{"name":"_type","valueCode":"Observation"},{"name":"_count","valueInteger":2},"#
            + #"{"name":"start","valueDate":"2026-01-01"},{"name":"_since","valueInstant":"2020-01-01T00:00:00+02:00"}]}"#
        let page = try await post(narrowed)
        #expect(page.status == 200 && ids(page.json) == ["Observation/a", "Observation/b"])
        let next = try #require(page.json["link"]?[1]?["url"]?.string)
        let rest = try await fixture.send(.get, String(next[try #require(next.range(of: "/fhir/")).lowerBound...]))
        #expect(ids(rest.json) == ["Observation/c"])
        #expect(ids(try await post(#"{"resourceType":"Parameters"}"#, "?_type=Encounter").json) == ["Encounter/e"])
        let xml =
            #"<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="_type"/><valueCode value="Encounter"/></parameter></Parameters>"#
        #expect(ids(try await post(xml, headers: [.contentType: "application/fhir+xml"]).json) == ["Encounter/e"])
        for (body, status) in [
            (#"{"resourceType":"Patient"}"#, 400), ("{", 400),
            (#"{"resourceType":"Parameters","parameter":[{"name":"_type"}]}"#, 400),
            (#"{"resourceType":"Parameters","parameter":[{"name":"_type","valueCode":"Nothing"}]}"#, 400),
        ] {
            #expect(try await post(body).status == status, "\(body)")
        }
        #expect(try await post("x", headers: [.contentType: "text/plain"]).status == 415)
        let other = try await fixture.send(.post, "/fhir/Patient/p2/$everything", token: "p1")
        #expect(other.status == 404)
        #expect(try await fixture.send(.post, "/fhir/Observation/a/$everything").status == 404)
        try await fixture.close()
    }

    @Test func everythingIsFoundByIndexes() async throws {
        let fixture = try await fixture()
        try await fixture.database.write { transaction in
            for number in 1_000..<1_400 {
                try transaction.execute(
                    "INSERT INTO record (number, type, id, version, subject, updated_ms) VALUES (?, ?, ?, 1, ?, 0)",
                    [SQLValue(number), "Observation", SQLValue("o\(number)"), SQLValue("s\(number % 40)")])
            }
        }
        for (sql, index) in [
            (RecordsService.ownSQL("r.type = ? AND r.deleted = 0 AND r.number > ?"), "record_by_subject"),
            (RecordsService.amongSQL("r.type = ? AND r.deleted = 0 AND r.number > ?"), "record_protection_by_value"),
        ] {
            let plan = try await fixture.database.write {
                // PostgreSQL plans with its statistics of the rows.
                if $0.dialect == .postgresql { try $0.execute("ANALYZE record") }
                return try QueryPlan(sql, ["Observation", 0, "p1", 10], in: $0)
            }
            #expect(plan.uses(index: index) && !plan.readsAll, "\(plan)")
        }
        try await fixture.close()
    }

    @Test func aResourceIsValidatedAndNothingIsStored() async throws {
        var fixture = try await fixture()
        fixture.admission = RefusingAdmission()
        let rows = try await fixture.rows
        let good = try await fixture.send(.post, "/fhir/Observation/$validate", body: observation("x"))
        #expect(good.status == 200 && good.json["issue"]?[0]?["severity"] == "information")
        let parameters =
            #"{"resourceType":"Parameters","parameter":[{"name":"resource","resource":\#(observation("x"))}]}"#
        #expect(
            code(try await fixture.send(.post, "/fhir/Observation/a/$validate", body: parameters).json) == "valid")
        let bad = try await fixture.send(.post, "/fhir/Observation/$validate", body: observation("refused"))
        #expect(bad.status == 200 && code(bad.json) == "rule-broken")
        #expect(bad.json["issue"]?[0]?["severity"] == "error")
        #expect(
            code(try await fixture.send(.post, "/fhir/Patient/$validate", body: observation("x")).json)
                == "type-mismatch")
        #expect(try await fixture.send(.post, "/fhir/Observation/$validate", body: "{").status == 400)
        #expect(
            try await fixture.send(.post, "/fhir/Encounter/$validate", body: "{}", token: "observations").status
                == 400)
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }
}

/// An admission that refuses only resources with a certain name.
private struct RefusingAdmission: RecordAdmission, WriteAdmission {
    func begin(at: Date) async -> any WriteAdmission { self }

    func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource {
        guard id != "refused" else {
            throw RecordAdmissionError(.rule, code: "rule-broken", message: "It breaks a rule.")
        }
        return AdmittedResource(resource)
    }

    func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws {}

    func dataAdmission(of participant: String, in transaction: any SQLTransaction) throws -> DataAdmission { .admitted }

    func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws {}
}
