import AccessPolicy
import FHIR
import Foundation
import HTTPTypes
import Testing

@testable import FHIRServer

/// Attacks on writes: a caller with access to one patient reads and changes nothing of another.
@Suite struct WriteAttackTests {
    /// Returns p1's app, and records of p2 that it must not see.
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("p1", scopes: "patient/*.cruds", patients: .only(["p1"]))
        try await fixture.put(observation("own"))
        try await fixture.put(observation("other", subject: "p2"))
        return fixture
    }

    private func hidden(_ id: String) -> [(HTTPRequest.Method, String, String?)] {
        [
            (.get, "/fhir/Observation/\(id)", nil), (.get, "/fhir/Observation/\(id)/_history", nil),
            (.get, "/fhir/Observation/\(id)/_history/1", nil), (.delete, "/fhir/Observation/\(id)", nil),
            (.patch, "/fhir/Observation/\(id)", #"{"status":"amended"}"#),
        ]
    }

    @Test func f01_foreignRecordLooksLikeAMissingOne() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        for ((method, path, body), (_, free, _)) in zip(hidden("other"), hidden("none0")) {
            let json: HTTPFields = [.contentType: "application/json"]
            let refused = try await fixture.send(method, path, body: body, token: "p1", headers: json)
            let unknown = try await fixture.send(method, free, body: body, token: "p1", headers: json)
            let expected = method == .delete ? 204 : 404
            #expect(refused.status == expected && unknown.status == expected, "\(method) \(path)")
            #expect(refused.json == unknown.json && refused.headers[.eTag] == unknown.headers[.eTag])
        }
        #expect(
            try await fixture.send(.put, "/fhir/Observation/other", body: observation("other"), token: "p1").status
                == 404)
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    @Test func f02_writtenRecordsBelongToPatientsOfTheGrant() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        for (method, path, body, expected) in [
            (HTTPRequest.Method.post, "/fhir/Observation", observation("x", subject: "p2"), "other-patient"),
            (.put, "/fhir/Observation/own", observation("own", subject: "p2"), "other-patient"),
            (.put, "/fhir/Observation/own", #"{"resourceType":"Observation","id":"own"}"#, "patient-missing"),
            (.put, "/fhir/Patient/p2", #"{"resourceType":"Patient","id":"p2"}"#, "other-patient"),
            (.post, "/fhir/Patient", #"{"resourceType":"Patient","id":"p1"}"#, "other-patient"),
            (.put, "/fhir/Practitioner/x", #"{"resourceType":"Practitioner","id":"x"}"#, "shared-record"),
        ] {
            let answer = try await fixture.send(method, path, body: body, token: "p1")
            #expect(answer.status == 403 && code(answer.json) == expected, "\(path) \(answer.json)")
        }
        let moved = try await fixture.send(
            .patch, "/fhir/Observation/own", body: #"{"subject":{"reference":"Patient/p2"}}"#, token: "p1",
            headers: [.contentType: "application/json"])
        #expect(moved.status == 403)
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    @Test func f04_everyEntryIsDecidedByItself() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        for (method, url, body) in [
            ("PUT", "Observation/other", observation("other")),
            ("POST", "Observation", observation("x", subject: "p2")),
        ] {
            let resource = body == "null" ? "" : #","resource":\#(body)"#
            let entry = #"{"request":{"method":"\#(method)","url":"\#(url)"}\#(resource)}"#
            let own =
                #"{"request":{"method":"PUT","url":"Observation/own"},"resource":\#(observation("own", code: "y"))}"#
            let body = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(own),\#(entry)]}"#
            let answer = try await fixture.send(.post, "/fhir", body: body, token: "p1")
            #expect([403, 404].contains(answer.status), "\(method)")
            #expect(try await fixture.rows == rows)
            let batch = body.replacingOccurrences(of: "transaction", with: "batch")
                .replacingOccurrences(of: #""y""#, with: #""8867-4""#)
            let entries = try await fixture.send(.post, "/fhir", body: batch, token: "p1").json["entry"]?.array ?? []
            #expect(["403", "404"].contains(entries.last?["response"]?["status"]?.string?.prefix(3)))
        }
        // The deletion of a hidden record has the same response as that of a missing one, and no effect.
        let deletion =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Observation/other"}}]}"#
        let deleted = try await fixture.send(.post, "/fhir", body: deletion, token: "p1")
        #expect(deleted.json["entry"]?[0]?["response"] == ["status": "204 No Content"])
        #expect(try await fixture.rows == rows)
        let reference = observation("x").replacingOccurrences(
            of: "Patient/p1", with: "Observation?code=8867-4&subject=p2")
        let probe =
            #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"POST","url":"Observation"},"resource":\#(reference)}]}"#
        #expect(code(try await fixture.send(.post, "/fhir", body: probe, token: "p1").json) == "reference-unresolved")
        try await fixture.close()
    }

    @Test func f05_labelsAreNotLowered() async throws {
        var fixture = try await fixture()
        try await fixture.addGrant("writer-r", scopes: "user/*.cruds conf/R")
        func labelled(_ code: String, _ id: String = "l") -> String {
            observation(id).replacingOccurrences(
                of: #""status""#,
                with:
                    #""meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"\#(code)"}]},"status""#
            )
        }
        #expect(
            try await fixture.send(.put, "/fhir/Observation/l", body: labelled("R"), token: "writer-r").status == 201)
        for (method, body) in [
            (HTTPRequest.Method.put, labelled("N")), (.put, observation("l")), (.patch, #"{"meta":null}"#),
        ] {
            let answer = try await fixture.send(
                method, "/fhir/Observation/l", body: body, token: "writer-r",
                headers: [.contentType: "application/json"])
            #expect(answer.status == 403 && code(answer.json) == "labels-lowered", "\(answer.json)")
        }
        #expect(
            code(try await fixture.send(.post, "/fhir/Observation", body: labelled("U"), token: "writer-r").json)
                == "labels-lowered")
        #expect(
            try await fixture.send(.put, "/fhir/Observation/l", body: labelled("V"), token: "writer-r").status == 200)
        #expect(try await fixture.send(.put, "/fhir/Observation/l", body: labelled("N")).status == 200)
        try await fixture.close()
    }

    @Test func callerWithoutReadPermissionDoesNotSeeTheWrittenResource() async throws {
        var fixture = try await fixture()
        try await fixture.addGrant("changer", scopes: "user/*.cu")
        let patch = #"{"status":"amended"}"#
        for method in ["Observation/own", "batch"] {
            let bundle =
                #"{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"PUT","url":"Observation/own"},"resource":\#(observation("own"))}]}"#
            let answer =
                method == "batch"
                ? try await fixture.send(.post, "/fhir", body: bundle, token: "changer")
                : try await fixture.send(
                    .patch, "/fhir/Observation/own", body: patch, token: "changer",
                    headers: [.contentType: "application/json"])
            // The result of a patch depends on the existing content.
            #expect(answer.status == (method == "batch" ? 200 : 403))
            #expect(!"\(answer.json)".contains("8867-4"), "\(method)")
        }
        let own = try await fixture.send(
            .patch, "/fhir/Observation/own", body: patch, headers: [.contentType: "application/json"])
        #expect(own.json["status"]?.string == "amended")
        try await fixture.close()
    }

    @Test func f07_conditionsMatchOnlyRecordsOfTheGrant() async throws {
        let fixture = try await fixture()
        // Another patient's record has the identifier: for p1's app it does not exist.
        let condition: HTTPFields = [.ifNoneExist: "identifier=urn:x%7Cother%5C%7Cv"]
        let made = try await fixture.send(
            .post, "/fhir/Observation", body: observation("x"), token: "p1", headers: condition)
        #expect(made.status == 201)
        let address = "/fhir/Observation?identifier=urn:x%7Cother%5C%7Cv"
        #expect(try await fixture.send(.delete, address, token: "p1").status == 204)
        #expect(try await fixture.send(.get, "/fhir/Observation/other").status == 200)
        // A wrong version does not reveal it either.
        for version in ["1", "7"] {
            let answer = try await fixture.send(
                .put, "/fhir/Observation/other", body: observation("other"), token: "p1",
                headers: [.ifMatch: "W/\"\(version)\""])
            #expect(answer.status == 404)
        }
        try await fixture.close()
    }

    @Test func f08_auditCannotBeWritten() async throws {
        let fixture = try await fixture()
        for (method, path) in [
            (HTTPRequest.Method.post, "/fhir/AuditEvent"), (.put, "/fhir/AuditEvent/a"),
            (.delete, "/fhir/AuditEvent/a"),
            (.patch, "/fhir/AuditEvent/a"),
        ] {
            let answer = try await fixture.send(
                method, path, body: #"{"resourceType":"AuditEvent","id":"a"}"#,
                headers: [.contentType: "application/json"])
            #expect(answer.status == 403 && code(answer.json) == "audit-immutable", "\(method)")
        }
        try await fixture.close()
    }
}

/// Requests of hostile or careless clients, each found by reading the code from their point of view.
@Suite(.timeLimit(.minutes(10)))
struct WriteRobustnessTests {
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.put(observation("own"))
        return fixture
    }

    private let asJSON: HTTPFields = [.contentType: "application/json"]

    @Test func patchCannotExceedTheJSONDepth() async throws {
        let fixture = try await fixture()
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"n":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        }
        let twice =
            #"[{"op":"add","path":"/a","value":\#(nested(120))},{"op":"add","path":"/b","value":\#(nested(120))},"#
            + #"{"op":"move","from":"/a","path":"/b\#(String(repeating: "/n", count: 119))"}]"#
        let answer = try await fixture.send(.patch, "/fhir/Observation/own", body: twice, headers: asJSON)
        #expect(answer.status == 422 && code(answer.json) == "too-costly", "\(answer.json)")
        // A value of the maximum depth can be read again.
        let deep = try await fixture.send(
            .patch, "/fhir/Observation/own", body: #"[{"op":"add","path":"/a","value":\#(nested(180))}]"#,
            headers: asJSON)
        #expect(deep.status == 200)
        #expect(try await fixture.send(.get, "/fhir/Observation").status == 200)
        try await fixture.close()
    }

    @Test(arguments: [
        "patient=p1&code=", "identifier=,&patient=p1", "_id=own&subject=,,", "code=",
    ])
    func emptyCriterionIsNotACondition(criteria: String) async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        for (method, body) in [(HTTPRequest.Method.delete, ""), (.put, observation("own", code: "x"))] {
            let answer = try await fixture.send(
                method, "/fhir/Observation?" + criteria, body: body.isEmpty ? nil : body)
            #expect(answer.status == 400 && code(answer.json) == "criteria-missing", "\(answer.json)")
        }
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    @Test func onlyReferencesAreRewritten() async throws {
        let fixture = try await fixture()
        let person =
            #"{"fullUrl":"urn:uuid:A","request":{"method":"POST","url":"Patient"},"resource":{"resourceType":"Patient","identifier":[{"system":"urn:ietf:rfc:3986","value":"urn:uuid:A"}]}}"#
        let pulse = observation("x").replacingOccurrences(of: "Patient/p1", with: "urn:uuid:A")
        let second = #"{"request":{"method":"POST","url":"Observation"},"resource":\#(pulse)}"#
        func bundle(_ entries: String) -> String {
            #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries)]}"#
        }
        let answer = try await fixture.send(.post, "/fhir", body: bundle(person + "," + second))
        #expect(answer.status == 200)
        let found = try await fixture.send(.get, "/fhir/Patient?identifier=urn:uuid:A")
        #expect(found.json["total"] == 1)
        let id = found.json["entry"]?[0]?["resource"]?["id"]?.string ?? ""
        #expect(try await fixture.ids("/fhir/Observation?subject=\(id)").count == 1)
        // Two entries with one fullUrl: the subject of the pulse is ambiguous.
        let twice = try await fixture.send(.post, "/fhir", body: bundle(person + "," + person + "," + second))
        #expect(twice.status == 400 && code(twice.json) == "full-url-twice")
        try await fixture.close()
    }

    @Test func conditionalCreateIsNotDuplicatedWithinABundle() async throws {
        let fixture = try await fixture()
        func entry(_ url: String, _ condition: String = "") -> String {
            #"{"request":{"method":"POST","url":"\#(url)"\#(condition)},"resource":{"resourceType":"Patient","identifier":[{"system":"s","value":"1"}]}}"#
        }
        let conditional = entry("Patient", #","ifNoneExist":"identifier=s|1""#)
        func bundle(_ entries: String) -> String {
            #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries)]}"#
        }
        let both = try await fixture.send(.post, "/fhir", body: bundle(conditional + "," + conditional))
        #expect(both.status == 400 && code(both.json) == "resource-named-twice")
        for _ in 0..<2 {
            let answer = try await fixture.send(.post, "/fhir", body: bundle(entry("Patient?identifier=s%7C1")))
            #expect(answer.status == 200)
        }
        #expect(try await fixture.send(.get, "/fhir/Patient?identifier=s%7C1").json["total"] == 1)
        try await fixture.close()
    }

    @Test func conditionalUpdateDoesNotReplaceAnUnmatchedRecord() async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .put, "/fhir/Observation?identifier=none", body: observation("own", code: "x"))
        #expect(answer.status == 409 && code(answer.json) == "id-taken")
        #expect(try await fixture.get("/fhir/Observation/own").1["meta"]?["versionId"] == "1")
        try await fixture.close()
    }

    @Test func successfulWriteIsReportedInEitherFormat() async throws {
        let fixture = try await fixture()
        var headers: HTTPFields = [.contentType: "application/fhir+json"]
        headers[.accept] = "application/fhir+xml"
        let body = observation("x").replacingOccurrences(of: "\"/min\"", with: "\"\\u0001\"")
        let answer = try await fixture.send(.put, "/fhir/Observation/x", body: body, headers: headers)
        #expect(answer.status == 201 && answer.json["id"] == "x")
        try await fixture.close()
    }

    @Test func readsOfABundleAreLimited() async throws {
        let fixture = try await fixture()
        for number in 0..<30 { try await fixture.put(observation("o\(number)")) }
        let entry = #"{"request":{"method":"GET","url":"Observation?_count=50"}}"#
        let body =
            #"{"resourceType":"Bundle","type":"batch","entry":[\#(Array(repeating: entry, count: 50).joined(separator: ","))]}"#
        let entries = try await fixture.send(.post, "/fhir", body: body).json["entry"]?.array ?? []
        let statuses = entries.compactMap { $0["response"]?["status"]?.string?.prefix(3) }
        #expect(statuses.filter { $0 == "200" }.count == 33 && statuses.filter { $0 == "400" }.count == 17)
        try await fixture.close()
    }

    @Test func valuesOfASearchAreLimited() async throws {
        let fixture = try await fixture()
        let many = Array(repeating: "a", count: 501).joined(separator: ",")
        let answer = try await fixture.send(.get, "/fhir/Observation?_id=" + many)
        #expect(answer.status == 400 && code(answer.json) == "too-costly")
        #expect(try await fixture.send(.get, "/fhir/Observation?_id=" + many.dropLast(2)).status == 200)
        try await fixture.close()
    }
}
