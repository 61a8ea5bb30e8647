import AccessPolicy
import AccessTestSupport
import Audit
import Foundation
import Identity
import Storage
import StorageTestSupport
import Submissions
import Testing

@testable import Enrolments

@Suite(.timeLimit(.minutes(10)))
struct DeviceAccessTests {
    private func device(_ access: DeviceAccess, _ receipt: String = "r1") async throws -> Actor {
        let credentials = try await access.registerClient(receiptDigest: receipt)
        return try #require(
            try await access.authenticateClient(id: credentials.clientID, secret: credentials.clientSecret))
    }

    @Test func aRegisteredClientGetsATokenThatExpires() async throws {
        try await withDevices { access, _, clock async throws in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            #expect(credentials.clientSecret.count == 43)
            let actor = try #require(
                try await access.authenticateClient(id: credentials.clientID, secret: credentials.clientSecret))
            #expect(actor.role == .device && actor.id == credentials.clientID && actor.enrolmentID != nil)
            // This store does not know the device's participant.
            #expect(actor.participant == nil)
            let issued = try await access.issueToken(for: actor, lifetime: 1800)
            #expect(issued.expiresAt == clock.now.addingTimeInterval(1800))
            #expect(try await access.authenticate(bearer: issued.token) == actor)
            clock.advance(1799)
            #expect(try await access.authenticate(bearer: issued.token) == actor)
            clock.advance(1)
            #expect(try await access.authenticate(bearer: issued.token) == nil)
        }
    }

    @Test func wrongProofsAreRefused() async throws {
        try await withDevices { access, _, _ async throws in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            for (id, secret) in [
                (credentials.clientID, ""), (credentials.clientID, credentials.clientSecret + "x"), ("", ""),
                ("nobody", credentials.clientSecret), ("nobody", ""), ("a\u{0}b", "x"),
                (credentials.clientID, SecretDigest(of: credentials.clientSecret).hex),
            ] {
                #expect(try await access.authenticateClient(id: id, secret: secret) == nil)
            }
            for token in ["", "x", "a\u{0}b", credentials.clientSecret, "' OR 1=1 --"] {
                #expect(try await access.authenticate(bearer: token) == nil)
            }
        }
    }

    @Test func expiredTokensArePurged() async throws {
        try await withDevices { access, database, clock async throws in
            let actor = try await device(access)
            for _ in 0..<3 { _ = try await access.issueToken(for: actor, lifetime: 10) }
            clock.advance(11)
            _ = try await access.issueToken(for: actor, lifetime: 10)
            #expect(try await database.read { try $0.query("SELECT client_id FROM access_token").count } == 1)
            let enrolment = try #require(try await access.enrolments().first)
            #expect(enrolment.lastSeen == clock.now && enrolment.revokedAt == nil)
        }
    }

    @Test func tokensOfAClientAreLimited() async throws {
        try await withDevices { access, database, clock async throws in
            let actor = try await device(access)
            let other = try await device(access, "r2")
            let kept = try await access.issueToken(for: other, lifetime: 10_000).token
            var tokens: [String] = []
            for _ in 0..<(3 * DeviceAccess.tokensPerClient) {
                clock.advance(1)
                tokens.append(try await access.issueToken(for: actor, lifetime: 10_000).token)
            }
            let rows = try await database.read { try $0.query("SELECT client_id FROM access_token").count }
            #expect(rows == DeviceAccess.tokensPerClient + 1)
            // The newest tokens are valid, the oldest has ended, and those of other clients are not affected.
            for token in tokens.suffix(DeviceAccess.tokensPerClient) {
                #expect(try await access.authenticate(bearer: token) == actor)
            }
            for token in tokens.dropLast(DeviceAccess.tokensPerClient) {
                #expect(try await access.authenticate(bearer: token) == nil)
            }
            #expect(try await access.authenticate(bearer: kept) == other)
        }
    }

    @Test func theSameReceiptReplacesTheClientAndKeepsItsEnrolment() async throws {
        try await withDevices { access, _, _ async throws in
            let first = try await access.registerClient(receiptDigest: "r1")
            let firstActor = try #require(
                try await access.authenticateClient(id: first.clientID, secret: first.clientSecret))
            let firstToken = try await access.issueToken(for: firstActor, lifetime: 1800).token
            let secondActor = try await device(access)
            #expect(secondActor.id != first.clientID && secondActor.enrolmentID == firstActor.enrolmentID)
            #expect(try await access.authenticateClient(id: first.clientID, secret: first.clientSecret) == nil)
            #expect(try await access.authenticate(bearer: firstToken) == nil)
            let error = await #expect(throws: AccessError.self) {
                _ = try await access.issueToken(for: firstActor, lifetime: 10)
            }
            #expect(error?.code == "client-revoked")
        }
    }

    @Test func aRevokedDeviceMayNeitherSendNorRegisterAgain() async throws {
        try await withDevices { access, database, clock async throws in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            let actor = try #require(
                try await access.authenticateClient(id: credentials.clientID, secret: credentials.clientSecret))
            let token = try await access.issueToken(for: actor, lifetime: 1800).token
            let other = try await device(access, "r2")
            let id = try #require(actor.enrolmentID)
            #expect(try await !access.revoke(enrolment: "nobody"))
            #expect(try await access.revoke(enrolment: id))
            let at = clock.now
            clock.advance(60)
            #expect(try await access.revoke(enrolment: id))
            #expect(try await access.authenticate(bearer: token) == nil)
            let id2 = credentials.clientID
            #expect(try await access.authenticateClient(id: id2, secret: credentials.clientSecret) == nil)
            let before = try await database.contents(["enrolment", "client"])
            let error = await #expect(throws: AccessError.self) {
                _ = try await access.registerClient(receiptDigest: "r1")
            }
            #expect(error?.code == "enrolment-revoked")
            #expect(try await database.contents(["enrolment", "client"]) == before)
            let listed = try await access.enrolments()
            #expect(listed.first { $0.id == id }?.revokedAt == at)
            #expect(listed.first { $0.id == other.enrolmentID }?.revokedAt == nil)
        }
    }

    @Test func senderIsCachedForSomeSecondsAndNotAfterItsTokenExpires() async throws {
        try await withDevices { access, database, clock async throws in
            let actor = try await device(access)
            let token = try await access.issueToken(for: actor, lifetime: 15).token
            #expect(try await access.authenticateSender(bearer: token)?.id == actor.id)
            #expect(try await access.authenticateSender(bearer: "another") == nil)
            // 1. For some seconds this value and its copies do not query the store.
            try await database.write { _ = try $0.execute("DELETE FROM access_token WHERE 1 = ?", [1]) }
            let copy = access
            clock.advance(RecentTokens<Actor>.lifetime - 1)
            #expect(try await copy.authenticateSender(bearer: token) == actor)
            #expect(try await access.authenticate(bearer: token) == nil)
            // 2. Then they do.
            clock.advance(1)
            #expect(try await access.authenticateSender(bearer: token) == nil)
            // 3. A token that expires meanwhile is invalid, and a clock that was set back extends nothing.
            let short = try await access.issueToken(for: actor, lifetime: 5).token
            #expect(try await access.authenticateSender(bearer: short) != nil)
            clock.advance(5)
            #expect(try await access.authenticateSender(bearer: short) == nil)
            let other = try await access.issueToken(for: actor, lifetime: 1800).token
            #expect(try await access.authenticateSender(bearer: other) != nil)
            try await database.write { _ = try $0.execute("DELETE FROM access_token WHERE 1 = ?", [1]) }
            clock.advance(-3600)
            #expect(try await access.authenticateSender(bearer: other) == nil)
        }
    }

    @Test func cachedSendersAreLimited() {
        let recent = RecentTokens<Actor>()
        let now = Date(timeIntervalSince1970: 0)
        for number in 0..<(3 * RecentTokens<Actor>.maximumEntries) {
            recent.keep(
                Actor(id: "\(number)", role: .device), digest: "\(number)", expiresAt: now + 1800, now: now)
        }
        #expect(recent.count <= RecentTokens<Actor>.maximumEntries)
    }

    @Test func enrolmentsHaveTheNumberOfWaitingSubmissions() async throws {
        try await withDevices { access, database, clock async throws in
            let actor = try await device(access)
            let enrolmentID = try #require(actor.enrolmentID)
            let queue = SQLSubmissionQueue(database: database)
            for id in ["1", "2", "3"] {
                let new = NewSubmission(
                    clientID: actor.id, enrolmentID: enrolmentID, submissionID: id, digest: "d", format: .jwe,
                    body: Data("sealed".utf8), receivedAt: clock.now)
                #expect(try await queue.enqueue(new, quota: nil) == .accepted)
            }
            let leased = try await queue.lease(owner: "o", limit: 3, duration: 30, now: clock.now, isIdle: true)
            _ = try await queue.settle(leased[0], as: SubmissionOutcome(status: .stored), at: clock.now)
            _ = try await queue.settle(leased[1], as: SubmissionOutcome(status: .held), at: clock.now)
            let enrolment = try #require(try await access.enrolments().first)
            #expect(enrolment.id == enrolmentID && enrolment.waiting == 2 && enrolment.lastSeen == nil)
            #expect(enrolment.since == clock.now)
        }
    }

    @Test func onlyDevicesGetTokens() async throws {
        try await withDevices { access, _, _ async throws in
            for actor in [Actor(id: "s", role: .staff), site] {
                let error = await #expect(throws: AccessError.self) {
                    _ = try await access.issueToken(for: actor, lifetime: 10)
                }
                #expect(error?.code == "not-a-device")
            }
        }
    }

    @Test func noSecretAndNoParticipantIsStored() async throws {
        try await withDevices { access, database, _ async throws in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            let actor = try #require(
                try await access.authenticateClient(id: credentials.clientID, secret: credentials.clientSecret))
            let token = try await access.issueToken(for: actor, lifetime: 10).token
            let stored = try await database.contents(["enrolment", "client", "access_token"])
            #expect(stored.contains(credentials.clientID))
            for secret in [credentials.clientSecret, token] { #expect(!stored.contains(secret)) }
            let columns = try await database.read { transaction in
                try transaction.tableNames().flatMap { try transaction.columnNames(of: $0) }
            }
            #expect(columns.contains("enrolment_id"))
            for word in ["participant", "subject", "version", "staff"] {
                #expect(!columns.contains { $0.contains(word) }, "\(word)")
            }
        }
    }

    @Test func manyRegistrationsOfOneReceiptLeaveOneClient() async throws {
        try await withDevices { access, database, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await access.registerClient(receiptDigest: "same") } }
                try await group.waitForAll()
            }
            let clients = try await database.read { try $0.query("SELECT revoked_at, enrolment_id FROM client") }
            #expect(clients.count == 20 && clients.count(where: { $0["revoked_at"] == .null }) == 1)
            #expect(try await access.enrolments().count == 1)
        }
    }

    @Test(
        arguments: [
            ("token", DeviceAccess.tokenSQL, 2, [SubmissionsSchema.migrations, []]),
            (
                "binding of a device", EnrolmentStore.bindingOfDeviceSQL, 1,
                [[.baseline(of: "records", AccessSchema.sections)], []]
            ),
            (
                "binding of a participant", EnrolmentStore.bindingOfParticipantSQL, 1,
                [[.baseline(of: "records", AccessSchema.sections)], []]
            ),
        ] as [(String, String, Int, [[Migration]])])
    func queriesOfEachRequestUseTheirIndexes(
        name: String, sql: String, parameters: Int, migrations: [[Migration]]
    ) async throws {
        try await withTemporaryDatabase(migrations.flatMap { $0 }) { database in
            let plan = try await database.read {
                try QueryPlan(sql, Array(repeating: SQLValue(1), count: parameters), in: $0)
            }
            #expect(!plan.lines.isEmpty && !plan.readsAll, "\(plan)")
        }
    }
}
