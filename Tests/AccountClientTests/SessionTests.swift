import AccountClient
import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults
import Synchronization
import Testing

@Suite struct SessionTests {
    @Test func aTokenIsRenewedBeforeItEnds() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(3_539)
        _ = try await client.holder()
        #expect(await phone.model.takeLines() == ["GET me"])
        phone.clock.advance(2)
        _ = try await client.holder()
        #expect(await phone.model.takeLines() == ["POST sessions/refresh", "GET me"])
    }

    @Test func aRejectedTokenIsRenewedOnce() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.fail(.answer(ModelAccounts.problem(401, code: "not-signed-in", cmhealth: 708)))
        #expect(try await client.holder().email == "ann@example.org")
        #expect(await phone.model.takeLines() == ["GET me", "POST sessions/refresh", "GET me"])
        for index in [0, 2] {
            await phone.model.fail(.answer(TransportResponse(status: 401)), after: index)
        }
        let error = await thrown { _ = try await client.holder() } as? AccountClientError
        #expect(error?.cmhealth == .unauthorized && error?.code == "token-refused")
        #expect(await phone.model.takeLines().count == 3)
        #expect(await client.state.holder != nil)
    }

    @Test func aWrongPasswordIsNoReasonToRenew() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        #expect(await number { try await client.changePassword("wrong", to: "new password") } == 710)
        #expect(await phone.model.takeLines() == ["PUT me/password"])
    }

    @Test func concurrentCallsShareOneRenewal() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(7_200)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await client.holder().email } }
            for try await email in group { #expect(email == "ann@example.org") }
        }
        let lines = await phone.model.takeLines()
        #expect(lines.filter { $0 == "POST sessions/refresh" }.count == 1)
        #expect(lines.count == 21)
    }

    @Test func concurrentRejectionsShareOneRenewal() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        for index in 0..<5 {
            await phone.model.fail(
                .answer(ModelAccounts.problem(401, code: "not-signed-in", cmhealth: 708)), after: index)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { _ = try await client.holder() } }
            try await group.waitForAll()
        }
        let renewals = await phone.model.takeLines().filter { $0 == "POST sessions/refresh" }.count
        // A call that starts after the renewal of another may be rejected by the script again.
        #expect((1...5).contains(renewals))
        #expect(await phone.model.sessions.count == 1)
    }

    @Test func theCancellationOfOneCallDoesNotEndTheRenewalOfOthers() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(7_200)
        let cancelled = Task { _ = try? await client.holder() }
        cancelled.cancel()
        #expect(try await client.holder().email == "ann@example.org")
        await cancelled.value
        #expect(await phone.model.sessions.count == 1)
    }

    /// When a request with the new access token arrives, the new tokens are in the folder.
    @Test func newTokensAreDurableBeforeTheyAreUsed() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let seen = Mutex<[Bool]>([])
        let store = phone.store()
        await phone.model.observe { request in
            guard let token = request.headers["Authorization"]?.dropFirst(7) else { return }
            let stored = try? FileSecrets(folder: store).secret(named: "account-session")
            let isStored = String(decoding: stored ?? Data(), as: UTF8.self).contains("\"\(token)\"")
            seen.withLock { $0.append(isStored) }
        }
        for _ in 0..<3 {
            phone.clock.advance(3_600)
            _ = try await client.holder()
        }
        #expect(seen.withLock { $0 } == [true, true, true])
    }

    @Test func aLostAnswerIsCoveredByTheFormerToken() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(7_200)
        await phone.model.fail(.loseAnswer)
        #expect(await number { _ = try await client.holder() } == 801)
        #expect(await client.state.holder != nil)
        phone.clock.advance(59)
        #expect(try await client.holder().email == "ann@example.org")
    }

    @Test func aFormerTokenAfterItsGraceEndsTheSession() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(7_200)
        await phone.model.fail(.loseAnswer)
        #expect(await number { _ = try await client.holder() } == 801)
        phone.clock.advance(61)
        #expect(await number { _ = try await client.holder() } == 708)
        #expect(await client.state == .signedOut)
        _ = await phone.model.takeLines()
        #expect(await number { _ = try await client.holder() } == 708)
        #expect(await phone.model.takeLines() == [])
    }

    /// At each point at which the app can stop during a renewal, the next start continues the session.
    @Test func aStopDuringARenewalLosesNoSession() async throws {
        for stop in 0...10 {
            let phone = try AccountFixture()
            _ = try await phone.member()
            let files = StoppingFiles()
            let client = try phone.client(files: files)
            phone.clock.advance(7_200)
            files.stop(after: stop)
            let error = await thrown { _ = try await client.holder() }
            #expect(error == nil || error is DeviceStorageError)
            phone.clock.advance(50)
            let again = try phone.client()
            #expect(try await again.holder().email == "ann@example.org")
            if error == nil { return }
        }
        Issue.record("No renewal completed.")
    }

    /// A full disk: the new tokens stay in memory, and are stored before they are used.
    @Test func tokensThatCouldNotBeStoredAreStoredLater() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let files = StoppingFiles()
        let client = try phone.client(files: files)
        phone.clock.advance(7_200)
        files.stop(after: 0)
        #expect(await thrown { _ = try await client.holder() } is DeviceStorageError)
        phone.clock.advance(600)
        #expect(await thrown { _ = try await client.holder() } is DeviceStorageError)
        files.stop(after: nil)
        _ = await phone.model.takeLines()
        #expect(try await client.holder().email == "ann@example.org")
        // The former refresh token would end the session by now.
        #expect(await phone.model.takeLines() == ["GET me"])
        #expect(try await phone.client().holder().email == "ann@example.org")
    }

    @Test func twoProcessesWithOneFolderShareTheSession() async throws {
        let phone = try AccountFixture()
        let one = try await phone.member()
        let two = try phone.client()
        for _ in 0..<5 {
            phone.clock.advance(3_700)
            async let first = one.holder()
            async let second = two.holder()
            #expect(try await first.account == second.account)
        }
        let renewals = await phone.model.takeLines().filter { $0 == "POST sessions/refresh" }.count
        #expect(renewals == 5)
    }

    @Test func aLogoutOfAnotherProcessIsSeenAtTheNextRenewal() async throws {
        let phone = try AccountFixture()
        let one = try await phone.member()
        let two = try phone.client()
        try await two.logout()
        #expect(await number { _ = try await one.holder() } == 708)
        #expect(await one.state == .signedOut)
    }

    /// The answer of a renewal that arrives after a logout is not stored.
    @Test func aLogoutDuringARenewalHasTheLastWord() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(7_200)
        let isFirst = Mutex(true)
        await phone.model.observe { request in
            let isOurs = isFirst.withLock { isFirst in
                defer { isFirst = isFirst && !request.url.path.hasSuffix("refresh") }
                return isFirst && request.url.path.hasSuffix("refresh")
            }
            if isOurs { _ = try? await client.logout() }
        }
        #expect(await number { _ = try await client.holder() } == 708)
        #expect(await client.state == .signedOut)
        #expect(try !phone.contents().contains("refresh-"))
        #expect(await phone.model.sessions.isEmpty)
    }

    /// A call of one account is not repeated as another.
    @Test func aRepeatedRequestStaysWithItsAccount() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        _ = try await phone.member("bob@example.org", on: "other")
        let isFirst = Mutex(true)
        await phone.model.observe { request in
            guard request.url.path.hasSuffix("photo"), isFirst.withLock({ exchanging(&$0) }) else { return }
            _ = try? await client.login(email: "bob@example.org", password: "good password")
        }
        // The first account's session ends while the request is on its way.
        #expect(await number { try await client.savePhoto(AccountFixture.jpeg) } == 708)
        #expect(await phone.model.account("bob@example.org")?.photo == nil)
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, "x", #"{"account":"a","accessToken":"x y","expiresIn":1,"refreshToken":"r"}"#,
        #"{"account":"a","accessToken":"x","refreshToken":"r"}"#,
        #"{"account":"..","accessToken":"x","expiresIn":1,"refreshToken":"r"}"#,
        #"{"account":"a","accessToken":"x\r\n","expiresIn":1,"refreshToken":"r"}"#,
    ])
    func anAnswerThatIsNoSessionIsRefused(body: String) async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        let answer = TransportResponse(status: 201, body: Data(body.utf8))
        await phone.model.fail(.answer(answer))
        #expect(await number { try await client.login(email: "ann@example.org", password: "good password") } == 805)
        #expect(await client.state == .signedOut)
    }

    @Test func aRenewalForAnotherAccountIsRefused() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        phone.clock.advance(7_200)
        let body = #"{"account":"other","accessToken":"x","expiresIn":3600,"refreshToken":"r"}"#
        await phone.model.fail(.answer(TransportResponse(status: 200, body: Data(body.utf8))))
        #expect(await number { _ = try await client.holder() } == 805)
        #expect(try await client.holder().email == "ann@example.org")
    }

    @Test func statesAreASequence() async throws {
        let phone = try AccountFixture()
        let client = try phone.client()
        var states = await client.states().makeAsyncIterator()
        #expect(await states.next() == .signedOut)
        try await client.signUp(email: "ann@example.org", password: "good password")
        #expect(await states.next()?.holder?.groups == [])
        #expect(await states.next()?.holder?.groups == ["main"])
        #expect(await states.next()?.profile == AccountProfile())
        try await client.updateProfile { $0.givenName = "Ann" }
        #expect(await states.next()?.profile?.givenName == "Ann")
        _ = try await client.profile()
        try await client.verify(code: "C1")
        #expect(await states.next()?.holder?.isVerified == true)
        try await client.logout()
        #expect(await states.next() == .signedOut)
    }
}

/// Returns a value and sets it to false.
private func exchanging(_ value: inout Bool) -> Bool {
    defer { value = false }
    return value
}
