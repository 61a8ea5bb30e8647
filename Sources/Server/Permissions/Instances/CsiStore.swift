import AccessPolicy
import Audit
import Foundation
import Identity
import Storage
import Wire

/// The csis of a study, in the records' store. Each is a registered client too, whose id is the guid.
package struct CsiStore: AuditedStore {
    package let audit: AuditLog
    let permissions: any PermissionEnding

    /// The maximum scopes of the client of a csi. Permissions decide what a csi has of them.
    static let scopes = "patient/*.crus user/*.crus conf/V sens/*"

    /// Creates the store for the database of the audit.
    ///
    /// - Parameter permissions: ends the permissions of a csi that ends.
    package init(audit: AuditLog, permissions: any PermissionEnding) {
        self.audit = audit
        self.permissions = permissions
    }

    /// Creates what the signed calls of a store need, if it is not there: the key of the guids.
    package static func prepare(_ audit: AuditLog) async throws {
        let random = audit.random
        let present = try await audit.database.lookUp { try $0.first("SELECT 1 AS one FROM csi_guid_key WHERE id = 1") }
        guard present == nil else { return }
        try await audit.database.write { try CsiGuids.createKey(in: $0, random: random) }
    }

    // MARK: - Within a transaction

    /// Stores a new csi and its client.
    func insert(
        _ registration: CsiRegistration, as guid: CsiGuid, now: Date, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            "INSERT INTO registered_client (id, name, key_set, scopes, created_at) VALUES (?, ?, ?, ?, ?)",
            [
                SQLValue(guid.text), SQLValue(registration.applicationClass),
                SQLValue(CsiKeySet.text(registration.key, of: guid)), SQLValue(Self.scopes), SQLValue(now),
            ])
        let claims = registration.claims
        let text = claims.isEmpty ? nil : String(decoding: claims.json.bytes(), as: UTF8.self)
        try transaction.execute(
            "INSERT INTO csi (guid, device_id, claims, created_at) VALUES (?, ?, ?, ?)",
            [
                SQLValue(guid.text), SQLValue(registration.deviceID), SQLValue(text), SQLValue(now),
            ])
    }

    /// Replaces the key of a csi. Its tokens and permissions remain.
    func setKey(_ key: P256PublicKey, of guid: CsiGuid, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE registered_client SET key_set = ? WHERE id = ?",
            [SQLValue(CsiKeySet.text(key, of: guid)), SQLValue(guid.text)])
    }

    /// Ends a csi, its tokens, and the permissions that it received or passed on. A second end has no effect.
    func end(_ guid: CsiGuid, now: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE csi SET ended_at = COALESCE(ended_at, ?) WHERE guid = ?", [SQLValue(now), SQLValue(guid.text)])
        try transaction.execute(
            "UPDATE registered_client SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?",
            [SQLValue(now), SQLValue(guid.text)])
        try permissions.endPermissions(ofEnded: guid, in: transaction)
    }

    // MARK: - The site

    /// Returns all csis, including those that have ended, in the order of their registration.
    ///
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason.
    package func all(by actor: Actor) async throws -> [CsiInstance] {
        try await database.write { transaction in
            try audit.require(
                actor, .listParticipants, target: Target(resourceType: "Client"),
                message: "This account may not list apps and wallets.", in: transaction)
            return try transaction.query(CsiInstance.allSQL).map { try CsiInstance($0) }
        }
    }

    /// Assigns the role of a csi, or removes it. Permissions that were passed on to the csi remain.
    ///
    /// - Returns: false if no csi in use has the guid.
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason.
    package func setRole(_ role: CsiInstance.CareRole?, of guid: CsiGuid, by actor: Actor) async throws -> Bool {
        try await database.write { transaction in
            try audit.require(
                actor, .assignCsiRole, target: Self.target(guid),
                message: "This account may not assign the roles of apps.", in: transaction)
            guard let csi = try CsiInstance.find(guid, in: transaction), csi.endedAt == nil else { return false }
            try transaction.execute(
                "UPDATE csi SET role = ? WHERE guid = ?", [SQLValue(role?.rawValue), SQLValue(guid.text)])
            return true
        }
    }

    /// Ends a csi on behalf of the site, with its tokens and the permissions that it received or passed on.
    ///
    /// - Returns: false if there is no csi with the guid.
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason.
    package func end(_ guid: CsiGuid, by actor: Actor) async throws -> Bool {
        let now = clock()
        return try await database.write { transaction in
            guard let csi = try CsiInstance.find(guid, in: transaction) else { return false }
            try audit.require(
                actor, .manageCsi, target: Self.target(guid, of: csi.patient),
                message: "This account may not end apps and wallets.", in: transaction)
            try end(guid, now: now, in: transaction)
            return true
        }
    }

    /// Returns the target of an action on a csi in the audit.
    static func target(_ guid: CsiGuid, of patient: String? = nil) -> Target {
        Target(resourceType: "Client", resourceID: guid.text, subject: patient)
    }
}
