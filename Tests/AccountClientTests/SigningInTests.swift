import AccountClient
import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults
import Testing

@Suite struct SigningInTests {
    @Test func signUpIsOneRequestThenTheAccountIsRead() async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        var profile = AccountProfile()
        profile.givenName = "Ann"
        let holder = try await client.signUp(
            email: "Ann@Example.org", password: "good password", profile: profile, group: "main")
        #expect(holder.email == "Ann@Example.org" && holder.groups == ["main"] && !holder.isVerified)
        #expect(await phone.model.takeLines() == ["POST accounts", "GET me", "GET me/profile"])
        #expect(await client.state.profile?.givenName == "Ann")
    }

    @Test func signUpTakesARegistrationAtAnyDepth() async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        try await client.signUp(registration: AccountFixture.registration())
        let profile = try #require(await client.state.profile)
        #expect(profile.givenName == "Ann" && profile.familyName == "Roe")
        #expect(profile.gender == "female" && profile.dateOfBirth == "1980-02-29")
        #expect(await phone.model.account("ann@example.org")?.password == "good password")
    }

    @Test func signUpWithoutRegistrationSendsNothing() async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        #expect(await number { try await client.signUp(registration: AccountFixture.consent()) } == 701)
        #expect(await number { try await client.signUp(registration: .null) } == 701)
        #expect(await number { try await client.signUp(email: "a@b", password: "good password") } == 712)
        #expect(await number { try await client.signUp(email: "ann@example.org", password: "") } == 712)
        #expect(await number { try await client.login(email: "nothing", password: "x") } == 712)
        #expect(await number { try await client.requestPasswordReset(email: "nothing") } == 712)
        #expect(await phone.model.takeLines() == [])
    }

    @Test func aSecondAccountWithOneAddressIsADuplicate() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let other = try phone.client("other")
        #expect(await number { try await other.signUp(email: "ann@example.org", password: "good password") } == 711)
        #expect(await number { try await other.signUp(email: "bob@example.org", password: "short") } == 712)
        #expect(await other.state == .signedOut)
    }

    @Test func anUnknownAddressAndAWrongPasswordAreTheSameError() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let other = try phone.client("other")
        let unknown = await thrown { try await other.login(email: "eve@example.org", password: "good password") }
        let wrong = await thrown { try await other.login(email: "ann@example.org", password: "bad password") }
        #expect(unknown as? AccountClientError == wrong as? AccountClientError)
        #expect((wrong as? AccountClientError)?.cmhealth == .invalidCredentials)
        #expect(await phone.model.takeLines() == ["POST sessions", "POST sessions"])
    }

    @Test func loginReadsAccountAndProfile() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let other = try phone.client("other")
        try await other.login(email: "ann@example.org", password: "good password")
        #expect(await phone.model.takeLines() == ["POST sessions", "GET me", "GET me/profile"])
        #expect(await other.state.holder?.email == "ann@example.org")
    }

    /// The account is signed in although it cannot be read yet.
    @Test func aLoginSurvivesALostAnswerAfterIt() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let other = try phone.client("other")
        await phone.model.fail(.loseAnswer, after: 1)
        try await other.login(email: "ann@example.org", password: "good password")
        #expect(await other.state.holder?.email == "ann@example.org")
        #expect(try await other.holder().groups == ["main"])
    }

    @Test func aLostAnswerOfASignUpIsFollowedByALogin() async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        await phone.model.fail(.loseAnswer)
        #expect(await number { try await client.signUp(email: "ann@example.org", password: "good password") } == 801)
        #expect(await client.state == .signedOut)
        #expect(await number { try await client.signUp(email: "ann@example.org", password: "good password") } == 711)
        try await client.login(email: "ann@example.org", password: "good password")
        #expect(await client.state.holder != nil)
    }

    @Test func aStartOfTheAppContinuesTheSession() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let again = try phone.client()
        #expect(await again.state.holder?.email == "ann@example.org")
        #expect(await phone.model.takeLines() == [])
        #expect(try await again.resume().holder?.email == "ann@example.org")
        #expect(await phone.model.takeLines() == ["GET me", "GET me/profile"])
    }

    @Test func withoutASessionNothingIsSent() async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        #expect(try await client.resume() == .signedOut)
        #expect(await number { _ = try await client.holder() } == 708)
        #expect(await number { _ = try await client.photo() } == 708)
        #expect(await number { _ = try await client.results().all() } == 708)
        #expect(await number { _ = try await client.save(AccountFixture.result(1)) } == 708)
        #expect(try await client.logout() == false)
        #expect(await phone.model.takeLines() == [])
    }

    @Test func theStoreHasModes700And600() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let manager = FileManager.default
        func mode(_ path: String) throws -> Int? {
            try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(phone.store().path) == 0o700)
        for name in try manager.contentsOfDirectory(atPath: phone.store().path) {
            #expect(try mode(phone.store().appendingPathComponent(name).path) == 0o600, "\(name)")
        }
    }

    @Test(arguments: [
        ("http://study.example", "blue"), ("https://study.example?a=b", "blue"), ("ftp://study.example", "blue"),
        ("https://", "blue"), ("study.example", "blue"), ("https://a:b@study.example", "blue"),
        ("https://study.example", ""), ("https://study.example", "a\r\nb"),
    ])
    func anAddressThatCouldLeakIsRefused(address: String, antispam: String) {
        let error = #expect(throws: AccountClientError.self) { try AccountServer(address, antispam: antispam) }
        #expect(error?.code == "url-invalid")
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://[::1]:1/", "https://study.example/base/"])
    func otherAddressesAreAccepted(address: String) throws {
        #expect(try AccountServer(address, antispam: "blue").url.absoluteString == address)
    }
}
