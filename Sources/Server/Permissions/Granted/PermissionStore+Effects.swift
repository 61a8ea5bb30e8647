import AccessPolicy
import FHIR
import Storage
import Wire

extension PermissionStore: PermissionEffects {
    package func effect(of call: VerifiedCsiCall, in transaction: any SQLTransaction) throws -> CsiEffect {
        let (csi, now) = (call.csi, call.receivedAt)
        switch call.request.call {
        case .grant(let terms):
            // An earlier request could restore an access that the person ended.
            try Self.checkRestoration(call.request, in: transaction)
            let granted = try grant(terms, of: call, in: transaction)
            return CsiEffect(
                answer: GrantAnswer(permissions: granted.permissions).json,
                target: Self.target(granted.permissions.first, of: granted.patient),
                amount: Self.amount(granted.permissions.count))
        case .end(let grantee, let permission):
            let ended = try end(for: grantee, permission: permission, of: call, in: transaction)
            let patients = ended.patients
            return CsiEffect(
                answer: EndAnswer(revoked: ended.permissions.count).json,
                target: Self.target(
                    ended.permissions.first?.id, of: patients.count == 1 ? patients.first : csi.patient),
                amount: Self.amount(ended.permissions.count + ended.passedOn.count))
        case .fetchGiven:
            let list = try given(by: csi, all: call.includesEnded, at: now, in: transaction)
            return CsiEffect(
                answer: PermissionsAnswer(permissions: list).json, target: Self.target(nil, of: csi.patient),
                amount: Self.amount(list.count))
        case .fetchReceived:
            let list = try received(by: csi, all: call.includesEnded, at: now, in: transaction)
            return CsiEffect(
                answer: PermissionsAnswer(permissions: list).json, target: Self.target(nil, of: csi.patient),
                amount: Self.amount(list.count))
        case .register, .fetchClaims, .bind, .rotateKey, .revoke:
            throw PermissionError(.notPermitted, "This is not a call about permissions.")
        }
    }

    package func endPermissions(ofEnded csi: CsiGuid, in transaction: any SQLTransaction) throws {
        try endPermissions(ofEnded: csi, at: clock(), in: transaction)
    }

    private static func target(_ permission: String?, of patient: String?) -> Target {
        Target(resourceType: Consent.resourceType, resourceID: permission, subject: patient)
    }

    /// The number of permissions for the audit; nil for one.
    private static func amount(_ count: Int) -> Int? { count == 1 ? nil : count }
}
