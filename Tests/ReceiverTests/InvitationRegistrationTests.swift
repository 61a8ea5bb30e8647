import Foundation
import Testing
import Wire

@testable import Receiver
@testable import ServerHTTP

/// `POST /register` with an invitation.
@Suite(.timeLimit(.minutes(10)))
struct InvitationRegistrationTests {
    private static let code = String(repeating: "a", count: 26)
    private static let mine = String(repeating: "m", count: 43)
    private static let another = String(repeating: "n", count: 43)

    private static func with(
        _ methods: Set<EnrolmentMethod> = [.invitation], rates: [RateClass: (perSecond: Double, burst: Int)] = [:],
        _ body: @escaping @Sendable (Study) async throws -> Void
    ) async throws {
        let clock = TestClock()
        let limiter = try limiter(rates, clock)
        try await Study.with(
            { configuration in
                configuration.enrolment = methods
                configuration.limiter = limiter
            }, clock: clock, body)
    }

    @Test func codeAloneIsExchangedForCredentialsAndAToken() async throws {
        try await Self.with { study in
            try await study.invite([Self.code])
            let answer = try await study.register(code: Self.code, installation: Self.mine)
            #expect(answer.status == 201 && answer.header("Cache-Control") == "no-store")
            let credentials = try #require(RegistrationResponse(reading: answer.body))
            let token = try #require(
                TokenResponse(reading: await study.token(credentials.clientID, credentials.clientSecret).body))
            #expect(try await study.send("POST", "/encfhir", token: token.accessToken, body: envelope()).status == 200)
            // Its response was lost: it registers again and reads the outcomes of its submissions.
            let again = try #require(
                try await RegistrationResponse(
                    reading: study.register(code: Self.code, installation: Self.mine).body))
            let second = try #require(
                TokenResponse(reading: await study.token(again.clientID, again.clientSecret).body))
            #expect(try await study.send("GET", "/deliveries", token: second.accessToken).text.contains("received"))
            #expect(try await study.count("enrolment") == 1)
            let proof = InvitationRegistration.proof(of: Self.code)
            for secret in [Self.code, proof, Self.mine, "Planted Name"] {
                #expect(!study.log.lines.contains { $0.contains(secret) })
            }
        }
    }

    @Test func guessedUsedRevokedAndExpiredCodesHaveOneAnswer() async throws {
        try await Self.with { study in
            let codes = (0..<3).map { String(repeating: Character(String($0 + 2)), count: 26) }
            try await study.invite(codes)
            #expect(try await study.register(code: codes[0], installation: Self.mine).status == 201)
            _ = try await study.access.revokeInvitations([InvitationRegistration.proof(of: codes[1])])
            var answers: [Answer] = []
            for code in [Self.code, codes[0], codes[1], "", "not a code"] {
                answers.append(try await study.register(code: code, installation: Self.another))
            }
            study.clock.advance(3600)
            answers.append(try await study.register(code: codes[2], installation: Self.another))
            #expect(Set(answers.map(\.text)).count == 1)
            for answer in answers { #expect(answer.status == 401 && answer.oauthError == "invalid_client") }
            #expect(try await study.counted() == ["invitation-refused": answers.count])
            #expect(try await study.count("client") == 1)
        }
    }

    @Test func studyTakesOnlyTheProofsThatItNames() async throws {
        try await Self.with([.receipt]) { study in
            try await study.invite([Self.code])
            let answer = try await study.register(code: Self.code, installation: Self.mine)
            #expect(answer.status == 403 && answer.oauthError == "unauthorized_client")
            #expect(study.log.lines.last?.contains("invitation-not-accepted") == true)
            #expect(try await study.register(Made.receipt()).status == 201)
        }
        try await Self.with { study in
            let answer = try await study.register(Made.receipt())
            #expect(answer.status == 403 && answer.oauthError == "unauthorized_client")
            #expect(study.log.lines.last?.contains("receipt-not-accepted") == true)
        }
        try await Self.with([.receipt, .invitation]) { study in
            try await study.invite([Self.code])
            #expect(try await study.register(code: Self.code, installation: Self.mine).status == 201)
            #expect(try await study.register(Made.receipt()).status == 201)
            #expect(try await study.count("enrolment") == 2)
        }
    }

    @Test func malformedProofsHaveTheirError() async throws {
        try await Self.with { study in
            let cases: [(body: String, code: String)] = [
                ("{}", "receipt-missing"), (#"{"installation":"\#(Self.mine)"}"#, "receipt-missing"),
                (#"{"invitation":"p","receipt-data":"AAAA","installation":"\#(Self.mine)"}"#, "proof-twice"),
                (#"{"invitation":7,"installation":"\#(Self.mine)"}"#, "invitation-malformed"),
                (
                    #"{"invitation":"\#(String(repeating: "a", count: 129))","installation":"\#(Self.mine)"}"#,
                    "invitation-malformed"
                ),
                (#"{"invitation":"p"}"#, "installation-invalid"),
                (#"{"invitation":"p","installation":"short"}"#, "installation-invalid"),
                (#"{"invitation":"p","installation":null}"#, "installation-invalid"),
                (
                    #"{"invitation":"p","installation":"\#(String(repeating: "i", count: 129))"}"#,
                    "installation-invalid"
                ),
            ]
            for item in cases {
                let answer = try await study.send("POST", "/register", body: Data(item.body.utf8))
                #expect(answer.status == 400 && answer.oauthError == "invalid_request", "\(item.code)")
                #expect(study.log.lines.last?.contains(item.code) == true, "\(item.code)")
            }
            #expect(try await study.register(code: Self.code, installation: Self.mine, antispam: "no").status == 401)
        }
    }

    @Test func guessesOfAnAddressAreLimitedAndRegistrationsAreNot() async throws {
        try await Self.with(rates: [.registrationByReceipt: (0.1, 3)]) { study in
            let codes = (0..<6).map { String(repeating: Character(UnicodeScalar(UInt8(98 + $0))), count: 26) }
            try await study.invite(codes)
            for code in codes { #expect(try await study.register(code: code, installation: Self.mine).status == 201) }
            for guess in ["x", "y", "z"] {
                #expect(try await study.register(code: guess, installation: Self.mine).status == 401)
            }
            let limited = try await study.register(code: "v", installation: Self.mine)
            #expect(
                limited.status == 429 && limited.retryAfter == 10 && limited.oauthError == "temporarily_unavailable")
            study.clock.advance(10)
            #expect(try await study.register(code: "v", installation: Self.mine).status == 401)
        }
        try await Self.with(rates: [.registrationByReceipt: (0.1, 2)]) { study in
            try await study.invite([Self.code])
            for _ in 0..<2 {
                #expect(try await study.register(code: Self.code, installation: Self.mine).status == 201)
            }
            #expect(try await study.register(code: Self.code, installation: Self.mine).status == 429)
        }
    }
}

extension Study {
    /// Adds invitations with these codes, for an hour.
    func invite(_ codes: [String]) async throws {
        try await access.addInvitations(
            codes.map(InvitationRegistration.proof), expiresAt: clock.now.addingTimeInterval(3600))
    }

    func register(code: String, installation: String, antispam: String? = antispamWord) async throws -> Answer {
        let registration = InvitationRegistration(code: code, installation: installation, clientName: "Planted Name")
        return try await send("POST", "/register", antispam: antispam, body: JSONEncoder().encode(registration))
    }
}
