import AccessPolicy
import AccessTestSupport
import Foundation
import Identity
import Storage
import Synchronization

@testable import Audit

/// A store with rows of the audit of all forms.
struct AuditSealFixture {
    let access: AccessStores
    let database: any SQLDatabase
    let clock: TestClock

    static let participants = ["anna", "bert", "cora"]

    /// A sealer whose seals are short, so that few rows have many seals.
    func sealer(rows: Int = 16, shown: Int = 1_000, on other: (any SQLDatabase)? = nil) -> AuditSealer {
        AuditSealer(database: other ?? database, rowLimit: rows, shownLimit: shown, clock: { [clock] in clock.now })
    }

    /// Adds rows: reads of records, searches that show participants, refusals, and rows about no participant.
    func add(_ count: Int) async throws {
        let staff = Actor(id: "staff", role: .staff, client: "app")
        for index in 0..<count {
            clock.advance(1)
            let participant = Self.participants[index % Self.participants.count]
            switch index % 4 {
            case 0:
                let target = Target(resourceType: "Observation", resourceID: "o\(index)", subject: participant)
                _ = try await access.audit.decide(staff, action: .readRecord, target: target)
            case 1:
                let target = Target(resourceType: "Observation")
                try await access.audit.record(
                    .permitted, by: staff, action: .searchRecords, target: target,
                    showing: Set(Self.participants.prefix(index % 3 + 1)))
            case 2:
                let device = Actor(id: "device", role: .device, participant: "anna")
                let target = Target(resourceType: "Observation", resourceID: "p\(index)", subject: "bert")
                _ = try await access.audit.decide(device, action: .writeRecord, target: target)
            default:
                let target = Target(resourceType: "token", resourceID: "t\(index)")
                try await database.write { [access] transaction in
                    _ = try access.audit.record(
                        .permitted, by: site, action: .manageTokens, target: target, amount: index, in: transaction)
                }
            }
        }
    }

    func verify(anchors: [AuditAnchor] = []) async throws -> AuditVerification {
        try await AuditVerifier(database: database).verify(anchors: anchors)
    }

    /// Returns the result of a check after a change, which is undone. nil if the engine refuses the change.
    func broken(
        anchors: [AuditAnchor] = [], after change: @escaping @Sendable (any SQLTransaction) throws -> Void
    ) async throws -> AuditVerification? {
        let result = Mutex<AuditVerification?>(nil)
        do {
            try await database.write { transaction in
                try change(transaction)
                var state = VerifierState(anchors: anchors, head: nil)
                while !state.isAtEnd, state.result.broken == nil { try state.step(seals: 8, in: transaction) }
                state.checkAnchors()
                let found = state.result
                result.withLock { $0 = found }
                throw Undo()
            }
        } catch is Undo {
            return result.withLock { $0 }
        } catch is StorageError {}
        return nil
    }

    private struct Undo: Error {}
}

func withSeals(_ body: (AuditSealFixture) async throws -> Void) async throws {
    try await withAccess { access, database, clock async throws in
        try await body(AuditSealFixture(access: access, database: database, clock: clock))
    }
}
