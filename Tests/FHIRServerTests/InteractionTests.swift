import AccessPolicy
import Core
import FHIR
import Foundation
import HTTPTypes
import Storage
import Synchronization
import Testing

@testable import FHIRServer

/// Writing interactions: create, update, patch, delete, each also conditional.
@Suite struct InteractionTests {
    private static let fhirPathPatch = """
        {"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},\
        {"name":"path","valueString":"Observation.status"},{"name":"value","valueCode":"amended"}]}]}
        """

    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        return fixture
    }

    /// An existing record with the generated id stays unchanged.
    @Test func existingIDIsReplacedByANewOne() async throws {
        let fixture = try await fixture()
        let taken = UUID.random()
        let id = taken.lowercaseText
        _ = try await fixture.send(.put, "/fhir/Basic/\(id)", body: #"{"resourceType":"Basic","id":"\#(id)"}"#)
        let made = Mutex(0)
        let service = RecordsService(
            database: fixture.database, access: fixture.access,
            newID: {
                made.withLock {
                    $0 += 1
                    return $0 == 1 ? taken : .random()
                }
            },
            clock: { Date() })
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .all, scopes: AccessScopes("user/*.cruds conf/V sens/*"))
        let outcome = try await service.write(
            WriteRequest(
                type: "Basic", destination: .new, change: .create(try Resource(Data(#"{"resourceType":"Basic"}"#.utf8)))
            ),
            by: grant)
        #expect(outcome.kind == .created && outcome.id != id)
        #expect(made.withLock { $0 } > 2)
        let old = try await fixture.send(.get, "/fhir/Basic/\(id)")
        #expect(old.json["meta"]?["versionId"] == "1")
        #expect(try await fixture.send(.get, "/fhir/Basic/\(outcome.id)").status == 200)
        try await fixture.close()
    }

    @Test(arguments: ["Practitioner", "MolecularSequence", "Binary", "List"])
    func everyTypeIsStoredAndRead(type: String) async throws {
        let fixture = try await fixture()
        let made = try await fixture.send(.post, "/fhir/\(type)", body: #"{"resourceType":"\#(type)","language":"de"}"#)
        #expect(made.status == 201)
        let id = try #require(made.json["id"]?.string)
        let read = try await fixture.send(
            .get, "/fhir/\(type)/\(id)", headers: [.accept: "application/fhir+json"])
        #expect(read.status == 200 && read.json["language"] == "de")
        try await fixture.close()
    }

    @Test func createdResourceHasAnIDOfTheServerAndALocation() async throws {
        let fixture = try await fixture()
        let sent = observation("mine").replacingOccurrences(
            of: #""status""#,
            with: #""meta":{"versionId":"9","lastUpdated":"2000-01-01T00:00:00Z","tag":[{"code":"t"}]},"status""#)
        let made = try await fixture.send(.post, "/fhir/Observation", body: sent)
        #expect(made.status == 201)
        let id = try #require(made.json["id"]?.string)
        #expect(id != "mine" && Resource.isID(id))
        #expect(made.headers[.location] == "http://localhost/fhir/Observation/\(id)/_history/1")
        #expect(made.headers[.eTag] == "W/\"1\"" && made.headers[.lastModified] != nil)
        #expect(made.json["meta"]?["versionId"] == "1" && made.json["meta"]?["tag"]?[0]?["code"] == "t")
        #expect(made.json["meta"]?["lastUpdated"]?.string?.hasPrefix("2000") == false)
        // Digits survive.
        #expect(String(decoding: made.json.bytes(), as: UTF8.self).contains("72.00"))
        #expect(try await fixture.ids("/fhir/Observation?code=8867-4") == [id])
        try await fixture.close()
    }

    @Test func anUpdateMakesVersionsAndTheSameContentMakesNone() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.send(.put, "/fhir/Observation/a", body: observation("a")).status == 201)
        let second = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a", code: "x"))
        #expect(second.status == 200 && second.headers[.eTag] == "W/\"2\"")
        // The read resource is sent back unchanged.
        let read = try await fixture.send(.get, "/fhir/Observation/a")
        let again = try await fixture.send(
            .put, "/fhir/Observation/a", body: String(decoding: read.json.bytes(), as: UTF8.self))
        #expect(again.status == 200 && again.headers[.eTag] == "W/\"2\"")
        #expect(try await fixture.ids("/fhir/Observation?code=8867-4").isEmpty)
        #expect(
            try await fixture.send(.get, "/fhir/Observation/a/_history/1").json["code"]?["coding"]?[0]?["code"]
                == "8867-4")
        try await fixture.close()
    }

    @Test func versionOfADeviceWithALaterClockIsReplaced() async throws {
        let fixture = try await fixture()
        try await fixture.put(observation("a"), received: Date().addingTimeInterval(3600), number: 7)
        let put = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a", code: "x"))
        #expect(put.status == 200 && put.headers[.eTag] == "W/\"2\"")
        #expect(try await fixture.send(.get, "/fhir/Observation/a").json["code"]?["coding"]?[0]?["code"] == "x")
        #expect(try await fixture.send(.delete, "/fhir/Observation/a").status == 204)
        #expect(try await fixture.send(.get, "/fhir/Observation/a").status == 410)
        try await fixture.close()
    }

    @Test func deletedResourceIsGoneUntilItIsWrittenAgain() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        let gone = try await fixture.send(.delete, "/fhir/Observation/a")
        #expect(gone.status == 204 && gone.headers[.eTag] == "W/\"2\"")
        #expect(try await fixture.send(.get, "/fhir/Observation/a").status == 410)
        #expect(try await fixture.send(.get, "/fhir/Observation/a/_history/2").status == 410)
        #expect(try await fixture.send(.get, "/fhir/Observation/a/_history/1").status == 200)
        #expect(try await fixture.ids("/fhir/Observation").isEmpty)
        #expect(try await fixture.rows.last == 0)
        #expect(try await fixture.send(.delete, "/fhir/Observation/a").status == 204)
        #expect(try await fixture.send(.delete, "/fhir/Observation/never").status == 204)
        let history = try await fixture.send(.get, "/fhir/Observation/a/_history")
        #expect(
            history.json["entry"]?[0]?["request"]?["method"] == "DELETE"
                && history.json["entry"]?[0]?["resource"] == nil)
        let back = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        #expect(back.status == 201 && back.headers[.eTag] == "W/\"3\"" && back.headers[.location] != nil)
        let statuses = try await fixture.send(.get, "/fhir/Observation/a/_history").json["entry"]?.array?.map {
            [$0["request"]?["method"]?.string, $0["response"]?["status"]?.string]
        }
        #expect(statuses == [["PUT", "201"], ["DELETE", "200"], ["POST", "201"]])
        #expect(try await fixture.ids("/fhir/Observation?code=8867-4") == ["a"])
        try await fixture.close()
    }

    @Test func writeWithAnotherVersionChangesNothing() async throws {
        let fixture = try await fixture()
        let body = observation("a")
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: body)
        let rows = try await fixture.rows
        let json: HTTPFields.Element = HTTPField(name: .contentType, value: "application/fhir+json")
        for (field, value, status, expected) in [
            (HTTPField.Name.ifMatch, "W/\"2\"", 412, "version-conflict"), (.ifMatch, "2", 400, "version-tag-invalid"),
            (.ifMatch, "W/\"-1\"", 412, "version-conflict"), (.ifNoneMatch, "*", 412, "record-exists"),
            (.ifMatch, "W/\"abc\"", 412, "version-conflict"), (.ifMatch, "W/\"01\"", 412, "version-conflict"),
            (.ifMatch, "W/\"3\", W/\"4\"", 412, "version-conflict"),
            (.ifMatch, "W/\"1\" x", 400, "version-tag-invalid"),
            (.ifMatch, "", 400, "version-tag-invalid"), (.ifNoneMatch, "W/\"1\"", 412, "record-exists"),
            (.ifNoneMatch, "W/\"2\", \"1\"", 412, "record-exists"), (.ifNoneMatch, "1", 400, "version-tag-invalid"),
        ] {
            let answer = try await fixture.send(
                .put, "/fhir/Observation/a", body: observation("a", code: "x"),
                headers: [json.name: json.value, field: value])
            #expect(answer.status == status && code(answer.json) == expected, "\(value)")
        }
        #expect(try await fixture.send(.delete, "/fhir/Observation/a", headers: [.ifMatch: "W/\"4\""]).status == 412)
        #expect(
            try await fixture.send(
                .patch, "/fhir/Observation/a", body: #"{"status":"amended"}"#, headers: [.ifMatch: "W/\"4\""]
            ).status == 412)
        #expect(try await fixture.rows == rows)
        #expect(
            try await fixture.send(
                .put, "/fhir/Observation/a", body: observation("a", code: "x"), headers: [.ifMatch: "W/\"1\""]
            ).status == 200)
        for (tag, code) in [("*", "a"), ("W/\"9\", \"3\"", "b"), ("\"4\"", "c")] {
            let answer = try await fixture.send(
                .put, "/fhir/Observation/a", body: observation("a", code: code), headers: [.ifMatch: tag])
            #expect(answer.status == 200, "\(tag) \(answer.json)")
        }
        for tag in ["*", "W/\"1\""] {
            #expect(
                try await fixture.send(
                    .put, "/fhir/Observation/new", body: observation("new"), headers: [.ifMatch: tag]
                ).status == 412)
            #expect(try await fixture.send(.delete, "/fhir/Observation/new", headers: [.ifMatch: tag]).status == 412)
        }
        try await fixture.close()
    }

    @Test func preferHeaderDecidesTheResponse() async throws {
        let fixture = try await fixture()
        for (preference, type) in [
            ("minimal", nil), ("representation", "Observation"), ("OperationOutcome", "OperationOutcome"),
        ] {
            let answer = try await fixture.send(
                .post, "/fhir/Observation", body: observation("a"), headers: [.prefer: "return=\(preference)"])
            #expect(answer.status == 201 && answer.headers[.location] != nil)
            #expect(answer.json["resourceType"]?.string == type, "\(preference)")
        }
        try await fixture.close()
    }

    @Test(arguments: [
        ("{", 400, "json-unexpected-end"), ("[]", 400, "resource-type-missing"), ("", 400, nil),
        (#"{"resourceType":"Patient","id":"a"}"#, 400, "type-mismatch"),
        (#"{"resourceType":"Observation"}"#, 400, "id-missing"),
        (#"{"resourceType":"Observation","id":"b"}"#, 400, "id-mismatch"),
        (String(repeating: "[", count: 100_000), 400, nil),
    ])
    func invalidBodyIsReportedAndNotStored(body: String, status: Int, expected: String?) async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        let answer = try await fixture.send(.put, "/fhir/Observation/a", body: body)
        #expect(answer.status == status && answer.json["resourceType"] == "OperationOutcome")
        if let expected { #expect(code(answer.json) == expected) }
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    @Test func unsupportedMediaTypesTypesAndSizesAreRefused() async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .post, "/fhir/Observation", body: observation("a"), headers: [.contentType: "text/plain"])
        #expect(answer.status == 415)
        let large = #"{"resourceType":"Basic","language":"\#(String(repeating: "x", count: 5 << 20))"}"#
        #expect(try await fixture.send(.post, "/fhir/Basic", body: large).status == 413)
        #expect(try await fixture.send(.post, "/fhir/Nonsense", body: #"{"resourceType":"Nonsense"}"#).status == 404)
        #expect(
            try await fixture.send(.put, "/fhir/Basic/a_b", body: #"{"resourceType":"Basic","id":"a_b"}"#).status == 400
        )
        try await fixture.close()
    }

    @Test(
        arguments: [
            (
                "application/json-patch+json",
                #"[{"op":"test","path":"/status","value":"final"},{"op":"replace","path":"/status","value":"amended"}]"#,
                200, nil
            ),
            ("application/json-patch+json", #"[{"op":"test","path":"/status","value":"x"}]"#, 422, "patch-test-failed"),
            ("application/json-patch+json", #"{"status":"amended"}"#, 400, "patch-invalid"),
            ("application/json-patch+json", #"[{"op":"replace","path":"/id","value":"b"}]"#, 422, "patch-of-identity"),
            ("application/json-patch+json", #"[{"op":"remove","path":""}]"#, 422, "patch-not-applicable"),
            ("application/merge-patch+json", #"{"status":"amended"}"#, 200, nil),
            ("application/json", #"{"status":"amended"}"#, 200, nil),
            ("application/json", #"[{"op":"replace","path":"/status","value":"amended"}]"#, 200, nil),
            ("application/merge-patch+json", #"{"resourceType":"Patient"}"#, 422, "patch-of-identity"),
            ("application/fhir+json", InteractionTests.fhirPathPatch, 200, nil),
            ("application/json", InteractionTests.fhirPathPatch, 200, nil),
            ("application/fhir+json", #"{"resourceType":"Parameters"}"#, 400, "patch-invalid"),
            ("text/plain", "{}", 415, "media-type-unknown"),
        ] as [(String, String, Int, String?)])
    func patchChangesTheResourceOrFails(type: String, body: String, status: Int, expected: String?) async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        let answer = try await fixture.send(.patch, "/fhir/Observation/a", body: body, headers: [.contentType: type])
        #expect(answer.status == status, "\(answer.json)")
        if let expected { #expect(code(answer.json) == expected) }
        let now = try await fixture.send(.get, "/fhir/Observation/a").json
        #expect(now["status"]?.string == (status == 200 ? "amended" : "final"))
        #expect(now["meta"]?["versionId"]?.string == (status == 200 ? "2" : "1"))
        try await fixture.close()
    }

    @Test func conditionalCreateMakesOnlyOne() async throws {
        let fixture = try await fixture()
        let condition: HTTPFields = [.ifNoneExist: "identifier=urn:x|a|v"]
        let escaped: HTTPFields = [.ifNoneExist: "identifier=urn:x%7Ca%5C%7Cv"]
        let made = try await fixture.send(.post, "/fhir/Observation", body: observation("a"), headers: condition)
        #expect(made.status == 201)
        for headers in [condition, escaped] {
            let again = try await fixture.send(.post, "/fhir/Observation", body: observation("a"), headers: headers)
            #expect(again.status == 200 && again.json["id"] == made.json["id"])
            #expect(again.headers[.location] == made.headers[.location])
        }
        // The form that fhirpy sends.
        let address = "/fhir/Observation?identifier=urn:x%7Ca%5C%7Cv"
        #expect(try await fixture.send(.post, address, body: observation("a")).status == 200)
        _ = try await fixture.send(.post, "/fhir/Observation", body: observation("a"))
        let several = try await fixture.send(.post, address, body: observation("a"))
        #expect(several.status == 412 && code(several.json) == "multiple-matches")
        for (header, status) in [("", 400), ("nonsense=x", 400), ("%zz", 400), ("_count=1", 400)] {
            let answer = try await fixture.send(
                .post, "/fhir/Observation", body: observation("a"), headers: [.ifNoneExist: header])
            #expect(answer.status == status, "\(header)")
        }
        #expect(try await fixture.ids("/fhir/Observation").count == 2)
        try await fixture.close()
    }

    @Test func conditionalUpdatePatchAndDeleteApplyToTheMatch() async throws {
        let fixture = try await fixture()
        let address = "/fhir/Observation?code=c1"
        func body(_ id: String?) -> String {
            observation(id ?? "x", code: "c1").replacingOccurrences(of: id == nil ? #""id":"x","# : "", with: "")
        }
        #expect(try await fixture.send(.patch, address, body: "{}").status == 400)
        #expect(
            try await fixture.send(.patch, address, body: "{}", headers: [.contentType: "application/json"]).status
                == 404)
        #expect(try await fixture.send(.delete, address).status == 204)
        let made = try await fixture.send(.put, address, body: body(nil))
        #expect(made.status == 201)
        let id = try #require(made.json["id"]?.string)
        #expect(try await fixture.send(.put, address, body: body("other")).status == 400)
        #expect(try await fixture.send(.put, address, body: body(id)).status == 200)
        let patched = try await fixture.send(
            .patch, address, body: #"{"status":"amended"}"#, headers: [.contentType: "application/json"])
        #expect(patched.status == 200 && patched.json["id"]?.string == id)
        _ = try await fixture.send(.post, "/fhir/Observation", body: observation("b", code: "c1"))
        #expect(try await fixture.send(.put, address, body: body(nil)).status == 412)
        #expect(try await fixture.send(.delete, address).status == 412)
        #expect(try await fixture.send(.delete, "/fhir/Observation").status == 400)
        #expect(try await fixture.send(.put, "/fhir/Observation", body: body(id)).status == 400)
        #expect(try await fixture.send(.delete, "/fhir/Observation?_id=\(id)").status == 204)
        #expect(try await fixture.ids("/fhir/Observation").count == 1)
        try await fixture.close()
    }

    @Test func parallelConditionalCreatesMakeOne() async throws {
        let fixture = try await fixture()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await fixture.send(
                        .post, "/fhir/Observation", body: observation("a"), headers: [.ifNoneExist: "code=8867-4"]
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 1 && statuses.allSatisfy { [200, 201, 409].contains($0) })
        #expect(try await fixture.ids("/fhir/Observation").count == 1)
        try await fixture.close()
    }

    @Test func everyWriteLeavesAnAuditRow() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"), headers: [.ifMatch: "W/\"3\""])
        _ = try await fixture.send(.delete, "/fhir/Observation/a", token: fixture.token)
        let rows = try await fixture.access.audit.entries().filter { $0.action == "write-record" }
        #expect(rows.map(\.reason) == ["insufficient-scope", "version-conflict", "permitted"])
        #expect(rows.last?.participants == ["p1"] && rows.last?.resourceID == "a")
        try await fixture.close()
    }
}
