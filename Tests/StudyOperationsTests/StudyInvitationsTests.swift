import AccessPolicy
import Audit
import Enrolments
import Foundation
import Storage
import TestSupport
import Testing
import Wire

@testable import StudyFiles
@testable import StudyOperations

@Suite struct StudyInvitationsTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let site = Actor(id: "account:site", role: .site)

    private func withStores(
        _ body: (_ queue: any SQLDatabase, _ records: any SQLDatabase) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        try folder.make(StudyConfiguration(id: "s", title: "S", bundleIdentifier: nil), antispam: "a-word", now: now)
        let stores = try StudyStores(folder)
        _ = try await stores.migrate()
        try await stores.withBoth(body)
    }

    @Test func oneCodeServesEnrolmentAndConsentOnceEach() async throws {
        try await withStores { queue, records async throws in
            let now = now
            let invitations = StudyInvitations(records: records, queue: queue, clock: { now })
            let (codes, expiresAt) = try await invitations.issue(count: 3, by: site, lifetime: 60)
            #expect(Set(codes).count == 3 && expiresAt == now.addingTimeInterval(60))
            let devices = DeviceAccess(database: queue, clock: { now })
            let proof = InvitationRegistration.proof(of: codes[0])
            _ = try await devices.registerClient(invitation: proof, installation: "mine")
            // The receiver has the proof, which is no code for a consent.
            let enrolments = EnrolmentStore(database: records, clock: { now })
            func bind(_ device: String, _ secret: String) async throws -> String {
                try await records.write { transaction in
                    try enrolments.bind(
                        device: device, clientID: "c", toParticipant: "of-\(device)", isKnown: false, moveCode: nil,
                        invitation: .required(secret: secret), in: transaction
                    ).reason
                }
            }
            #expect(try await bind("d1", proof) == "invitation-refused")
            #expect(try await bind("d1", codes[0]) == "bound")
            #expect(try await bind("d2", codes[0]) == "invitation-refused")
            await #expect(throws: AccessError.invitationRefused) {
                _ = try await devices.registerClient(invitation: proof, installation: "another")
            }
        }
    }

    @Test func revokedCodesHaveNoUseLeft() async throws {
        try await withStores { queue, records async throws in
            let now = now
            let invitations = StudyInvitations(records: records, queue: queue, clock: { now })
            let codes = try await invitations.issue(count: 4, by: site, lifetime: 60).codes
            #expect(try await invitations.revoke([codes[0], codes[0], "unknown"], by: site) == 1)
            #expect(try await invitations.revoke([codes[0]], by: site) == 0)
            let devices = DeviceAccess(database: queue, clock: { now })
            await #expect(throws: AccessError.invitationRefused) {
                _ = try await devices.registerClient(
                    invitation: InvitationRegistration.proof(of: codes[0]), installation: "mine")
            }
            #expect(try await invitations.revoke(nil, by: site) == 3)
            for actor in [Actor(id: "s", role: .staff), Actor(id: "d", role: .device)] {
                await #expect(throws: AccessError.self) { _ = try await invitations.revoke(nil, by: actor) }
                await #expect(throws: AccessError.self) {
                    _ = try await invitations.issue(count: 1, by: actor, lifetime: 60)
                }
            }
            let audited = try await AuditLog(database: records, clock: { now }).entries()
            #expect(audited.count >= 4 && audited.allSatisfy { $0.action == "manage-enrolments" })
        }
    }
}
