import Foundation

/// A csi in a decision about a permission.
package struct PermissionParty: Sendable, Hashable {
    /// The guid.
    package let csi: String
    /// The Patient of a wallet; nil for an app.
    package let patient: String?
    /// Whether it has the role of a provider or a caregiver.
    package let isCarer: Bool

    package init(csi: String, patient: String?, isCarer: Bool) {
        self.csi = csi
        self.patient = patient
        self.isCarer = isCarer
    }
}

/// A permission that a csi received, in a decision about passing it on.
package struct ReceivedPermission: Sendable, Hashable {
    /// The id.
    package let id: String
    /// The csi that gave it.
    package let grantor: String
    /// The csi that received it.
    package let grantee: String
    /// The Patient whose records it covers.
    package let patient: String
    /// Whether it was passed on itself.
    package let isPassedOn: Bool
    /// Whether it was ended before its time.
    package let isEnded: Bool
    package let limits: PermissionLimits

    package init(
        id: String, grantor: String, grantee: String, patient: String, isPassedOn: Bool, isEnded: Bool,
        limits: PermissionLimits
    ) {
        self.id = id
        self.grantor = grantor
        self.grantee = grantee
        self.patient = patient
        self.isPassedOn = isPassedOn
        self.isEnded = isEnded
        self.limits = limits
    }
}

/// Decision about a request for permissions.
package enum PermissionDecision: Sendable, Hashable {
    /// The permissions cover the records of this Patient. `parent` is the id of the permission that is passed on; nil
    /// for the permissions of a wallet.
    case permitted(patient: String, parent: String?)
    /// A csi gives a permission to itself, or passes one on to the person or the csi from which it comes.
    case selfGrant
    /// The csi may not give such a permission.
    case notPermitted
    /// The permission exceeds the one that is passed on.
    case exceedsGrant
}

extension Policy {
    /// Decides about permissions of a wallet for the records of its Patient. A csi that is not bound gives none.
    package func decideGrant(by giver: PermissionParty, to grantees: [PermissionParty]) -> PermissionDecision {
        guard !grantees.contains(where: { $0.csi == giver.csi }) else { return .selfGrant }
        guard let patient = giver.patient, !grantees.isEmpty else { return .notPermitted }
        return .permitted(patient: patient, parent: nil)
    }

    /// Decides about passing on a permission.
    ///
    /// The permission must be one with `write` access from a wallet, and in force. Each grantee has the role of a
    /// provider or a caregiver. The limits are within those of the permission. A permission that was passed on is not
    /// passed on again.
    ///
    /// - Parameter received: permissions that the giver received, the oldest first. The first that permits the request
    ///   becomes the parent.
    package func decidePassingOn(
        _ limits: PermissionLimits, by giver: PermissionParty, to grantees: [PermissionParty],
        of received: [ReceivedPermission], at now: Date
    ) -> PermissionDecision {
        guard !grantees.contains(where: { $0.csi == giver.csi }) else { return .selfGrant }
        let usable = received.filter {
            $0.grantee == giver.csi && !$0.isPassedOn && !$0.isEnded && $0.limits.access == .write
                && $0.limits.isInForce(at: now)
        }
        guard !usable.isEmpty, !grantees.isEmpty, grantees.allSatisfy(\.isCarer) else { return .notPermitted }
        guard let parent = usable.first(where: { limits.isWithin($0.limits) }) else { return .exceedsGrant }
        // A person does not receive access to their own records from an app.
        guard !grantees.contains(where: { $0.csi == parent.grantor || $0.patient == parent.patient }) else {
            return .selfGrant
        }
        return .permitted(patient: parent.patient, parent: parent.id)
    }

    /// Whether a csi may see and end a permission as its giver: the csi that gave it, and the wallet of the Patient whose
    /// records it covers, also for permissions of an earlier wallet and those that were passed on.
    package func mayEndPermission(givenBy grantor: String, of patient: String, by caller: PermissionParty) -> Bool {
        grantor == caller.csi || patient == caller.patient
    }
}
