import AccessPolicy
import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import Submissions
import TestSupport
import Testing

@testable import Enrolments

/// Enrolment by an invitation instead of a receipt.
@Suite(.timeLimit(.minutes(10)))
struct InvitationEnrolmentTests {
    private func add(_ proofs: [String], to access: DeviceAccess, at clock: TestClock) async throws {
        try await access.addInvitations(proofs, expiresAt: clock.now.addingTimeInterval(3600))
    }

    /// Returns the code of the refusal; nil if the device was registered.
    private func refusal(_ proof: String, _ installation: String, of access: DeviceAccess) async throws -> AccessError?
    {
        do {
            _ = try await access.registerClient(invitation: proof, installation: installation)
            return nil
        } catch let error as AccessError {
            return error
        }
    }

    @Test func invitationEnrolsOneInstallation() async throws {
        try await withDevices { access, database, clock async throws in
            try await add(["p1", "p2"], to: access, at: clock)
            let credentials = try await access.registerClient(invitation: "p1", installation: "mine")
            let actor = try #require(
                try await access.authenticateClient(id: credentials.clientID, secret: credentials.clientSecret))
            #expect(actor.role == .device)
            let token = try await access.issueToken(for: actor, lifetime: 60).token
            #expect(try await access.authenticate(bearer: token) == actor)
            #expect(try await refusal("p1", "another", of: access) == .invitationRefused)
            let enrolments = try await access.enrolments()
            #expect(enrolments.count == 1 && enrolments.first?.id == actor.enrolmentID)
            // Another invitation is another device.
            #expect(try await refusal("p2", "another", of: access) == nil)
            #expect(try await access.enrolments().count == 2)
            let stored = try await database.contents(["enrolment_invitation", "enrolment", "client"])
            for secret in ["p1", "p2", "mine", "another"] { #expect(!stored.contains(secret)) }
        }
    }

    /// The response to a registration may be lost. The installation registers again and stays the same device.
    @Test func sameInstallationMayRegisterAgainAlsoAfterTheExpiry() async throws {
        try await withDevices { access, _, clock async throws in
            try await add(["p"], to: access, at: clock)
            let first = try await access.registerClient(invitation: "p", installation: "mine")
            let before = try #require(
                try await access.authenticateClient(id: first.clientID, secret: first.clientSecret))
            clock.advance(7200)
            let second = try await access.registerClient(invitation: "p", installation: "mine")
            let after = try #require(
                try await access.authenticateClient(id: second.clientID, secret: second.clientSecret))
            #expect(after.enrolmentID == before.enrolmentID && after.id != before.id)
            #expect(try await access.authenticateClient(id: first.clientID, secret: first.clientSecret) == nil)
            #expect(try await refusal("p", "another", of: access) == .invitationRefused)
        }
    }

    @Test func refusalsDoNotRevealTheirReason() async throws {
        try await withDevices { access, database, clock async throws in
            try await add(["used", "revoked", "device-revoked", "expired", "good"], to: access, at: clock)
            _ = try await access.registerClient(invitation: "used", installation: "mine")
            let revoked = try await access.registerClient(invitation: "device-revoked", installation: "mine")
            let actor = try await access.authenticateClient(id: revoked.clientID, secret: revoked.clientSecret)
            let enrolment = try #require(actor?.enrolmentID)
            #expect(try await access.revoke(enrolment: enrolment))
            let ended = try await access.revokeInvitations(["revoked", "used", "unknown"])
            #expect(ended.proofs == ["revoked"] && ended.count == 1)
            let before = try await database.contents(["enrolment_invitation", "enrolment", "client"])
            for (proof, installation) in [
                ("guessed", "mine"), ("used", "another"), ("revoked", "mine"), ("device-revoked", "mine"), ("", ""),
                ("device-revoked", "another"), ("used", ""), ("a\u{0}b", "mine"), ("' OR 1=1 --", "mine"),
            ] {
                #expect(try await refusal(proof, installation, of: access) == .invitationRefused, "\(proof)")
            }
            #expect(try await database.contents(["enrolment_invitation", "enrolment", "client"]) == before)
            clock.advance(3600)
            #expect(try await refusal("expired", "mine", of: access) == .invitationRefused)
            #expect(try await database.contents(["enrolment_invitation", "enrolment", "client"]) == before)
        }
    }

    @Test func allUnusedInvitationsAreRevoked() async throws {
        try await withDevices { access, _, clock async throws in
            try await add(["a", "b", "c"], to: access, at: clock)
            _ = try await access.registerClient(invitation: "a", installation: "mine")
            #expect(try await access.revokeInvitations(nil).count == 2)
            #expect(try await refusal("b", "mine", of: access) == .invitationRefused)
            // The device that has enrolled stays.
            #expect(try await refusal("a", "mine", of: access) == nil)
        }
    }

    /// A registration that fails after the invitation was spent leaves it as it was.
    @Test func failedRegistrationSpendsNothing() async throws {
        try await withDevices { access, database, clock async throws in
            try await add(["p"], to: access, at: clock)
            let before = try await database.contents(["enrolment_invitation", "enrolment"])
            try await database.write { _ = try $0.execute("ALTER TABLE client RENAME TO client_away") }
            await #expect(throws: StorageError.self) {
                _ = try await access.registerClient(invitation: "p", installation: "mine")
            }
            #expect(try await database.contents(["enrolment_invitation", "enrolment"]) == before)
            try await database.write { _ = try $0.execute("ALTER TABLE client_away RENAME TO client") }
            #expect(try await refusal("p", "another", of: access) == nil)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func twoProcessesSpendAnInvitationOnce(engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            let clock = TestClock()
            var opened: [any SQLDatabase] = []
            for _ in 0..<2 {
                opened.append(
                    try await engine.open(path: "\(folder)/queue.db", migrations: SubmissionsSchema.migrations))
            }
            let processes = opened.map { DeviceAccess(database: $0, clock: { clock.now }) }
            let proofs = (0..<4).map { "p\($0)" }
            try await add(proofs, to: processes[0], at: clock)
            let registered = try await withThrowingTaskGroup(of: Bool.self) { group in
                for proof in proofs {
                    for attempt in 0..<6 {
                        group.addTask {
                            do {
                                _ = try await processes[attempt % 2].registerClient(
                                    invitation: proof, installation: "installation \(attempt)")
                                return true
                            } catch is AccessError {
                                return false
                            }
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(registered == proofs.count)
            #expect(try await processes[1].enrolments().count == proofs.count)
            for database in opened { try await database.close() }
        }
    }
}
