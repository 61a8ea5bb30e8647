import AccountClient
import Core
import Foundation
import HTTPTransport
import ResearchResults
import Testing

@Suite struct ErrorTests {
    /// The calls, each with the numbers for answers without one: 400, 401, 403, 404, 409, 413, 429, 500, 503.
    static let statuses = [400, 401, 403, 404, 409, 413, 429, 500, 503]

    typealias Call = @Sendable (AccountClient) async throws -> Void

    static let calls: [(String, [Int], Call)] = [
        (
            "sign-up", [712, 806, 806, 803, 711, 713, 713, 802, 802],
            { try await $0.signUp(email: "bob@example.org", password: "good password") }
        ),
        (
            "login", [804, 710, 806, 709, 713, 713, 713, 802, 802],
            { try await $0.login(email: "ann@example.org", password: "good password") }
        ),
        (
            "password", [712, 710, 806, 803, 711, 713, 713, 802, 802],
            { try await $0.changePassword("good password", to: "other password") }
        ),
        ("account", [804, 806, 806, 803, 713, 713, 713, 802, 802], { _ = try await $0.holder() }),
        (
            "profile", [804, 806, 806, 803, 713, 713, 713, 802, 802],
            { try await $0.save(StoredProfile(profile: AccountProfile(), tag: "\"v1\"")) }
        ),
        ("photo", [804, 806, 806, 803, 706, 706, 706, 802, 802], { try await $0.savePhoto(AccountFixture.png) }),
        ("consent", [804, 806, 806, 803, 707, 707, 707, 802, 802], { try await $0.withdrawConsent() }),
        ("fetch", [804, 806, 806, 803, 714, 714, 714, 802, 802], { _ = try await $0.consent() }),
        ("result", [804, 806, 806, 803, 800, 800, 800, 802, 802], { try await $0.save(AccountFixture.result(1)) }),
    ]

    @Test(arguments: 0..<calls.count)
    func anAnswerWithoutANumberHasThatOfItsStatus(index: Int) async throws {
        let (name, numbers, call) = Self.calls[index]
        let phone = try AccountFixture()
        let client = try await phone.member()
        for (status, expected) in zip(Self.statuses, numbers) {
            let answer = ModelFault.answer(TransportResponse(status: status, headers: ["Retry-After": "7"]))
            _ = await phone.model.takeLines()
            await phone.model.fail(answer)
            // The request, the renewal, the request again.
            if status == 401 { await phone.model.fail(answer, after: 2) }
            let error = await thrown { try await call(client) } as? AccountClientError
            #expect(error?.cmhealth.number == expected, "\(name) \(status)")
            #expect(error?.status == status && error?.retryAfter == 7, "\(name) \(status)")
            #expect(error?.message.contains("try again in 7 seconds") == true)
        }
        await phone.model.fail(.loseRequest)
        #expect(await number { try await call(client) } == 801, "\(name)")
    }

    @Test(arguments: CMHealthError.allCases)
    func aNumberOfTheServerIsKept(error: CMHealthError) async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.fail(.answer(ModelAccounts.problem(422, code: error.code, cmhealth: error.number)))
        let found = await thrown { _ = try await client.photo() } as? AccountClientError
        #expect(found?.cmhealth == error && found?.code == error.code)
        #expect(found?.message == "\(error.message) (status 422)")
    }

    /// The message contains no text of the server.
    @Test func aCodeOfTheServerIsKeptIfItIsOne() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        for (code, expected) in [
            ("rate-exceeded", "rate-exceeded"), ("Ann Roe", "object-fetch-failed"), ("", "object-fetch-failed"),
        ] {
            await phone.model.fail(.answer(ModelAccounts.problem(429, code: code)))
            let error = await thrown { _ = try await client.photo() } as? AccountClientError
            #expect(error?.code == expected)
            #expect(error?.message.contains("Roe") == false)
        }
        for body in ["[1]", "x", #"{"cmhealth":"711"}"#, #"{"cmhealth":1}"#, #"{"cmhealth":7e2}"#] {
            await phone.model.fail(.answer(TransportResponse(status: 500, body: Data(body.utf8))))
            #expect(await number { _ = try await client.photo() } == 802)
        }
    }

    @Test func errorsOfTheTransportKeepTheirCode() async throws {
        struct Other: Error {}
        struct Failing: Transport {
            let error: any Error
            func send(_ request: TransportRequest) async throws -> TransportResponse { throw error }
        }
        let cases: [(any Error, String, Int)] = [
            (TransportError(.connectionFailed, "x"), "connection-failed", 801),
            (TransportError(.certificateUntrusted, "x"), "certificate-untrusted", 801),
            (TransportError(.answerInvalid, "x"), "answer-too-large", 805), (Other(), "connection-failed", 801),
        ]
        for (error, code, number) in cases {
            let phone = try AccountFixture()
            let client = try AccountClient(
                server: AccountFixture.server, folder: phone.store(), transport: Failing(error: error))
            let found = await thrown { try await client.login(email: "ann@example.org", password: "p") }
            #expect((found as? AccountClientError)?.code == code)
            #expect((found as? AccountClientError)?.cmhealth.number == number)
        }
        let phone = try AccountFixture()
        let client = try AccountClient(
            server: AccountFixture.server, folder: phone.store(), transport: Failing(error: CancellationError()))
        #expect(
            await thrown { try await client.login(email: "ann@example.org", password: "p") } is CancellationError)
    }

    @Test(arguments: AccountClientError.Reason.allCases)
    func everyKindHasACodeAndASentence(reason: AccountClientError.Reason) async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.fail(.answer(ModelAccounts.problem(422, code: reason.rawValue)))
        let error = await thrown { _ = try await client.photo() } as? AccountClientError
        #expect(error?.reason == reason)
        #expect(error?.message.contains("(status 422)") == true)
    }
}
