import AccessPolicy
import Core
import Foundation

/// Makes the grant of a csi's token from permissions. Pure.
///
/// The grant has one part for each permission; parts that differ only in their patients are joined. A scope `user/` of
/// the request concerns the records of all grantors, a scope `patient/` those of one Patient.
struct CarriedGrant: Sendable {
    /// The csi.
    let csi: String
    /// Requested scopes; nil for all that the permissions give.
    let asked: AccessScopes?
    /// The Patient that the scopes `patient/` mean.
    let patient: String?
    /// The first instant at which the token is not valid any more.
    let end: Date

    /// Common properties of permissions with the same scopes.
    private struct Form: Hashable {
        let types: Set<String>?
        let access: PermissionLimits.Access
        let confidentiality: Confidentiality
        let sensitivities: Set<String>
        let isOfPatient: Bool
    }

    /// Returns the grant, and the permissions that give something of the request.
    ///
    /// - Throws: ``AccessPolicy/AccessGrantError`` and ``AccessPolicy/ScopeError`` if it exceeds a limit.
    func grant(
        of permissions: [CarriedPermission], at now: Date
    ) throws -> (grant: AccessGrant, used: [CarriedPermission]) {
        var known: [Form: AccessScopes] = [:]
        var parts: [AccessPart] = []
        var used: [CarriedPermission] = []
        for permission in permissions {
            let limits = permission.limits
            let form = Form(
                types: limits.types, access: limits.access, confidentiality: limits.confidentiality,
                sensitivities: limits.sensitivities, isOfPatient: permission.patient == patient)
            // Many people give the same permission.
            let scopes = try known[form] ?? self.scopes(limits, isOfPatient: form.isOfPatient)
            known[form] = scopes
            guard !scopes.resources.isEmpty else { continue }
            used.append(permission)
            // A period that includes that of the token makes no difference, and parts with equal periods are joined.
            parts.append(
                AccessPart(
                    patients: .only([permission.patient]), scopes: scopes,
                    start: limits.start > now ? limits.start : nil, end: min(limits.end, end)))
        }
        let grant = try AccessGrant(
            client: csi, role: .service, parts: parts, permissionIDs: Set(used.map(\.id)))
        return (grant, used)
    }

    /// Returns the requested scopes that a permission gives.
    private func scopes(_ limits: PermissionLimits, isOfPatient: Bool) throws -> AccessScopes {
        let all = limits.scopes(in: .user)
        guard let asked else { return all }
        guard isOfPatient else { return try asked.narrowed(to: all) }
        let ofPatient = limits.scopes(in: .patient)
        return try asked.narrowed(
            to: AccessScopes(known: all.scopes + ofPatient.resources.map { AccessScope($0.text) })
                .withholding(all.withheldTypes))
    }
}

extension AccessScopes {
    /// Returns the scopes that a csi may request: `patient/`, `user/` and labels.
    var ofInstance: AccessScopes {
        AccessScopes(
            known: scopes.filter { scope in
                switch scope.kind {
                case .resource(let resource): resource.context != .system
                case .confidentiality, .sensitivity, .everySensitivity: true
                default: false
                }
            })
    }

    /// Whether a scope has a context.
    func contains(_ context: ResourceScope.Context) -> Bool { resources.contains { $0.context == context } }
}

/// Reason why a csi gets no token: `invalid_scope` (RFC 6749 section 5.2).
package enum InstanceAccessRefusal: CodedError, Hashable {
    /// No permission in force gives any of the requested access.
    case noPermission
    /// The scopes `patient/` mean no Patient: the device has no wallet, and several people gave permissions.
    case patientUnclear
    /// The permissions exceed a limit of grants or of lists of scopes.
    case limit(code: String, message: String)

    /// Stable code: `permission-missing`, `patient-unclear`, or that of the limit.
    package var code: String {
        switch self {
        case .noPermission: "permission-missing"
        case .patientUnclear: "patient-unclear"
        case .limit(let code, _): code
        }
    }

    /// Message for developers that suggests an action.
    package var message: String {
        switch self {
        case .noPermission: "No permission in force gives this access; ask the person for one."
        case .patientUnclear: "The scopes patient/ do not name one Patient here; request user/ scopes."
        case .limit(_, let message): message
        }
    }
}
