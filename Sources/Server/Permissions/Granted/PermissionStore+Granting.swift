import AccessPolicy
import Audit
import FHIR
import Foundation
import RecordStorage
import Storage
import Wire

extension PermissionStore {
    /// Permissions that a request gave.
    package struct Granted: Sendable, Hashable {
        /// The ids, in the order of the grantees.
        package let permissions: [String]
        /// The id of the Patient whose records they cover.
        package let patient: String
    }

    /// Gives a permission to each grantee of a request, with its Consent and its Provenance.
    ///
    /// It writes nothing before it has decided: after an error, the transaction has no change by this function.
    ///
    /// - Throws: ``Wire/PermissionError`` `bad_field` for terms that FHIR does not have and for a grantee that does not
    ///   exist or has ended, `not_permitted`, `self_grant`, `delegation_exceeds_grant`; ``Storage/StorageError``.
    package func grant(
        _ terms: PermissionTerms, of call: VerifiedCsiCall, in transaction: any SQLTransaction
    ) throws -> Granted {
        let now = SQLTimestamp.rounded(call.receivedAt)
        // 1. The decision.
        let limits = try PermissionLimits(terms)
        let found = try grantees(terms, in: transaction)
        let decision = try decide(limits, terms, found: found, of: call, at: now, in: transaction)
        let (patient, parent): (String, String?)
        switch decision {
        case .permitted(let whose, let passedOn): (patient, parent) = (whose, passedOn)
        case .selfGrant: throw PermissionError(.selfGrant, "A csi does not give a permission to itself.")
        case .notPermitted: throw PermissionError(.notPermitted, "The csi may not give this permission.")
        case .exceedsGrant:
            throw PermissionError(.delegationExceedsGrant, "The permission exceeds the one that is passed on.")
        }
        guard found.count == terms.grantees.count else {
            throw PermissionError(.badField, "The field permissionedCsiGuids must name registered csis.")
        }
        let active = try transaction.first(Self.activeCount, [SQLValue(patient), SQLValue(now)])
        guard Int(try active?.integer("total") ?? 0) + terms.grantees.count <= Self.maximumActive else {
            throw PermissionError(.notPermitted, "There are too many permissions; end some of them.")
        }
        // 2. The rows.
        let request = RandomID.make(random)
        try StoredPermissionRequest.store(call, id: request, in: transaction)
        let ids = terms.grantees.map { _ in RandomID.make(random) }
        for (id, grantee) in zip(ids, terms.grantees) {
            try transaction.execute(
                """
                INSERT INTO access_permission (id, request_id, grantor, grantee, participant, parent_id, access,
                    resource_types, confidentiality, sensitivities, starts_at, ends_at, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(id), SQLValue(request), SQLValue(call.csi.guid.text), SQLValue(grantee.text),
                    SQLValue(patient), SQLValue(parent), SQLValue(limits.access.rawValue), SQLValue(limits.typesText),
                    SQLValue(limits.confidentiality.code), SQLValue(limits.sensitivitiesText), SQLValue(limits.start),
                    SQLValue(limits.end), SQLValue(now),
                ])
        }
        // 3. The records.
        let author = PermissionAuthor.csi(call.csi.guid, call.request)
        let made = zip(ids, terms.grantees).flatMap { id, grantee in
            [
                PermissionConsent.resource(
                    of: id, for: grantee, patient: patient, terms: terms, body: call.request.body, isEnded: false
                ).resource,
                PermissionProvenance.resource(
                    of: id, version: 1, patient: patient, by: author, parent: parent, at: now
                ).resource,
            ]
        }
        try write(made, of: patient, by: call.csi.guid.text, at: now, in: transaction) { writer, new in
            guard try writer.insert(contentsOf: new).allSatisfy({ $0 != nil }) else {
                throw StorageError(code: "storage-failed", message: "The id of a Consent is taken; send it again.")
            }
        }
        return Granted(permissions: ids, patient: patient)
    }

    /// Stores resources as records of a patient.
    func write(
        _ resources: [Resource], of patient: String, by client: String, at: Date, in transaction: any SQLTransaction,
        storing store: (inout RecordWriter, [NewRecord]) throws -> Void
    ) throws {
        // The Patient owns a Provenance too, by its target.
        let new = resources.map { resource in
            NewRecord(resource, id: resource.id ?? "", subject: patient, content: resource.json.data())
        }
        try records.write(Self.provenance(client, at: at), at: at, in: transaction) { try store(&$0, new) }
    }

    private func decide(
        _ limits: PermissionLimits, _ terms: PermissionTerms, found: [CsiGuid: CsiInstance], of call: VerifiedCsiCall,
        at now: Date, in transaction: any SQLTransaction
    ) throws -> PermissionDecision {
        // An unknown csi has no role, so that the answer to passing on does not reveal it.
        let grantees = terms.grantees.map {
            found[$0]?.party ?? PermissionParty(csi: $0.text, patient: nil, isCarer: false)
        }
        let giver = call.csi.party
        let received: [ReceivedPermission]
        if let parent = terms.parent {
            received = try [permission(parent, in: transaction)?.received].compactMap { $0 }
        } else if giver.patient != nil || call.request.version == .v2 {
            return policy.decideGrant(by: giver, to: grantees)
        } else {
            received = try transaction.query(
                Self.passableSQL,
                [SQLValue(giver.csi), SQLValue(now), SQLValue(now), SQLValue(Self.maximumListed)]
            ).map { try GrantedPermission($0).received }
        }
        return policy.decidePassingOn(limits, by: giver, to: grantees, of: received, at: now)
    }

    /// Returns the grantees that exist and have not ended.
    private func grantees(
        _ terms: PermissionTerms, in transaction: any SQLTransaction
    ) throws -> [CsiGuid: CsiInstance] {
        let rows = try transaction.queries(
            terms.grantees.map { SQLQuery(CsiInstance.sql, [SQLValue($0.text)]) })
        let csis = try rows.compactMap { try $0.first.map { try CsiInstance($0) } }.filter { $0.endedAt == nil }
        return Dictionary(csis.map { ($0.guid, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The permissions that a csi could pass on, the oldest first. Parameters: csi, time, time, limit.
    static let passableSQL = """
        SELECT * FROM access_permission
        WHERE grantee = ? AND ended_at IS NULL AND parent_id IS NULL AND access = 'write'
            AND starts_at <= ? AND ends_at > ?
        ORDER BY number LIMIT ?
        """
    /// The number of permissions of a Patient that have neither ended nor expired. Parameters: Patient, time.
    static let activeCount = """
        SELECT count(*) AS total FROM access_permission WHERE participant = ? AND ended_at IS NULL AND ends_at > ?
        """
}
