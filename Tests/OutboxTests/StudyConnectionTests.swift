import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

@Suite struct StudyConnectionTests {
    /// Responds by path.
    private struct Table: Transport {
        let answers: [String: TransportResponse]
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard let answer = answers["\(request.method) \(request.url.path)"] else {
                throw URLError(.cannotConnectToHost)
            }
            return answer
        }
    }

    @Test func enrollingFetchesKeysAndRegisters() async throws {
        let study = ScriptedStudy()
        let enrolment = try await StudyConnection.enrol(
            url: "https://study.example/s/", antispam: "word", receipt: "MII\nB \n", clientName: "Sleep",
            transport: study)
        #expect(enrolment.baseURL == "https://study.example/s")
        #expect(enrolment.clientID == "id 1" && enrolment.clientSecret == "s&+ü" && enrolment.antispam == "word")
        #expect(try enrolment.recipients().map(\.kind) == [.p256])
        #expect(try enrolment.rsaRecipient() == nil)
        let requests = await study.requests
        #expect(requests.map(\.url.path) == ["/s/.well-known/jwks.json", "/s/register"])
        #expect(requests.last?.headers["Antispam"] == "word")
        let sent = try #require(requests.last?.body)
        let body = try #require(RegistrationRequest(reading: sent))
        #expect(body.receiptData == "MIIB" && body.clientName == "Sleep" && body.sandbox == false)
    }

    @Test func anEnrolmentIsKeptAndDoesNotPrintItsSecrets() throws {
        let folder = try TemporaryFolder()
        let store = try DeviceStore.open(folder.url)
        #expect(!store.isEnrolled)
        #expect(code { _ = try store.enrolment() } == "not-enrolled")
        let enrolment = try ScriptedStudy.enrolment()
        try store.save(enrolment)
        #expect(try DeviceStore.open(folder.url).enrolment() == enrolment)
        #expect(store.isEnrolled)
        var dumped = ""
        dump(enrolment, to: &dumped)
        for text in ["\(enrolment)", String(reflecting: enrolment), dumped] {
            #expect(!text.contains("s&+") && !text.contains("word"))
        }
    }

    /// Responds to the pages of a search.
    private actor Pages: Transport {
        private let pages: [String]
        private(set) var queries: [String] = []

        init(_ pages: [String]) { self.pages = pages }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard request.url.path.hasSuffix("/fhir/Questionnaire") else {
                return .init(
                    status: 200, body: try JSONEncoder().encode(TokenResponse(accessToken: "t", expiresIn: 3_600)))
            }
            queries.append(request.url.query ?? "")
            return .init(status: 200, body: Data(pages[min(queries.count, pages.count) - 1].utf8))
        }
    }

    @Test func questionnairesOfAllPagesAreRead() async throws {
        let link =
            #""link":[{"relation":"next","url":"https://other.example/fhir/Questionnaire?_count=200&_cursor=200"}]"#
        let pages = Pages([
            #"{"resourceType":"Bundle",\#(link),"entry":[{"resource":{"resourceType":"Questionnaire","id":"a","x":1.50}},"#
                + #"{"resource":{"resourceType":"ValueSet","id":"v"}},{}]}"#,
            #"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Questionnaire","id":"b"}}]}"#,
        ])
        let forms = try await StudyConnection(enrolment: ScriptedStudy.enrolment(), transport: pages).questionnaires()
        #expect(forms.map { $0["id"] } == ["a", "b"])
        #expect(forms[0]["x"]?.number?.text == "1.50")
        #expect(await pages.queries == ["_count=200", "_count=200&_cursor=200"])
    }

    @Test(arguments: ["<html>", #"{"resourceType":"Patient"}"#, "endless"])
    func listOfQuestionnairesThatCannotBeReadIsAnError(page: String) async throws {
        let endless = (0..<30).map {
            #"{"resourceType":"Bundle","link":[{"relation":"next","url":"https://a.example/?_cursor=\#($0)"}]}"#
        }
        let connection = StudyConnection(
            enrolment: try ScriptedStudy.enrolment(), transport: Pages(page == "endless" ? endless : [page]))
        #expect(await codeOfAsync { _ = try await connection.questionnaires() } == "answer-invalid")
    }

    @Test(arguments: [
        (401, "registration-refused"), (400, "registration-refused"), (503, "server-unavailable"),
        (429, "server-unavailable"), (200, "answer-invalid"),
    ])
    func failedRegistrationHasItsReason(status: Int, expected: String) async {
        let table = Table(answers: [
            "GET /s/.well-known/jwks.json": .init(status: 200, body: Data(ScriptedStudy.jwks.utf8)),
            "POST /s/register": .init(status: status, body: Data(#"{"error":"unauthorized_client"}"#.utf8)),
        ])
        let result = await codeOfAsync {
            _ = try await StudyConnection.enrol(
                url: "https://study.example/s", antispam: "x", receipt: "x", transport: table)
        }
        #expect(result == expected)
    }

    @Test func registrationIsNotSentToAnAddressWithoutKeys() async {
        for (response, expected) in [
            (TransportResponse(status: 404), "request-refused"),
            (TransportResponse(status: 200, body: Data("<html>".utf8)), "answer-invalid"),
            (TransportResponse(status: 200, body: Data(#"{"keys":[]}"#.utf8)), "answer-invalid"),
        ] {
            let table = Table(answers: ["GET /.well-known/jwks.json": response])
            let result = await codeOfAsync {
                _ = try await StudyConnection.enrol(
                    url: "http://127.0.0.1:1", antispam: "x", receipt: "x", transport: table)
            }
            #expect(result == expected)
        }
        let result = await codeOfAsync {
            _ = try await StudyConnection.enrol(
                url: "http://localhost", antispam: "x", receipt: "x", transport: Table(answers: [:]))
        }
        #expect(result == "connection-failed")
    }

    @Test(arguments: [
        "", "study.example", "ftp://study.example", "http://study.example", "https://", "https://u:p@study.example",
        "https://study.example?x=1", "https://study.example#x", "http://127.evil.example.com:80@x",
        "http://localhost.example",
    ])
    func otherAddressesAreRefused(url: String) async {
        let result = await codeOfAsync {
            _ = try await StudyConnection.enrol(url: url, antispam: "x", receipt: "x", transport: ScriptedStudy())
        }
        #expect(result == "url-invalid")
    }

    @Test func deliveriesAndQuestionnairesAreFetchedWithARenewedToken() async throws {
        let page =
            #"{"deliveries":[{"submission":"a","status":"held","at":"2026-01-01T00:00:00.000Z","reason":"consent-missing"}],"next":"a b"}"#
        let form = "{\"resourceType\":\"Questionnaire\",  \"n\":1.50}\n"
        let log = RequestLog()
        struct Study: Transport {
            let page: String
            let form: String
            let log: RequestLog
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                let number = await log.add(request)
                if request.url.path.hasSuffix("/token") {
                    return .init(
                        status: 200,
                        body: Data(#"{"access_token":"t\#(number)","token_type":"Bearer","expires_in":1800}"#.utf8))
                }
                guard request.headers["Authorization"] != "Bearer t0" else { return .init(status: 401) }
                return .init(status: 200, body: Data((request.url.path.hasSuffix("/deliveries") ? page : form).utf8))
            }
        }
        let connection = StudyConnection(
            enrolment: try ScriptedStudy.enrolment(), transport: Study(page: page, form: form, log: log))
        let first = try await connection.deliveries()
        #expect(first.deliveries.map(\.status) == ["held"] && first.next == "a b")
        _ = try await connection.deliveries(after: first.next)
        #expect(try await connection.questionnaire(id: "PHQ-9/x") == Data(form.utf8))
        let urls = await log.requests.map(\.url.absoluteString)
        #expect(
            urls.map { $0.replacingOccurrences(of: "https://study.example/s", with: "") } == [
                "/oauth/token", "/deliveries", "/oauth/token", "/deliveries", "/deliveries?after=a%20b",
                "/fhir/Questionnaire/PHQ-9%2Fx",
            ])
    }

    @Test func tokenIsRenewedBeforeItExpires() async throws {
        let (study, waits) = (ScriptedStudy(), WaitLog())
        let connection = try study.connection(waits)
        #expect(try await connection.accessToken() == "token-1")
        waits.wait(1_700)
        #expect(try await connection.accessToken() == "token-1")
        waits.wait(80)
        #expect(try await connection.accessToken() == "token-2")
    }

    /// The server sets the lifetime of a token, and can send any value.
    @Test(arguments: [
        ("-1", 0.0), ("-9223372036854775808", 0), ("0", 0), ("9223372036854775807", 86_370), ("1e400", 270),
        ("9223372036854775808", 270), ("null", 270), ("\"soon\"", 270), ("0.5", 270),
    ])
    func tokenLifetimeIsLimitedToADay(lifetime: String, seconds: Double) async throws {
        let (study, clock) = (ScriptedStudy(), WaitLog())
        let body = #"{"access_token":"t","token_type":"bearer","expires_in":\#(lifetime)}"#
        await study.setTokenAnswer(TransportResponse(status: 200, body: Data(body.utf8)))
        let connection = try study.connection(clock)
        func requests() async -> Int { await study.requests.count }
        #expect(try await connection.accessToken() == "t")
        if seconds > 0 {
            clock.wait(seconds - 1)
            _ = try await connection.accessToken()
            #expect(await requests() == 1)
        }
        clock.wait(1)
        _ = try await connection.accessToken()
        #expect(await requests() == 2)
    }

    @Test func theAppsOwnFilesAreKept() throws {
        let folder = try TemporaryFolder()
        let store = try DeviceStore.open(folder.url)
        #expect(try store.value([String].self, named: "seen.json") == nil)
        try store.save(["a", "b"], named: "seen.json")
        #expect(try store.value([String].self, named: "seen.json") == ["a", "b"])
        try store.save(Data("x".utf8), named: "seen.json")
        #expect(code { _ = try store.value([String].self, named: "seen.json") } == "storage-failed")
    }
}

private actor RequestLog {
    private(set) var requests: [TransportRequest] = []
    func add(_ request: TransportRequest) -> Int {
        requests.append(request)
        return requests.count - 1
    }
}
