import Foundation
import Storage
import Synchronization
import Testing

@testable import Trust

/// A clock that the test moves.
final class TestClock: Sendable {
    private let seconds = Mutex(1_767_225_600.0)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ interval: Double) {
        seconds.withLock { $0 += interval }
    }
}

private func withAccess(_ body: (AccessControl, any SQLDatabase, TestClock) async throws -> Void)
    async throws
{
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
        "trust-\(UUID().uuidString).db"
    ).path
    defer {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }
    let database = try await openDatabase(url: "sqlite:\(path)", migrations: TrustSchema.migrations)
    let clock = TestClock()
    try await body(AccessControl(database: database, clock: { clock.now }), database, clock)
    try await database.close()
}

@Suite("Access control", .timeLimit(.minutes(1)))
struct AccessControlTests {
    @Test func aRegisteredClientGetsATokenThatExpires() async throws {
        try await withAccess { access, _, clock in
            let credentials = try await access.registerClient(receiptDigest: "r1", name: "App")
            #expect(credentials.clientSecret.count == 43)
            let actor = try #require(
                try await access.authenticateClient(
                    id: credentials.clientID, secret: credentials.clientSecret))
            #expect(actor.role == .device && actor.id == credentials.clientID && actor.participant == nil)
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
        try await withAccess { access, _, _ in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            for (id, secret) in [
                (credentials.clientID, ""), (credentials.clientID, credentials.clientSecret + "x"),
                ("", ""),
                ("nobody", credentials.clientSecret), ("nobody", ""), ("a\u{0}b", "x"),
                (credentials.clientID, SecretDigest(of: credentials.clientSecret).hex),
            ] {
                #expect(try await access.authenticateClient(id: id, secret: secret) == nil)
            }
            for token in ["", "x", credentials.clientSecret, "' OR 1=1 --"] {
                #expect(try await access.authenticate(bearer: token) == nil)
            }
        }
    }

