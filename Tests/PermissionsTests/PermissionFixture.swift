import AccessPolicy
import AccessTestSupport
import Audit
import Core
import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import Testing
import Wire

@testable import Permissions

/// A store with csis, to which verified calls are passed.
struct PermissionFixture: Sendable {
    let database: any SQLDatabase
    let clock: TestClock
    let store = PermissionStore()

    static func with(_ body: (PermissionFixture) async throws -> Void) async throws {
        let migrations = [Migration.baseline(of: "records", AccessSchema.sections + RecordsSchema.sections)]
        try await withTemporaryDatabase(migrations) { database async throws in
            try await body(PermissionFixture(database: database, clock: TestClock()))
        }
    }

    // MARK: - Csis

    func csi(
        _ name: String = "app", device: String = UUID().uuidString, wallet patient: String? = nil,
        role: CsiInstance.CareRole? = nil
    ) async throws -> TestCsi {
        let key = try P256SigningKey()
        let guid = try #require(CsiGuid(UUID().uuidString.lowercased()))
        let now = clock.now
        try await database.write { transaction in
            try transaction.execute(
                "INSERT INTO registered_client (id, name, key_set, scopes, created_at) VALUES (?, ?, ?, '', ?)",
                [
                    SQLValue(guid.text), SQLValue(name), SQLValue(CsiKeySet.text(key.publicKey, of: guid)),
                    SQLValue(now),
                ])
            try transaction.execute(
                "INSERT INTO csi (guid, device_id, role, participant, created_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(guid.text), SQLValue(device), SQLValue(role?.rawValue), SQLValue(patient), SQLValue(now),
                ])
        }
        return TestCsi(guid: guid, key: key, device: device)
    }

    func instance(_ csi: TestCsi) async throws -> CsiInstance {
        try #require(try await database.read { try CsiInstance.find(csi.guid, in: $0) })
    }

    /// Ends a csi as the server does, with its permissions.
    @discardableResult
    func end(_ csi: TestCsi) async throws -> PermissionStore.Ended {
        let (store, now) = (store, clock.now)
        return try await database.write { transaction in
            let values = [SQLValue(now), SQLValue(csi.guid.text)]
            try transaction.execute("UPDATE csi SET ended_at = ? WHERE guid = ?", values)
            try transaction.execute("UPDATE registered_client SET revoked_at = ? WHERE id = ?", values)
            return try store.endPermissions(ofEnded: csi.guid, at: now, in: transaction)
        }
    }

    // MARK: - Calls

    func call(
        _ call: CsiCall, by csi: TestCsi, version: CsiSignatureVersion = .v2
    ) async throws -> VerifiedCsiCall {
        let now = clock.now
        let request = try SignedCsiRequest(
            signing: call, csi: csi.guid, time: CsiInstant(now), nonce: UUID().uuidString, version: version,
            key: csi.key)
        try request.verify(with: csi.key.publicKey)
        return VerifiedCsiCall(
            request: request, csi: try await instance(csi), key: csi.key.publicKey, receivedAt: now)
    }

    /// Returns terms for a period in seconds from now.
    func terms(
        _ grantees: [TestCsi], _ access: PermissionScope.Access = .read, of types: String = "*",
        confidentiality: String = "N", sensitivities: [String] = [], from start: Double = 0,
        until end: Double = 86_400, parent: String? = nil
    ) throws -> PermissionTerms {
        let scope = try PermissionScope(
            access: access, confidentiality: confidentiality, sensitivities: sensitivities,
            types: try #require(PermissionScope.Types(types)))
        return try PermissionTerms(
            grantees: grantees.map(\.guid), start: CsiInstant(clock.now.addingTimeInterval(start)),
            end: CsiInstant(clock.now.addingTimeInterval(end)), timeStamp: CsiInstant(clock.now), scope: scope,
            parent: parent)
    }

    @discardableResult
    func grant(
        _ terms: PermissionTerms, by csi: TestCsi, version: CsiSignatureVersion = .v2
    ) async throws -> [String] {
        let (store, call) = (store, try await call(.grant(terms), by: csi, version: version))
        return try await database.write { try store.grant(terms, of: call, in: $0).permissions }
    }

    func end(
        _ grantee: TestCsi, _ permission: String? = nil, by csi: TestCsi, version: CsiSignatureVersion = .v2
    ) async throws -> PermissionStore.Ended {
        let (store, guid) = (store, grantee.guid)
        let call = try await call(.end(guid, permission: permission), by: csi, version: version)
        return try await database.write { try store.end(for: guid, permission: permission, of: call, in: $0) }
    }

    /// Returns the code of a refusal; nil if there is none.
    func refusal(_ body: () async throws -> Void) async throws -> PermissionError.Reason? {
        do {
            try await body()
            return nil
        } catch let error as PermissionError {
            return error.reason
        }
    }

    // MARK: - The store

    func permission(_ id: String) async throws -> GrantedPermission {
        let store = store
        return try #require(try await database.read { try store.permission(id, in: $0) })
    }

    func isActive(_ id: String) async throws -> Bool {
        try await permission(id).status(at: clock.now) == .active
    }

    func given(_ csi: TestCsi, all: Bool = false) async throws -> [PermissionRecord] {
        let (store, instance, now) = (store, try await instance(csi), clock.now)
        return try await database.read { try store.given(by: instance, all: all, at: now, in: $0) }
    }

    func received(_ csi: TestCsi, all: Bool = false) async throws -> [PermissionRecord] {
        let (store, instance, now) = (store, try await instance(csi), clock.now)
        return try await database.read { try store.received(by: instance, all: all, at: now, in: $0) }
    }

    func record(_ type: String, _ id: String) async throws -> StoredRecord? {
        try await database.read { try RecordStore().read(type: type, id: id, in: $0) }
    }

    func resource(_ type: String, _ id: String) async throws -> Resource {
        let stored = try #require(try await record(type, id))
        return try Resource(stored.content)
    }

    func count(_ table: String) async throws -> Int64 {
        try await database.read { transaction in
            try transaction.first("SELECT count(*) AS total FROM \(table)")?.integer("total") ?? 0
        }
    }

    func verify() async throws -> PermissionVerification {
        try await database.read { transaction in
            var verification = PermissionVerification()
            while try verification.page(of: 2, in: transaction) {}
            return verification
        }
    }

    static let tables = ["access_permission", "permission_request", "record", "record_version", "record_source"]
}
