import AccessPolicy
import FHIR
import Foundation
import RecordStorage
import Storage
import Wire

/// Compares permissions with the signed requests that gave and ended them, their Consents and their Provenances, page by
/// page, each in a transaction of its caller.
package struct PermissionVerification: Sendable {
    private let store = PermissionStore()
    private let records = RecordStore()
    /// The number of the last permission.
    private var last: Int64 = 0
    /// The number of compared permissions.
    package private(set) var count = 0
    /// The ids of the permissions that differ, in the order of their creation.
    package private(set) var different: [String] = []

    package init() {}

    /// Compares the next permissions.
    ///
    /// - Returns: false if there were none.
    package mutating func page(of limit: Int, in transaction: any SQLTransaction) throws -> Bool {
        let rows = try transaction.query(Self.pageSQL, [SQLValue(last), SQLValue(limit)])
        for row in rows {
            last = try row.integer("number")
            count += 1
            // A damaged row differs too.
            let permission = try? GrantedPermission(row)
            guard let permission, try agrees(permission, in: transaction) else {
                different.append(try row.text("id"))
                continue
            }
        }
        return !rows.isEmpty
    }

    private func agrees(_ permission: GrantedPermission, in transaction: any SQLTransaction) throws -> Bool {
        // 1. The request, its signature and the row.
        guard let stored = try store.request(permission.requestID, in: transaction),
            let request = try? stored.verified(), case .grant(let terms) = request.call,
            request.csi == permission.grantor, terms.grantees.contains(permission.grantee),
            let limits = try? PermissionLimits(terms), limits == permission.limits,
            stored.receivedAt == permission.createdAt,
            request.version == .v1 || terms.parent == permission.parent
        else { return false }
        if let parent = permission.parent {
            guard let parent = try store.permission(parent, in: transaction), parent.grantee == permission.grantor,
                parent.patient == permission.patient, parent.parent == nil, limits.isWithin(parent.limits)
            else { return false }
        }
        // 2. The first version of the Consent, and its Provenance.
        let consent = PermissionConsent.resource(
            of: permission.id, for: permission.grantee, patient: permission.patient, terms: terms, body: stored.body,
            isEnded: false)
        let provenance = PermissionProvenance.resource(
            of: permission.id, version: 1, patient: permission.patient, by: .csi(permission.grantor, request),
            parent: permission.parent, at: permission.createdAt)
        guard try isStored(consent.resource, version: 1, in: transaction),
            try isStored(provenance.resource, version: 1, in: transaction)
        else { return false }
        // 3. The end.
        let present = try records.read(type: Consent.resourceType, id: permission.id, in: transaction)
        guard let endedAt = permission.endedAt else { return present?.version == 1 }
        guard present?.version == 2 else { return false }
        return try endAgrees(permission, consent, at: endedAt, in: transaction)
    }

    private func endAgrees(
        _ permission: GrantedPermission, _ consent: Consent, at: Date, in transaction: any SQLTransaction
    ) throws -> Bool {
        var ended = consent
        ended.status = .inactive
        guard try isStored(ended.resource, version: 2, in: transaction) else { return false }
        func provenance(by author: PermissionAuthor) -> Resource {
            PermissionProvenance.resource(
                of: permission.id, version: 2, patient: permission.patient, by: author, parent: nil, at: at
            ).resource
        }
        if let id = permission.endingRequestID {
            guard let stored = try store.request(id, in: transaction), let request = try? stored.verified(),
                case .end(let grantee, let named) = request.call
            else { return false }
            // The request may have ended the permission that was passed on as this one.
            let parent = try permission.parent.flatMap { try store.permission($0, in: transaction) }
            let isMeant = [permission, parent].contains {
                $0?.grantee == grantee && (named == nil || $0?.id == named)
            }
            guard isMeant else { return false }
            return try isStored(provenance(by: .csi(request.csi, request)), version: 1, in: transaction)
        }
        // Without a request, the author is known from the Provenance alone.
        let made = PermissionProvenance.id(of: permission.id, version: 2)
        guard let record = try records.read(type: Provenance.resourceType, id: made, in: transaction),
            let stored = (try? Resource(record.content))?.as(Provenance.self), stored.signature.isEmpty
        else { return false }
        var expected = Provenance(provenance(by: .account("")).object)
        if let who = stored.agent.first?.who, let agent = expected.agent.first {
            var agent = agent
            agent.who = who
            expected.agent = [agent]
        }
        return try isStored(expected.resource, version: 1, in: transaction)
    }

    /// Whether a version of a record has this content, and is that of a permission.
    private func isStored(_ resource: Resource, version: Int64, in transaction: any SQLTransaction) throws -> Bool {
        let stored = try records.read(
            type: resource.resourceType, id: resource.id ?? "", version: version, in: transaction)
        return stored?.provenance.isOfPermission == true && stored?.isDeleted == false
            && stored?.content == resource.json.data()
    }

    /// Parameters: the last number, limit.
    static let pageSQL = "SELECT * FROM access_permission WHERE number > ? ORDER BY number LIMIT ?"
}
