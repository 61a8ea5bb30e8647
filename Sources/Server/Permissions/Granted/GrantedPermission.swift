import AccessPolicy
import Core
import Foundation
import Identity
import Storage
import Wire

/// A permission of one csi for another, as it is stored.
package struct GrantedPermission: Sendable, Hashable {
    /// Number in the order of creation.
    package let number: Int64
    /// The id, also of its Consent.
    package let id: String
    /// The id of the request that gave it.
    package let requestID: String
    /// The csi that gave it.
    package let grantor: CsiGuid
    /// The csi that received it.
    package let grantee: CsiGuid
    /// The id of the Patient whose records it covers.
    package let patient: String
    /// The id of the permission that was passed on; nil for a permission of a wallet.
    package let parent: String?
    package let limits: PermissionLimits
    package let createdAt: Date
    /// The time at which it was ended before its time.
    package let endedAt: Date?
    /// The id of the request that ended it; nil for an end without one.
    package let endingRequestID: String?

    /// Reads a row of `access_permission`.
    ///
    /// - Throws: ``Storage/StorageError`` for a damaged row.
    init(_ row: SQLRow) throws {
        guard let grantor = CsiGuid(try row.text("grantor")), let grantee = CsiGuid(try row.text("grantee")) else {
            throw StorageError(code: "storage-failed", message: "The row of a permission is damaged.")
        }
        number = try row.integer("number")
        id = try row.text("id")
        requestID = try row.text("request_id")
        self.grantor = grantor
        self.grantee = grantee
        patient = try row.text("participant")
        parent = row.textIfPresent("parent_id")
        limits = try PermissionLimits(stored: row)
        createdAt = try row.date("created_at")
        endedAt = row.dateIfPresent("ended_at")
        endingRequestID = row.textIfPresent("ending_request_id")
    }

    /// Returns whether it gives access, has expired or was ended. The period of an active one may not have begun.
    package func status(at now: Date) -> PermissionRecord.Status {
        endedAt != nil ? .revoked : now < limits.end ? .active : .expired
    }

    /// The facts by which the policy decides about passing it on.
    var received: ReceivedPermission {
        ReceivedPermission(
            id: id, grantor: grantor.text, grantee: grantee.text, patient: patient, isPassedOn: parent != nil,
            isEnded: endedAt != nil, limits: limits)
    }
}

extension PermissionLimits {
    /// Creates the limits of a request, with times in the precision of the store.
    ///
    /// - Throws: ``Wire/PermissionError`` `bad_field` for a type that FHIR does not have, and for a sensitivity that no
    ///   record can have.
    init(_ terms: PermissionTerms) throws(PermissionError) {
        let scope = terms.scope
        guard let confidentiality = Confidentiality(code: scope.confidentiality) else {
            throw PermissionError(.badField, "The field confidentialityScope must be a code of v3-Confidentiality.")
        }
        var types: Set<String>?
        if case .listed(let names) = scope.types {
            guard names.allSatisfy(Self.knownTypes.contains) else {
                throw PermissionError(.badField, "The field resourceScope must be * or resource types of FHIR R4.")
            }
            types = Set(names)
        }
        self.init(
            types: types, access: scope.access == .write ? .write : .read, confidentiality: confidentiality,
            sensitivities: Set(scope.sensitivities), start: SQLTimestamp.rounded(terms.start.date),
            end: SQLTimestamp.rounded(terms.end.date))
        guard unknownSensitivities.isEmpty else {
            throw PermissionError(
                .badField, "The field sensitivityScope must have sensitivity codes of v3-ActCode, or SOC.")
        }
    }
}

extension CsiInstance {
    /// The facts by which the policy decides about permissions.
    var party: PermissionParty { PermissionParty(csi: guid.text, patient: patient, isCarer: role != nil) }
}
