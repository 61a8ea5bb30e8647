import Core
import FHIR
import FHIRClient
import Foundation
import Testing

@Suite struct WritingTests {
    private static func patient(_ id: String? = "p1") -> Patient { Patient(id: id) }

    @Test func createReturnsWhatTheServerAssigned() async throws {
        let server = StubServer(
            201, headers: ["Location": "https://fhir.example/r4/Patient/7/_history/1", "ETag": "W/\"1\""])
        let written = try await server.connection().create(
            Self.patient(nil), ifNoneExist: ["identifier": "urn:x|4 2", "active": "true"])
        #expect(written.id == "7" && written.version == "1" && written.isCreated && written.resource == nil)
        let request = try #require(await server.requests.first)
        #expect(request.method == "POST" && request.url.absoluteString == "https://fhir.example/r4/Patient")
        #expect(
            request.headers == [
                "Accept": "application/fhir+json", "Content-Type": "application/fhir+json",
                "If-None-Exist": "identifier=urn%3Ax%7C4%202&active=true",
            ])
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"resourceType":"Patient"}"#)
    }

    @Test func resourceOfTheAnswerIsReturned() async throws {
        let body = #"{"resourceType":"Patient","id":"7","meta":{"versionId":"4"}}"#
        let written = try await StubServer(200, body).connection().create(Self.patient(nil))
        #expect(written.id == "7" && written.version == "4" && !written.isCreated && written.resource?.id == "7")
        // A body that cannot be read does not undo a successful write.
        for body in ["{", #"{"resourceType":"OperationOutcome","issue":[]}"#] {
            let other = try await StubServer(201, body, headers: ["Location": "Patient/8"]).connection()
                .create(Self.patient(nil))
            #expect(other.id == "8" && other.version == nil && other.resource == nil)
        }
        let none = try await StubServer(201, headers: ["Location": "https://x/Observation/1"]).connection()
            .create(Self.patient(nil))
        #expect(none.id == nil)
    }

    @Test func updateAndDeleteNameTheVersionTheyReplace() async throws {
        let server = StubServer(200, headers: ["ETag": "\"5\""])
        let connection = try server.connection()
        #expect(try await connection.update(Self.patient(), ifMatch: "4").version == "5")
        try await connection.update(Self.patient())
        try await connection.delete(Patient.self, id: "p1", ifMatch: "5")
        try await connection.delete(Patient.self, id: "p1")
        #expect(
            await server.lines == [
                "PUT https://fhir.example/r4/Patient/p1", "PUT https://fhir.example/r4/Patient/p1",
                "DELETE https://fhir.example/r4/Patient/p1", "DELETE https://fhir.example/r4/Patient/p1",
            ])
        #expect(await server.requests.map { $0.headers["If-Match"] } == ["W/\"4\"", nil, "W/\"5\"", nil])
        let conflict = try StubServer(412).connection()
        #expect(
            await clientError { try await conflict.update(Self.patient(), ifMatch: "1") }?.reason == .versionConflict)
    }

    @Test func invalidRequestsAreNotSent() async throws {
        let server = StubServer(200)
        let connection = try server.connection()
        let requests: [@Sendable () async throws -> Void] = [
            { try await connection.update(Self.patient(nil)) }, { try await connection.update(Self.patient("a/b")) },
            { try await connection.update(Self.patient(), ifMatch: "4\"\r\nX: y") },
            { try await connection.create(Resource(JSONObject())) },
            { try await connection.delete(Patient.self, id: "") },
            { try await connection.delete(Resource.self, id: "p1") },
            { _ = try await connection.transaction([.create(Self.patient()), .update(Self.patient(nil))]) },
            { _ = try await connection.batch([.read(Patient.self, id: "/")]) },
            { _ = try await connection.batch([.delete(Patient.self, id: "1", ifMatch: "\"")]) },
        ]
        for request in requests { #expect(await clientError { try await request() }?.reason == .requestInvalid) }
        #expect(try await connection.batch([]).isEmpty)
        #expect(await server.requests.isEmpty)
    }

    // MARK: - Transaction and batch

    @Test func transactionSendsItsRequestsInOrder() async throws {
        let body = """
            {"resourceType":"Bundle","type":"transaction-response","entry":[
              {"response":{"status":"201 Created","location":"Patient/9/_history/1","etag":"W/\\"1\\""}},
              {"response":{"status":"200"},"resource":{"resourceType":"Device","id":"d","meta":{"versionId":"2"}}},
              {"response":{"status":"204 No Content"}}]}
            """
        let server = StubServer(200, body)
        let results = try await server.connection("https://fhir.example/r4/").transaction([
            .create(Self.patient(nil), fullURL: "urn:uuid:1", ifNoneExist: ["identifier": "a|b"]),
            .update(Device(id: "d"), ifMatch: "1"), .delete(Observation.self, id: "o", ifMatch: "3"),
        ])
        #expect(results.map(\.status) == [201, 200, 204] && results.allSatisfy { $0.error == nil })
        #expect(results[0].id == "9" && results[0].version == "1" && results[1].version == "2")
        #expect(results[1].resource.flatMap { Device($0) }?.id == "d")
        let request = try #require(await server.requests.first)
        #expect(request.method == "POST" && request.url.absoluteString == "https://fhir.example/r4/")
        let expected: JSON = [
            "resourceType": "Bundle", "type": "transaction",
            "entry": [
                [
                    "fullUrl": "urn:uuid:1", "resource": ["resourceType": "Patient"],
                    "request": ["method": "POST", "url": "Patient", "ifNoneExist": "identifier=a%7Cb"],
                ],
                [
                    "resource": ["resourceType": "Device", "id": "d"],
                    "request": ["method": "PUT", "url": "Device/d", "ifMatch": "W/\"1\""],
                ],
                ["request": ["method": "DELETE", "url": "Observation/o", "ifMatch": "W/\"3\""]],
            ],
        ]
        #expect(request.body.flatMap { JSON(reading: $0) } == expected)
    }

    @Test func requestsOfABatchFailOneByOne() async throws {
        let body = """
            {"resourceType":"Bundle","type":"batch-response","entry":[
              {"response":{"status":"200"},"resource":{"resourceType":"Patient","id":"p1"}},
              {"response":{"status":"404 Not Found","outcome":{"resourceType":"OperationOutcome",
                "issue":[{"severity":"error","code":"not-found","diagnostics":"Ann Example"}]}}},
              {"response":{}}]}
            """
        let results = try await StubServer(200, body).connection().batch([
            .read(Patient.self, id: "p1"), .read(Patient.self, id: "p2"), .read(Patient.self, id: "p3"),
        ])
        #expect(results[0].error == nil && results[0].id == "p1")
        #expect(results[1].error?.reason == .notFound && results[1].error?.issues.first?.code == .notFound)
        #expect(results[1].error.map { !"\($0)".contains("Ann") } == true)
        #expect(results[2].status == 0 && results[2].error?.reason == .answerInvalid)
    }

    @Test(arguments: [
        (200, #"{"resourceType":"Bundle","entry":[]}"#, "answer-invalid"),
        (200, #"{"resourceType":"Bundle"}"#, "answer-invalid"), (200, "{", "answer-invalid"),
        (200, #"{"resourceType":"Patient","id":"p"}"#, "answer-type-mismatch"), (400, "", "request-refused"),
        (503, "", "server-unavailable"),
    ])
    func answerThatIsNoTransactionsIsAnError(status: Int, body: String, code: String) async throws {
        let connection = try StubServer(status, body).connection()
        #expect(await clientError { try await connection.transaction([.update(Self.patient())]) }?.code == code)
    }
}
