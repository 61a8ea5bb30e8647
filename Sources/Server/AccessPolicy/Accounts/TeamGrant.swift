import Foundation

/// A role that an account has for the patients of a group.
package struct TeamGrant: Sendable, Hashable {
    package let id: String
    /// The account that has the role.
    package let account: String
    package let role: TeamRole
    /// The group; nil for all groups of the study.
    package let group: String?
    /// The end; nil for none.
    package let end: Date?

    package init(id: String, account: String, role: TeamRole, group: String?, end: Date?) {
        self.id = id
        self.account = account
        self.role = role
        self.group = group
        self.end = end
    }

    /// The name of the group in commands for all groups of the study.
    package static let allGroups = "*"

    /// Whether the grant is in force at a time.
    package func isInForce(at now: Date) -> Bool { end.map { now < $0 } ?? true }
}

/// A group and the audience of readers that see its patients.
package struct GroupAudience: Sendable, Hashable, Comparable {
    package let group: String
    package let audience: TeamAudience

    package init(group: String, audience: TeamAudience) {
        self.group = group
        self.audience = audience
    }

    package static func < (one: GroupAudience, other: GroupAudience) -> Bool {
        (one.group, one.audience.rawValue) < (other.group, other.audience.rawValue)
    }
}