    @Test func expiredTokensArePurged() async throws {
        try await withAccess { access, database, clock in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            let actor = try #require(
                try await access.authenticateClient(
                    id: credentials.clientID, secret: credentials.clientSecret))
            for _ in 0..<3 { _ = try await access.issueToken(for: actor, lifetime: 10) }
            clock.advance(11)
            _ = try await access.issueToken(for: actor, lifetime: 10)
            #expect(
                try await database.read { try $0.query("SELECT client_id FROM access_token").count } == 1)
            let summary = try #require(try await access.clients().first)
            #expect(summary.lastSeenAt == clock.now && summary.revokedAt == nil)
        }
    }

    @Test func theSameReceiptReplacesTheClientAndKeepsItsBinding() async throws {
        try await withAccess { access, database, _ in
            let first = try await access.registerClient(receiptDigest: "r1")
            let firstActor = try #require(
                try await access.authenticateClient(id: first.clientID, secret: first.clientSecret))
            let firstToken = try await access.issueToken(for: firstActor, lifetime: 1800).token
            let bound = try await database.write {
                try access.bind(clientID: first.clientID, toParticipant: "anna", in: $0)
            }
            #expect(bound == Decision(allowed: true, reason: "bound"))
            let second = try await access.registerClient(receiptDigest: "r1")
            #expect(second.clientID != first.clientID)
            #expect(
                try await access.authenticateClient(id: first.clientID, secret: first.clientSecret) == nil)
            #expect(try await access.authenticate(bearer: firstToken) == nil)
            let error = await #expect(throws: TrustError.self) {
                _ = try await access.issueToken(for: firstActor, lifetime: 10)
            }
            #expect(error?.code == "client-revoked")
            let secondActor = try #require(
                try await access.authenticateClient(id: second.clientID, secret: second.clientSecret))
            #expect(
                secondActor.participant == "anna" && secondActor.enrolmentID == firstActor.enrolmentID)
            // What the earlier client has queued is still judged as its device's.
            let earlier = try await database.read { try access.actor(forClient: first.clientID, in: $0) }
            #expect(earlier?.participant == "anna")
            let again = try await database.write {
                try access.bind(clientID: second.clientID, toParticipant: "anna", in: $0)
            }
            #expect(again.allowed)
        }
    }

    @Test func aParticipantBelongsToOneDeviceAndADeviceToOneParticipant() async throws {
        try await withAccess { access, database, _ in
            let anna = try await access.registerClient(receiptDigest: "r1")
            let mallory = try await access.registerClient(receiptDigest: "r2")
            let decisions = try await database.write { transaction in
                try [
                    (anna.clientID, "anna"), (mallory.clientID, "anna"), (anna.clientID, "anna"),
                    (anna.clientID, "bert"), (mallory.clientID, "mallory"), ("nobody", "anna"),
                ].map { try access.bind(clientID: $0.0, toParticipant: $0.1, in: transaction) }
            }
            #expect(
                decisions.map(\.reason) == [
                    "bound", "already-bound", "permitted", "other-participant", "bound", "unknown-client",
                ])
            #expect(decisions.map(\.allowed) == [true, false, true, false, true, false])
            let audited = try await database.read { transaction in
                try transaction.query(
                    "SELECT reason FROM audit WHERE action = 'bind-participant' ORDER BY number"
                ).map {
                    try $0.text("reason")
                }
            }
            #expect(audited == decisions.map(\.reason))
        }
    }

    @Test func staffTokensWorkUntilTheyExpire() async throws {
        try await withAccess { access, _, clock in
            let lasting = try await access.createStaffToken(name: "Team")
            let brief = try await access.createStaffToken(lifetime: 60)
            let actor = try #require(try await access.authenticate(bearer: brief))
            #expect(actor.role == .staff && actor.id != brief)
            clock.advance(61)
            #expect(try await access.authenticate(bearer: brief) == nil)
            #expect(try await access.authenticate(bearer: lasting)?.role == .staff)
            let error = await #expect(throws: TrustError.self) {
                _ = try await access.issueToken(for: actor, lifetime: 10)
            }
            #expect(error?.code == "not-a-device")
        }
    }

    @Test func everyDecisionLeavesARow() async throws {
        try await withAccess { access, database, clock in
            let device = Actor(id: "d", role: .device, participant: "anna")
            let target = Target(resourceType: "Observation", resourceID: "o", subject: "bert")
            #expect(try await access.decide(device, .writeRecord, target).reason == "other-participant")
            #expect(try await access.decide(device, .submit, Target()).allowed)
            try await access.recordRefusal("receipt-invalid", nil, .register, Target())
            let rows = try await database.read { try $0.query("SELECT * FROM audit ORDER BY number") }
            #expect(
                rows.map { $0.textIfPresent("reason") } == [
                    "other-participant", "permitted", "receipt-invalid",
                ])
            #expect(rows.map { $0.integerIfPresent("allowed") } == [0, 1, 0])
            let first = try #require(rows.first)
            #expect(try first.date("at") == clock.now)
            #expect(
                ["actor_id", "role", "action", "resource_type", "resource_id", "subject"].map {
                    first.textIfPresent($0)
                }
                    == ["d", "device", "write-record", "Observation", "o", "bert"])
        }
    }

    @Test func noSecretIsStored() async throws {
        try await withAccess { access, database, _ in
            let credentials = try await access.registerClient(receiptDigest: "r1")
            let actor = try #require(
                try await access.authenticateClient(
                    id: credentials.clientID, secret: credentials.clientSecret))
            let token = try await access.issueToken(for: actor, lifetime: 10).token
            let staff = try await access.createStaffToken()
            let stored = try await database.read { transaction in
                try ["enrolment", "client", "access_token", "staff_token", "audit"].flatMap { table in
                    try transaction.query("SELECT * FROM \(table)").map { "\($0)" }
                }.joined()
            }
            #expect(stored.contains(credentials.clientID))
            for secret in [credentials.clientSecret, token, staff] { #expect(!stored.contains(secret)) }
        }
    }

    @Test func digestsMatchTheirSecretAlone() {
        let digest = SecretDigest(of: "abc")
        #expect(digest.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(digest.matches("abc") && !digest.matches("abd") && !digest.matches(""))
        #expect(SecretDigest(hex: digest.hex) == digest)
        #expect(
            SecretDigest(hex: "BA" + digest.hex.dropFirst(2)) == nil && SecretDigest(hex: "ba") == nil)
    }

    @Test func manyRegistrationsOfOneReceiptLeaveOneClient() async throws {
        try await withAccess { access, _, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { _ = try await access.registerClient(receiptDigest: "same") }
                }
                try await group.waitForAll()
            }
            let clients = try await access.clients()
            #expect(clients.count == 20 && clients.count(where: { $0.revokedAt == nil }) == 1)
            #expect(Set(clients.map(\.enrolmentID)).count == 1)
        }
    }
}
