import AccessPolicy
import Audit
import Foundation
import Identity
import Storage

/// Reads the access to a person's records for the person (``OwnAccess``).
struct OwnAccessReader: Sendable {
    let access: AccessStores

    /// Returns the access.
    ///
    /// - Parameters:
    ///   - patient: the id of the person's Patient.
    ///   - account: the id of the person's account; nil if a row of it cannot be recognised.
    ///   - lookCount: maximum number of looks.
    ///   - position: the number before which the looks begin; nil for the newest ones.
    func read(
        of patient: String, account: String, lookCount: Int, before position: Int64? = nil,
        in transaction: any SQLTransaction
    ) throws -> OwnAccess {
        let limit = OwnAccess.entryLimit + 1
        var entries = try permissions(of: patient, limit: limit, in: transaction)
        entries += try access.authorizations.approvals(of: patient, limit: limit, in: transaction).map { approval in
            OwnAccess.Entry(
                kind: .approval, id: approval.id, client: approval.clientID, name: approval.clientName,
                passedOnBy: nil, words: OwnAccessWords.approval(approval.scopes), start: approval.createdAt,
                end: approval.expiresAt)
        }
        if !entries.isEmpty {
            let uses = try AuditReader().lastUses(of: patient, in: transaction)
            for index in entries.indices { entries[index].lastUse = uses[entries[index].client] }
        }
        var query = AuditQuery()
        query.participant = patient
        if let position { query.position = AuditQuery.Position(at: "", number: position) }
        let page = try AuditReader().page(query, count: lookCount, in: transaction)
        var names: [String: String] = [:]
        // Lists of permissions, such as a visit to this page, are no use of records.
        let isList = { (entry: AuditEntry) in entry.action == Action.listPermissions.rawValue }
        let looks = try page.events.map(\.entry).filter { !isList($0) }.map { entry in
            if let client = entry.client, names[client] == nil {
                names[client] = try access.clients.name(of: client, in: transaction)
            }
            return OwnAccess.Look(
                number: entry.number, at: entry.at,
                reader: OwnAccessWords.reader(
                    client: entry.client.flatMap { names[$0] }, role: entry.role, isOwn: entry.actor == account),
                deed: OwnAccessWords.deed(entry.action, by: entry.role, type: entry.resourceType, amount: entry.amount),
                isAllowed: entry.isAllowed)
        }
        return OwnAccess(
            entries: Array(entries.prefix(OwnAccess.entryLimit)), isCut: entries.count > OwnAccess.entryLimit,
            looks: looks, nextLooks: page.next?.number)
    }

    private func permissions(
        of patient: String, limit: Int, in transaction: any SQLTransaction
    ) throws -> [OwnAccess.Entry] {
        try transaction.query(
            Self.permissionsSQL, [SQLValue(patient), SQLValue(access.audit.clock()), SQLValue(limit)]
        ).map { row in
            let types = try row.text("resource_types")
            return OwnAccess.Entry(
                kind: .permission, id: try row.text("id"), client: try row.text("grantee"), name: try row.text("name"),
                passedOnBy: row.textIfPresent("parent_id") == nil ? nil : row.textIfPresent("grantor_name"),
                words: OwnAccessWords.permission(
                    types: types == "*" ? nil : types.split(separator: ",").map(String.init),
                    writes: try row.text("access") == "write",
                    confidentiality: Confidentiality(code: try row.text("confidentiality")) ?? .assumed,
                    sensitivities: try row.text("sensitivities").split(separator: " ").map(String.init)),
                start: try row.date("starts_at"), end: try row.date("ends_at"))
        }
    }

    /// Parameters: Patient, now, maximum number.
    static let permissionsSQL = """
        SELECT p.id, p.grantee, p.parent_id, p.access, p.resource_types, p.confidentiality, p.sensitivities, p.starts_at,
            p.ends_at, e.name AS name, o.name AS grantor_name
        FROM access_permission p JOIN registered_client e ON e.id = p.grantee
        LEFT JOIN registered_client o ON o.id = p.grantor
        WHERE p.participant = ? AND p.ended_at IS NULL AND p.ends_at > ? AND e.revoked_at IS NULL
        ORDER BY p.number DESC LIMIT ?
        """
}
