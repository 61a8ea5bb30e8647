import Core
import FHIR
import FHIRClient
import Foundation
import Testing

@Suite struct ReadingTests {
    private static let patient = #"{"resourceType":"Patient","id":"p1","meta":{"versionId":"3"},"birthDate":"1990"}"#

    @Test func resourceIsReadAsItsView() async throws {
        let server = StubServer(200, Self.patient)
        let patient = try await server.connection().read(Patient.self, id: "p1")
        #expect(patient.birthDate == "1990" && patient.meta?.versionId == "3")
        _ = try await server.connection("https://fhir.example/r4/").read(Patient.self, id: "p1", version: "2")
        #expect(
            await server.lines == [
                "GET https://fhir.example/r4/Patient/p1", "GET https://fhir.example/r4/Patient/p1/_history/2",
            ])
        let request = try #require(await server.requests.first)
        #expect(request.headers == ["Accept": "application/fhir+json"] && request.body == nil)
    }

    @Test func capabilitiesAreRead() async throws {
        let server = StubServer(200, #"{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1"}"#)
        #expect(try await server.connection().capabilities().fhirVersion?.rawValue == "4.0.1")
        #expect(await server.lines == ["GET https://fhir.example/r4/metadata"])
    }

    @Test func requestWithoutValidTypeOrIDIsNotSent() async throws {
        let server = StubServer(200, Self.patient)
        let connection = try server.connection()
        for id in ["", "../x", "p 1", "p1?x", String(repeating: "a", count: 65)] {
            #expect(
                await clientError { _ = try await connection.read(Patient.self, id: id) }?.reason == .requestInvalid)
            #expect(
                await clientError { _ = try await connection.read(Patient.self, id: "p1", version: id) }?.reason
                    == .requestInvalid)
        }
        #expect(await clientError { _ = try await connection.read(Resource.self, id: "p1") }?.reason == .requestInvalid)
        #expect(await server.requests.isEmpty)
    }

    @Test(arguments: [
        "http://fhir.example/r4", "ftp://fhir.example", "https:///r4", "fhir.example", "https://fhir.example/?x=1",
    ])
    func addressThatIsNoServerIsRefused(base: String) async throws {
        let server = StubServer(200, Self.patient)
        let connection = try server.connection(base) { _ in "secret" }
        #expect(await clientError { _ = try await connection.read(Patient.self, id: "p1") }?.code == "url-invalid")
        #expect(await server.requests.isEmpty)
    }

    @Test func plainHTTPReachesThisMachine() async throws {
        let server = StubServer(200, Self.patient)
        _ = try await server.connection("http://127.0.0.1:8080/fhir").read(Patient.self, id: "p1")
        #expect(await server.lines == ["GET http://127.0.0.1:8080/fhir/Patient/p1"])
    }

    // MARK: - Tokens

    @Test func tokenIsRenewedOnceAfter401() async throws {
        let server = StubServer { request, _ in
            request.headers["Authorization"] == "Bearer new" ? .json(200, Self.patient) : .json(401, "")
        }
        let connection = try server.connection { $0 ? "new" : "old" }
        _ = try await connection.read(Patient.self, id: "p1")
        #expect(await server.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test func second401IsAnError() async throws {
        let server = StubServer(401)
        let connection = try server.connection { $0 ? "new" : "old" }
        let error = await clientError { _ = try await connection.read(Patient.self, id: "p1") }
        #expect(error?.code == "token-refused" && error?.status == 401)
        #expect(await server.requests.count == 2)
        // Without a new token the request is not repeated.
        let silent = StubServer(401)
        let other = try silent.connection { $0 ? nil : "old" }
        #expect(await clientError { _ = try await other.read(Patient.self, id: "p1") }?.reason == .tokenRefused)
        #expect(await silent.requests.count == 1)
    }

    @Test func errorsOfTransportAndTokenArePassedOn() async throws {
        struct SignedOut: Error {}
        let broken = StubServer { _, _ in throw TransportError(.connectionFailed, "The server cannot be reached.") }
        await #expect(throws: TransportError.self) { try await broken.connection().read(Patient.self, id: "p1") }
        let server = StubServer(200, Self.patient)
        let connection = try server.connection { _ in throw SignedOut() }
        await #expect(throws: SignedOut.self) { try await connection.read(Patient.self, id: "p1") }
        #expect(await server.requests.isEmpty)
    }

    // MARK: - Bad answers

    @Test(arguments: [
        ("", "answer-invalid"), (#"{"resourceType":"Patient","id":"p1""#, "answer-invalid"),
        ("<html>Maintenance</html>", "answer-invalid"), ("[]", "answer-invalid"), ("null", "answer-invalid"),
        ("{}", "answer-invalid"), (#"{"resourceType":3}"#, "answer-invalid"),
        (#"{"resourceType":"Patient"}"#, "answer-invalid"),
        (#"{"resourceType":"Patient","id":"p2"}"#, "answer-invalid"),
        (#"{"resourceType":"Observation","id":"p1"}"#, "answer-type-mismatch"),
        (#"{"resourceType":"OperationOutcome","issue":[]}"#, "answer-type-mismatch"),
        (String(repeating: "[", count: 100_000), "answer-invalid"),
    ])
    func unreadableAnswersHaveTheirCode(body: String, code: String) async throws {
        let connection = try StubServer(200, body).connection()
        let error = await clientError { _ = try await connection.read(Patient.self, id: "p1") }
        #expect(error?.code == code && error?.status == 200)
    }

    @Test func hugeAnswerIsNotParsed() async throws {
        let limits = FHIRClientLimits(answerBytes: 1_000)
        let body = #"{"resourceType":"Patient","id":"p1","x":""# + String(repeating: "x", count: 1_000) + "\"}"
        let connection = try StubServer(200, body).connection(limits: limits)
        #expect(await clientError { _ = try await connection.read(Patient.self, id: "p1") }?.code == "answer-too-large")
        let answer = try await connection.send("GET", path: "Patient/p1")
        #expect(answer.isTooLarge && answer.json == nil && answer.isSuccess)
        // A huge error is still the error of its status.
        let refusing = try StubServer(422, body).connection(limits: limits)
        #expect(await clientError { _ = try await refusing.read(Patient.self, id: "p1") }?.code == "request-refused")
    }

    @Test(
        arguments: [
            (429, "7", 7.0), (503, "0", 0), (503, "Fri, 15 Jan 2027 08:01:00 GMT", 60), (500, "999999999", 86_400),
            (503, "soon", nil), (408, "", nil),
        ] as [(Int, String, Double?)])
    func retryAfterIsAValueOfTheError(status: Int, text: String, seconds: Double?) async throws {
        let server = StubServer(status, headers: ["Retry-After": text])
        let connection = try server.connection()
        let error = await clientError { _ = try await connection.read(Patient.self, id: "p1") }
        #expect(error?.code == "server-unavailable" && error?.retryAfter == seconds && error?.status == status)
        #expect(await server.requests.count == 1, "the client does not wait and repeat")
    }

    @Test(arguments: [
        (400, "request-refused"), (403, "forbidden"), (404, "not-found"), (409, "version-conflict"), (410, "gone"),
        (412, "version-conflict"), (422, "request-refused"), (302, "answer-invalid"), (502, "server-unavailable"),
    ])
    func statusesHaveTheirCodes(status: Int, code: String) async throws {
        let connection = try StubServer(status).connection()
        #expect(await clientError { _ = try await connection.read(Patient.self, id: "p1") }?.code == code)
    }

    @Test func errorHasTheCodesOfTheOutcomeAndNoHealthData() async throws {
        let body = """
            {"resourceType":"OperationOutcome","text":{"status":"generated","div":"<div>Ann Example</div>"},"issue":[
              {"severity":"error","code":"invalid","diagnostics":"Ann Example, HIV positive",
               "expression":["Patient.name[0]"],
               "details":{"text":"identifying-data","coding":[{"system":"urn:x","code":"MSG_PARAM"},
                {"code":"Ann Example has HIV"}]}},
              {"severity":"fatal ann","code":"Ann Example","details":{"text":"Ann Example is ill"}}]}
            """
        let connection = try StubServer(422, body).connection()
        let error = try #require(await clientError { try await connection.delete(Patient.self, id: "p1") })
        #expect(error.issues.count == 2)
        #expect(error.issues[0].severity == .error && error.issues[0].code == .invalid)
        #expect(error.issues[0].details == ["MSG_PARAM", "identifying-data"])
        #expect(error.issues[1] == .init(severity: nil, code: nil, details: []))
        #expect(error.outcome?.issue.first?.diagnostics == "Ann Example, HIV positive")
        for text in [error.description, "\(error)", String(reflecting: error), error.message] {
            #expect(text.contains("request-refused") || text == error.message)
            #expect(text.contains("status 422") && text.contains("invalid"))
            #expect(!text.contains("Ann") && !text.contains("HIV") && !text.contains("p1"), "\(text)")
        }
    }
}
