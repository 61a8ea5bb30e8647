import AccountClient
import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults
import Testing

@Suite struct SigningOutTests {
    /// A member with all kinds of local copies.
    func member(_ phone: AccountFixture) async throws -> AccountClient {
        let client = try await phone.member()
        try await client.updateProfile { $0.givenName = "Planted" }
        await phone.model.append(toFeed: ["patient": "patient-planted", "groups": [], "changed": []])
        try await client.pullPatients()
        let contents = try phone.contents()
        for text in ["ann@example.org", "Planted", "patient-planted", "access-", "refresh-"] {
            #expect(contents.contains(text), "\(text)")
        }
        _ = await phone.model.takeLines()
        return client
    }

    func expectNothing(_ phone: AccountFixture) async throws {
        let contents = try phone.contents()
        for text in ["ann@example.org", "lanted", "access-", "refresh-", "account-1", "study.example", "blue"] {
            #expect(!contents.contains(text), "\(text) in \(contents)")
        }
        #expect(try AccountServer.stored(in: phone.store()) == nil)
        #expect(await (try phone.client()).state == .signedOut)
    }

    @Test func logoutEndsTheSessionAndTheNextUserFindsNothing() async throws {
        let phone = try AccountFixture()
        let client = try await member(phone)
        #expect(try await client.logout())
        #expect(await phone.model.takeLines() == ["DELETE sessions/current"])
        #expect(await phone.model.sessions.isEmpty)
        #expect(await client.state == .signedOut)
        try await expectNothing(phone)
        #expect(await number { _ = try await client.holder() } == 708)
    }

    @Test func logoutWithoutNetworkRemovesTheCopies() async throws {
        let phone = try AccountFixture()
        let client = try await member(phone)
        await phone.model.fail(.loseRequest)
        #expect(try await client.logout() == false)
        try await expectNothing(phone)
    }

    @Test func logoutAfterTheAccessTokenEndedStillEndsTheSession() async throws {
        let phone = try AccountFixture()
        let client = try await member(phone)
        phone.clock.advance(7_200)
        #expect(try await client.logout())
        #expect(await phone.model.takeLines() == ["POST sessions/refresh", "DELETE sessions/current"])
        #expect(await phone.model.sessions.isEmpty)
        try await expectNothing(phone)
    }

    /// A disk that fails leaves as little as possible, and the session ends anyway.
    @Test func logoutReportsACopyThatItCouldNotRemove() async throws {
        let phone = try AccountFixture()
        _ = try await member(phone)
        let files = StoppingFiles()
        let client = try phone.client(files: files)
        files.stop(after: 0)
        let error = await thrown { try await client.logout() }
        #expect(error is DeviceStorageError)
        #expect(await phone.model.sessions.isEmpty)
        #expect(await client.state == .signedOut)
        files.stop(after: nil)
        try await client.logout()
        try await expectNothing(phone)
    }

    @Test func anotherAccountStartsFromNothing() async throws {
        let phone = try AccountFixture()
        let client = try await member(phone)
        _ = try await phone.member("bob@example.org", on: "other")
        try await client.login(email: "bob@example.org", password: "good password")
        #expect(try await client.pulledPatients() == [])
        let contents = try phone.contents()
        #expect(!contents.contains("Planted") && !contents.contains("patient-planted"))
        #expect(!contents.contains("ann@example.org"))
        // The session of the first account has ended; two of the second one remain.
        let accounts = await phone.model.sessions.map(\.account)
        #expect(Set(accounts).count == 1 && accounts.count == 2)
    }

    @Test func theSameAccountKeepsItsCopies() async throws {
        let phone = try AccountFixture()
        let client = try await member(phone)
        await phone.model.endSessions()
        phone.clock.advance(7_200)
        #expect(await number { _ = try await client.holder() } == 708)
        #expect(await client.state == .signedOut)
        let again = try phone.client()
        #expect(await again.state == .signedOut)
        try await again.login(email: "ann@example.org", password: "good password")
        #expect(try await again.pulledPatients() == ["patient-planted"])
    }

    /// At each point at which a login as another account can stop, no copy of the former account is read.
    @Test func aLoginThatStopsNeverMixesTwoAccounts() async throws {
        for stop in 0...20 {
            let phone = try AccountFixture()
            _ = try await member(phone)
            _ = try await phone.member("bob@example.org", on: "other")
            let files = StoppingFiles()
            let client = try phone.client(files: files)
            files.stop(after: stop)
            _ = await thrown { try await client.login(email: "bob@example.org", password: "good password") }
            let isComplete = files.changes < stop
            files.stop(after: nil)
            let again = try phone.client()
            let email = await again.state.holder?.email
            if email == "bob@example.org" {
                #expect(try await again.pulledPatients() == [])
                #expect(await again.state.profile?.givenName == nil)
            } else {
                #expect(email == nil || email == "ann@example.org")
            }
            try await again.login(email: "bob@example.org", password: "good password")
            #expect(try await again.pulledPatients() == [])
            #expect(try !phone.contents().contains("lanted"))
            if isComplete { break }
            #expect(stop < 20)
        }
    }

    @Test func deletionNeedsThePasswordAndRemovesTheCopies() async throws {
        let phone = try AccountFixture()
        let client = try await member(phone)
        #expect(await number { try await client.deleteAccount(password: "wrong password") } == 710)
        #expect(await client.state.holder != nil)
        try await client.deleteAccount(password: "good password")
        #expect(await phone.model.accounts.isEmpty)
        try await expectNothing(phone)
    }
}
