import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Storage
import StorageTestSupport
import Testing

@testable import Records

/// `$everything` and `$validate` (<https://hl7.org/fhir/R4/operations.html>).
@Suite(.timeLimit(.minutes(10)))
struct OperationTests {
    /// Two patients, what belongs to each, to both and to nobody.
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("p1", "patient/*.rs", .only(["p1"]))
        try await fixture.addGrant("observations", "patient/Patient.r patient/Observation.r", .only(["p1"]))
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

    @Test func everythingIsWhatIsAboutThePatientAndWhatThatSharesWithOthers() async throws {
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

    @Test func whatTheGrantDoesNotShowIsNotThere() async throws {
        let fixture = try await fixture()
        let own = try await fixture.send(.get, "/fhir/Patient/p1/$everything", token: "p1")
        // What is another patient's too is not shown to this one's app.
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
        #expect(
            try await found("_type=Observation,Encounter&end=2021") == [
                "Encounter/e", "Observation/old", "Practitioner/doc",
            ])
        #expect(try await found("_type=Observation&start=2026-03-01&end=2026-03-01").count == 3)
        #expect(try await found("_since=2100-01-01") == [])
        for wrong in ["_type=Nothing", "_since=x", "_cursor=x", "_cursor=Nothing.n1", "_count=x", "start=2026-13"] {
            #expect(try await fixture.send(.get, "/fhir/Patient/p1/$everything?" + wrong).status == 400, "\(wrong)")
        }
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
                // PostgreSQL plans by what it knows of the rows.
                if $0.dialect == .postgresql { try $0.execute("ANALYZE record") }
                return try QueryPlan(sql, ["Observation", 0, "p1", 10], in: $0)
            }
            #expect(plan.goes(by: index) && !plan.readsAll, "\(plan)")
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

/// A house that takes all but resources that are named so.
private struct RefusingAdmission: RecordAdmission, WriteAdmission {
    func begin(at: Date) async -> any WriteAdmission { self }

    func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource {
        guard id != "refused" else { throw RecordAdmissionError(.rule, "rule-broken", "It breaks a rule.") }
        return AdmittedResource(resource)
    }

    func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws {}

    func standing(of participant: String, in transaction: any SQLTransaction) throws -> DataStanding { .admitted }

    func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws {}
}
