import AccessPolicy
import Audit
import Core
import Foundation
import Identity
import Storage

/// Readers of an account's data: those who may read it now, and those who have read it.
struct AccountReaders: Sendable {
    struct Reader: Sendable, Hashable {
        let account: String
        let role: TeamRole
        let until: Date?
    }

    struct Reading: Sendable, Hashable {
        let at: Date
        let account: String
        let what: String
    }

    let mayRead: [Reader]
    let read: [Reading]

    var json: JSON {
        [
            "mayRead": .array(
                mayRead.map {
                    [
                        "account": .string($0.account), "role": .string($0.role.rawValue),
                        "until": $0.until.map { .string(DateTime($0).text) } ?? .null,
                    ]
                }),
            "read": .array(
                read.map {
                    [
                        "at": .string(DateTime($0.at).text), "account": .string($0.account), "what": .string($0.what),
                    ]
                }),
        ]
    }
}

extension PeopleStore {
    /// Maximum number of readings that are listed; the newest first.
    static let maximumReadings = 1_000

    /// Returns the current readers of an account's data, and the past readings of others.
    func access(to account: String) async throws -> AccountReaders {
        let now = clock()
        let mayRead = try await database.read { transaction in
            let memberships = try MembershipStore.memberships(of: account, in: transaction)
            var readers: [AccountReaders.Reader] = []
            for row in try transaction.query(Self.allGrantsSQL, []) {
                let grant = try TeamGrant(row)
                guard grant.account != account, grant.isInForce(at: now),
                    let person = try Person.find(grant.account, in: transaction)
                else { continue }
                let reader = AccountReader(
                    actor: Actor(id: grant.account, role: .accountHolder), isVerified: person.isVerified,
                    grants: [grant])
                let visible = audit.policy.visibleGroups(of: reader, groups: groups, at: now)
                guard !visible.isDisjoint(with: memberships) else { continue }
                readers.append(.init(account: grant.account, role: grant.role, until: grant.end))
            }
            return readers
        }
        let rows = try await audit.entries(participant: account, limit: Self.maximumReadings)
        let reading: Set<String> = Set(
            AccountData.allCases.map(\.reading.rawValue) + [Action.listPatients.rawValue])
        let read = rows.compactMap { row -> AccountReaders.Reading? in
            guard row.isAllowed, reading.contains(row.action), let reader = row.actor, reader != account else {
                return nil
            }
            return .init(at: row.at, account: reader, what: row.resourceType ?? row.action)
        }
        return AccountReaders(mayRead: mayRead, read: read)
    }

    /// Grants that were not revoked, of all accounts.
    static let allGrantsSQL = "SELECT * FROM team_grant WHERE revoked_at IS NULL ORDER BY created_at, id LIMIT 10000"
}
