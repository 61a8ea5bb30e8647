import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Storage
import Testing

@testable import BulkExport

/// A Patient of another server is another person, for any id.
@Suite struct ForeignPatientTests {
    private static let far = "http://elsewhere.example/fhir/Patient/p1"

    private func observation(_ id: String, of subject: String, _ more: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"c"},"subject":{"reference":"\#(subject)"}\#(more)}"#
    }

    /// Returns a server with a patient, their observation, and one of another server's patient with the same id; and
    /// the base URL.
    private func filled() async throws -> (fixture: RecordsFixture, base: String) {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("app", scopes: "patient/*.cruds", patients: .only(["p1"]))
        try await fixture.addGrant(
            "filtered", scopes: "patient/Observation.rs?subject=Patient/p1", patients: .only(["p1"]))
        #expect(
            try await fixture.send(
                .put, "/fhir/Patient/p1", body: #"{"resourceType":"Patient","id":"p1","name":[{"family":"Grey"}]}"#
            ).status == 201)
        let base = try #require(
            try await fixture.get("/fhir/Group").1["link"]?[0]?["url"]?.string?.replacingOccurrences(
                of: "/Group", with: ""))
        for (id, subject) in [
            ("own", "Patient/p1"), ("absolute", base + "/Patient/p1"), ("version", base + "/Patient/p1/_history/1"),
            ("far", Self.far), ("farther", "https://elsewhere.example/fhir/Patient/p1/_history/2"),
        ] {
            let put = try await fixture.send(.put, "/fhir/Observation/\(id)", body: observation(id, of: subject))
            #expect(put.status == 201, "\(id)")
        }
        return (fixture, base)
    }

    private func ids(_ path: String, _ token: String = "writer", in fixture: RecordsFixture) async throws -> [String] {
        let answer = try await fixture.send(.get, "/fhir/" + path, token: token)
        #expect(answer.status == 200, "\(path)")
        return (answer.json["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
    }

    @Test func foreignReferenceIsFoundOnlyByItsOwnURL() async throws {
        let (fixture, base) = try await filled()
        let ours = ["own", "absolute", "version"]
        for text in ["Patient/p1", "p1", base + "/Patient/p1"] {
            for parameter in ["subject", "patient"] {
                #expect(try await ids("Observation?\(parameter)=\(text)", in: fixture) == ours, "\(parameter)=\(text)")
            }
        }
        #expect(try await ids("Observation?subject:Patient=p1", in: fixture) == ours)
        #expect(try await ids("Observation?subject=\(Self.far)", in: fixture) == ["far"])
        #expect(
            try await ids("Observation?subject=https://elsewhere.example/fhir/Patient/p1", in: fixture) == ["farther"])
        #expect(try await ids("Observation?subject=http://nowhere.example/fhir/Patient/p1", in: fixture) == [])
        #expect(try await ids("Patient/p1/Observation", in: fixture) == ours)
        // Neither by chains nor by includes.
        #expect(try await ids("Observation?subject:Patient.family=Grey", in: fixture) == ours)
        #expect(try await ids("Observation?patient.family=Grey", in: fixture) == ours)
        #expect(try await ids("Patient?_has:Observation:subject:_id=far", in: fixture) == [])
        #expect(try await ids("Patient?_has:Observation:subject:_id=absolute", in: fixture) == ["p1"])
        #expect(try await ids("Observation?_id=far&_include=Observation:subject", in: fixture) == ["far"])
        #expect(
            try await ids("Observation?_id=absolute&_include=Observation:subject", in: fixture) == ["absolute", "p1"])
        #expect(try await ids("Patient?_id=p1&_revinclude=Observation:subject", in: fixture) == ["p1"] + ours)
        #expect(try await ids("Patient/p1/$everything", in: fixture) == ["p1"] + ours)
        // The stored resource is unchanged.
        let read = try await fixture.get("/fhir/Observation/absolute").1
        #expect(read["subject"]?["reference"]?.string == base + "/Patient/p1")
        try await fixture.close()
    }

    @Test func foreignRecordIsHiddenFromThePatientsApp() async throws {
        let (fixture, _) = try await filled()
        #expect(try await ids("Observation", "app", in: fixture) == ["own", "absolute", "version"])
        for (id, status) in [("own", 200), ("absolute", 200), ("version", 200), ("far", 404), ("farther", 404)] {
            for path in ["Observation/\(id)", "Observation/\(id)/_history", "Observation/\(id)/_history/1"] {
                #expect(try await fixture.send(.get, "/fhir/" + path, token: "app").status == status, "\(path)")
            }
        }
        let history = try await fixture.send(.get, "/fhir/Observation/_history", token: "app").json
        #expect(history["entry"]?.array?.count == 3)
        // The app cannot write it either.
        let written = try await fixture.send(
            .post, "/fhir/Observation", body: observation("x", of: Self.far), token: "app")
        #expect(written.status == 403)
        // The deletion of a hidden record is answered like that of a missing one, and has no effect.
        #expect(try await fixture.send(.delete, "/fhir/Observation/far", token: "app").status == 204)
        #expect(try await fixture.get("/fhir/Observation/far").0 == 200)
        // A record of both patients is not shown to the app of one of them.
        let both = observation("both", of: "Patient/p1", #","performer":[{"reference":"\#(Self.far)"}]"#)
        #expect(try await fixture.send(.put, "/fhir/Observation/both", body: both).status == 201)
        #expect(try await fixture.send(.get, "/fhir/Observation/both", token: "app").status == 404)
        #expect(try await !ids("Observation", "app", in: fixture).contains("both"))
        try await fixture.close()
    }

    /// An app can change the subject of a patient's record to another server's patient, which hides the record from the
    /// patient's app.
    @Test func recordMovedToAForeignPatientIsHiddenWithItsHistory() async throws {
        let (fixture, _) = try await filled()
        _ = try await fixture.send(.put, "/fhir/Observation/own", body: observation("own", of: Self.far))
        for path in ["Observation/own", "Observation/own/_history", "Observation/own/_history/1"] {
            #expect(try await fixture.send(.get, "/fhir/" + path, token: "app").status == 404, "\(path)")
        }
        _ = try await fixture.send(.put, "/fhir/Observation/own", body: observation("own", of: "Patient/p1"))
        #expect(try await fixture.send(.get, "/fhir/Observation/own/_history/1", token: "app").status == 200)
        #expect(try await fixture.send(.get, "/fhir/Observation/own/_history/2", token: "app").status == 404)
        try await fixture.close()
    }

    /// All records about the patient are deleted, with any form of reference; those of another server's patient stay.
    @Test func deletionOfAParticipantDeletesTheirRecords() async throws {
        let (fixture, _) = try await filled()
        let store = fixture.store
        _ = try await fixture.database.write { try store.delete(about: "p1", keeping: [], in: $0) }
        #expect(try await ids("Observation", in: fixture) == ["far", "farther"])
        let subjects = try await fixture.database.read { try store.subjects(in: $0) }
        #expect(subjects == [])
        try await fixture.close()
    }

    /// An export of all patients contains only those of this server.
    @Test func foreignRecordIsNotInExportsOfPatients() async throws {
        let (fixture, _) = try await filled()
        let counts = try await fixture.database.read { transaction in
            try [ExportedPatients.everything, .anyPatient, .among(["p1"])].map { patients in
                let condition = patients.condition(in: transaction.dialect)
                return try transaction.first(
                    "SELECT count(*) AS total FROM record r WHERE r.type = 'Observation' AND " + condition.sql,
                    condition.parameters)?.integer("total")
            }
        }
        #expect(counts == [5, 3, 3])
        try await fixture.close()
    }

    @Test func conditionOfAWriteRecognisesAbsoluteAddresses() async throws {
        let (fixture, base) = try await filled()
        let found = try await fixture.send(
            .put, "/fhir/Observation?subject=\(base)/Patient/p1&_id=own",
            body: observation("own", of: "Patient/p1", #","issued":"2026-01-01T00:00:00Z""#))
        #expect(found.status == 200)
        try await fixture.close()
    }
}
