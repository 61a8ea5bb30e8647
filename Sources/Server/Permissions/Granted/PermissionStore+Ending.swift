import AccessPolicy
import Audit
import FHIR
import Foundation
import RecordStorage
import Storage
import Wire

extension PermissionStore {
    /// Permissions that ended.
    package struct Ended: Sendable, Hashable {
        /// The permissions that were to end.
        package let permissions: [GrantedPermission]
        /// Those that ended with them, because they were passed on.
        package let passedOn: [GrantedPermission]

        static let none = Ended(permissions: [], passedOn: [])

        /// The ids of the Patients.
        package var patients: Set<String> { Set((permissions + passedOn).map(\.patient)) }
    }

    /// Ends the permissions for a csi that the caller may end, also those whose period has not begun: an app those that
    /// it passed on, a wallet all those for the records of its Patient. Without one it changes nothing.
    ///
    /// - Parameter id: the permission to end; nil for all.
    package func end(
        for grantee: CsiGuid, permission id: String?, of call: VerifiedCsiCall, in transaction: any SQLTransaction
    ) throws -> Ended {
        let at = SQLTimestamp.rounded(call.receivedAt)
        let now = SQLValue(at)
        let caller = call.csi.party
        var rows = try transaction.query(
            Self.givenToSQL, [SQLValue(caller.csi), SQLValue(grantee.text), now, SQLValue(Self.maximumListed)])
        if let patient = caller.patient {
            rows += try transaction.query(
                Self.ofPatientToSQL, [SQLValue(patient), SQLValue(grantee.text), now, SQLValue(Self.maximumListed)])
        }
        let found = try rows.map { try GrantedPermission($0) }.filter {
            (id == nil || $0.id == id)
                && policy.mayEndPermission(givenBy: $0.grantor.text, of: $0.patient, by: caller)
        }
        guard !found.isEmpty else { return .none }
        let request = RandomID.make(random)
        try StoredPermissionRequest.store(call, id: request, in: transaction)
        return try end(
            found, by: .csi(call.csi.guid, call.request), client: call.csi.guid.text, request: request,
            at: at, in: transaction)
    }

    /// Ends one permission without a signed request: for the site, and for the participant on their page. The caller
    /// has decided that the account may do this.
    ///
    /// - Returns: ``Ended/permissions`` is empty if there is no such permission, or it has ended or expired.
    package func end(
        permission id: String, by account: String, at: Date, in transaction: any SQLTransaction
    ) throws -> Ended {
        guard let found = try permission(id, in: transaction), found.status(at: at) == .active else { return .none }
        return try end([found], by: .account(account), client: account, request: nil, at: at, in: transaction)
    }

    /// Ends the permissions that an ended csi received, and those that it passed on. Permissions that it gave as the
    /// wallet of a Patient stay.
    @discardableResult
    package func endPermissions(
        ofEnded csi: CsiGuid, at: Date, in transaction: any SQLTransaction
    ) throws -> Ended {
        var ended = Ended.none
        while true {
            let rows = try transaction.queries(
                [Self.receivedSQL, Self.passedOnSQL].map {
                    SQLQuery($0, [SQLValue(csi.text), SQLValue(at), SQLValue(Self.endedAtATime)])
                })
            let found = try rows.joined().map { try GrantedPermission($0) }
            guard !found.isEmpty else { return ended }
            let more = try end(
                found, by: .endedCsi(csi), client: csi.text, request: nil, at: at, in: transaction)
            ended = Ended(
                permissions: ended.permissions + more.permissions, passedOn: ended.passedOn + more.passedOn)
        }
    }

    /// Ends all permissions, after the restore of a backup: it may lack the end of some of them.
    ///
    /// - Returns: the number of permissions.
    package func endAll(by account: String, at: Date, in transaction: any SQLTransaction) throws -> Int {
        var count = 0
        while true {
            let rows = try transaction.query(Self.allSQL, [SQLValue(Self.endedAtATime)])
            guard !rows.isEmpty else { return count }
            let ended = try end(
                rows.map { try GrantedPermission($0) }, by: .account(account), client: account, request: nil, at: at,
                in: transaction)
            count += ended.permissions.count + ended.passedOn.count
        }
    }

