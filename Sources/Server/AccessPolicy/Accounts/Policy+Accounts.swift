import Foundation

/// An account that reads the data of others, with its grants.
package struct AccountReader: Sendable, Hashable {
    package let actor: Actor
    /// Whether the account's e-mail address is verified.
    package let isVerified: Bool
    /// The grants that were not revoked.
    package let grants: [TeamGrant]

    package init(actor: Actor, isVerified: Bool, grants: [TeamGrant]) {
        self.actor = actor
        self.isVerified = isVerified
        self.grants = grants
    }
}

extension Policy {
    /// Returns the groups whose patients a reader may see, each with the audience: those of the grants in force, once
    /// the reader's e-mail address is verified. A grant for all groups means the groups of the study.
    ///
    /// - Parameter groups: the groups of the study. A group that the study no longer has gives no access.
    package func visibleGroups(of reader: AccountReader, groups: [String], at now: Date) -> Set<GroupAudience> {
        guard reader.isVerified else { return [] }
        var visible: Set<GroupAudience> = []
        for grant in reader.grants where grant.isInForce(at: now) {
            for group in groups where grant.group == nil || grant.group == group {
                visible.insert(GroupAudience(group: group, audience: grant.role.audience))
            }
        }
        return visible
    }

    /// Decides whether a reader may list patients. The list contains only those of ``visibleGroups(of:groups:at:)``.
    package func decideListing(_ reader: AccountReader, at now: Date) -> Decision {
        guard reader.actor.role == .accountHolder else { return .denied("role-not-permitted") }
        guard reader.grants.contains(where: { $0.isInForce(at: now) }) else { return .denied("no-grant") }
        return reader.isVerified ? .permitted : .denied("not-verified")
    }

    /// Decides whether a reader may read data of a patient.
    ///
    /// - Parameters:
    ///   - visible: the groups that the reader sees (``visibleGroups(of:groups:at:)``).
    ///   - memberships: the groups in which the patient is visible now, each with its audience.
    package func decideReading(
        _ data: AccountData, by reader: AccountReader, visible: Set<GroupAudience>, memberships: Set<GroupAudience>
    ) -> Decision {
        guard reader.actor.role == .accountHolder else { return .denied("role-not-permitted") }
        let isVisible = visible.contains { $0.audience == data.audience && memberships.contains($0) }
        return isVisible ? .permitted : .denied("not-visible")
    }

    /// Decides whether a caller may read or change the care plan of a patient: the patient themselves, or a reader who
    /// sees the patient, and for a change has a role that changes plans in a group where the patient is visible.
    ///
    /// - Parameters:
    ///   - groups: the groups of the study.
    ///   - memberships: the groups in which the patient is visible now, each with its audience.
    package func decidePlan(
        change isChange: Bool, of patient: String, by reader: AccountReader, groups: [String],
        memberships: Set<GroupAudience>, at now: Date
    ) -> Decision {
        guard reader.actor.role == .accountHolder else { return .denied("role-not-permitted") }
        guard reader.actor.id != patient else { return .permitted }
        let listing = decideListing(reader, at: now)
        guard listing.allowed else { return listing }
        let visible = visibleGroups(of: reader, groups: groups, at: now)
        let reading = decideReading(.plan, by: reader, visible: visible, memberships: memberships)
        guard reading.allowed, isChange else { return reading }
        let writer = AccountReader(
            actor: reader.actor, isVerified: reader.isVerified, grants: reader.grants.filter { $0.role.changesPlans })
        let changeable = visibleGroups(of: writer, groups: groups, at: now)
        return decideReading(.plan, by: writer, visible: changeable, memberships: memberships).allowed
            ? .permitted : .denied("read-only")
    }
}