    // MARK: - The end

    /// Ends permissions and those that were passed on from them: the rows, the cached grants of tokens, the Consents.
    private func end(
        _ found: [GrantedPermission], by author: PermissionAuthor, client: String, request: String?, at date: Date,
        in transaction: any SQLTransaction
    ) throws -> Ended {
        let at = SQLTimestamp.rounded(date)
        var known: Set<String> = []
        let first = found.filter { known.insert($0.id).inserted }
        let children = try transaction.queries(
            first.map { SQLQuery(Self.childrenSQL, [SQLValue($0.id)]) }
        ).joined()
        let passedOn = try children.map { try GrantedPermission($0) }.filter { known.insert($0.id).inserted }
        for permission in first + passedOn {
            let id = SQLValue(permission.id)
            try transaction.execute(Self.endSQL, [SQLValue(at), SQLValue(request), id])
            try transaction.execute(Self.changeSQL, [id])
            try endConsent(of: permission, by: author, client: client, at: at, in: transaction)
        }
        return Ended(permissions: first, passedOn: passedOn)
    }

    /// Stores the Consent as inactive, with a Provenance of this version.
    private func endConsent(
        of permission: GrantedPermission, by author: PermissionAuthor, client: String, at: Date,
        in transaction: any SQLTransaction
    ) throws {
        // Access ends even if the record is lost.
        guard
            let stored = try records.read(type: Consent.resourceType, id: permission.id, in: transaction),
            !stored.isDeleted, var consent = (try? Resource(stored.content))?.as(Consent.self),
            consent.status != .inactive
        else { return }
        consent.status = .inactive
        let provenance = PermissionProvenance.resource(
            of: permission.id, version: stored.version + 1, patient: permission.patient, by: author, parent: nil,
            at: at)
        try write(
            [consent.resource, provenance.resource], of: permission.patient, by: client, at: at, in: transaction
        ) { writer, new in
            for record in new { _ = try writer.replace(record) }
        }
    }

    /// Permissions whose end one query finds.
    static let endedAtATime = 500

    /// Permissions for a csi that another one gave. Parameters: grantor, grantee, time, limit.
    static let givenToSQL = """
        SELECT * FROM access_permission
        WHERE grantor = ? AND grantee = ? AND ended_at IS NULL AND ends_at > ? ORDER BY number LIMIT ?
        """
    /// Permissions for a csi that cover the records of a Patient. Parameters: Patient, grantee, time, limit.
    static let ofPatientToSQL = """
        SELECT * FROM access_permission
        WHERE participant = ? AND grantee = ? AND ended_at IS NULL AND ends_at > ? ORDER BY number LIMIT ?
        """
    /// Permissions that a csi received. Parameters: csi, time, limit.
    static let receivedSQL = """
        SELECT * FROM access_permission
        WHERE grantee = ? AND ended_at IS NULL AND ends_at > ? ORDER BY number LIMIT ?
        """
    /// Permissions that a csi passed on. Parameters: csi, time, limit.
    static let passedOnSQL = """
        SELECT * FROM access_permission
        WHERE grantor = ? AND parent_id IS NOT NULL AND ended_at IS NULL AND ends_at > ? ORDER BY number LIMIT ?
        """
    /// Permissions that were passed on from one. Parameter: id.
    static let childrenSQL = "SELECT * FROM access_permission WHERE parent_id = ? AND ended_at IS NULL"
    /// All permissions that have not ended. Parameter: limit.
    static let allSQL = "SELECT * FROM access_permission WHERE ended_at IS NULL ORDER BY number LIMIT ?"
    /// Parameters: time, request, id.
    static let endSQL = """
        UPDATE access_permission SET ended_at = ?, ending_request_id = ? WHERE id = ? AND ended_at IS NULL
        """
    /// Makes cached grants of tokens invalid. Parameter: permission.
    static let changeSQL = """
        UPDATE access_authorization SET permission_changes = permission_changes + 1
        WHERE id IN (SELECT authorization_id FROM token_permission WHERE permission_id = ?)
        """
}
