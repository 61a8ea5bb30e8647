import AccessPolicy
import Audit
import Core
import Foundation
import Storage

// Tokens of csis: they carry the permissions that people gave. Each permission counts only while it lasts.
extension AuthorizationStore {
    /// Maximum number of valid tokens of a csi; the oldest end first.
    static let maximumInstanceAuthorizations = 100

    /// A new token, generated before the transaction because that may run twice.
    package struct NewInstanceToken: Sendable {
        let secret: String
        let id: String
    }

    /// Returns a new token.
    package func newInstanceToken() -> NewInstanceToken {
        NewInstanceToken(secret: String.newSecret(random), id: RandomID.make(random))
    }

    /// Issues an access token to a csi.
    ///
    /// - Parameters:
    ///   - asked: requested scopes; nil for all access that the permissions give.
    ///   - lifetime: seconds until the token expires; it does not outlast the permissions.
    /// - Returns: nil if the client is no csi.
    /// - Throws: ``InstanceAccessRefusal``; ``AccessPolicy/AccessError`` with the policy's reason.
    package func issueInstanceToken(
        to client: RegisteredClient, asking asked: AccessScopes?, lifetime: TimeInterval
    ) async throws -> IssuedTokens? {
        let csi = client.id
        let isInstance = try await database.lookUp {
            try $0.first(CarriedPermission.instanceSQL, [SQLValue(csi)]) != nil
        }
        guard isInstance else { return nil }
        let new = newInstanceToken()
        let result = try await database.write { transaction in
            try issue(new, toInstance: csi, asking: asked, lifetime: lifetime, in: transaction)
        }
        return try result.get()
    }

    /// Issues an access token to a csi as part of a transaction, and writes the audit row.
    ///
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason.
    package func issue(
        _ new: NewInstanceToken, toInstance csi: String, asking asked: AccessScopes?, lifetime: TimeInterval,
        in transaction: any SQLTransaction
    ) throws -> Result<IssuedTokens, InstanceAccessRefusal> {
        let access: InstanceAccess
        switch try instanceAccess(of: csi, asking: asked, lifetime: lifetime, in: transaction) {
        case .success(let found): access = found
        case .failure(let refusal): return .failure(refusal)
        }
        let authorization = try insert(
            NewAuthorization(
                id: new.id, clientID: csi, accountID: nil, scopes: access.asked ?? AccessScopes(known: []),
                createdAt: clock(), expiresAt: access.end, carriesPermissions: true),
            patient: access.patient, limit: Self.maximumInstanceAuthorizations, in: transaction)
        var rows = try transaction.inserter(CarriedPermission.insertion, sharing: authorization.id)
        for permission in access.permissions { try rows.add(permission) }
        try rows.flush()
        try insert(new.secret, of: authorization, scopes: access.scopes, expiresAt: access.end, in: transaction)
        return .success(
            IssuedTokens(
                accessToken: new.secret, expiresAt: access.end, scopes: access.scopes, refreshToken: nil,
                authorization: authorization, nonce: nil, account: nil))
    }

    /// Returns the scopes that a token of a csi would have now, and writes the audit row.
    ///
    /// - Throws: ``AccessPolicy/AccessError`` with the policy's reason.
    package func scopes(
        ofInstance csi: String, asking asked: AccessScopes?, lifetime: TimeInterval, in transaction: any SQLTransaction
    ) throws -> Result<AccessScopes, InstanceAccessRefusal> {
        try instanceAccess(of: csi, asking: asked, lifetime: lifetime, in: transaction).map(\.scopes)
    }

    /// The access that a token of a csi would have.
    private struct InstanceAccess {
        /// Requested scopes that a csi may have; nil for all.
        let asked: AccessScopes?
        /// The Patient that the scopes `patient/` mean.
        let patient: String?
        /// Scopes for the answer.
        let scopes: AccessScopes
        let permissions: [CarriedPermission]
        let end: Date
    }

    /// Decides about the access of a csi, and writes the audit row.
    private func instanceAccess(
        of csi: String, asking asked: AccessScopes?, lifetime: TimeInterval, in transaction: any SQLTransaction
    ) throws -> Result<InstanceAccess, InstanceAccessRefusal> {
        let actor = Actor(id: csi, role: .service)
        let found: Result<InstanceAccess, InstanceAccessRefusal>
        do {
            found = .success(try access(of: csi, asking: asked, lifetime: lifetime, in: transaction))
        } catch let refusal as InstanceAccessRefusal {
            found = .failure(refusal)
        } catch let error as AccessGrantError {
            found = .failure(.limit(code: error.code, message: error.message))
        } catch let error as ScopeError {
            found = .failure(.limit(code: error.code, message: error.message))
        }
        switch found {
        case .success(let access):
            let target = Target(resourceType: "Client", resourceID: csi, subject: access.patient)
            try audit.require(
                actor, .authorizeApp, target: target, message: "This app may not request a token.", in: transaction)
        case .failure(let refusal):
            try audit.record(
                .denied(refusal.code), by: actor, action: .authorizeApp,
                target: Target(resourceType: "Client", resourceID: csi), in: transaction)
        }
        return found
    }

    private func access(
        of csi: String, asking asked: AccessScopes?, lifetime: TimeInterval, in transaction: any SQLTransaction
    ) throws -> InstanceAccess {
        let now = clock()
        let asked = asked?.ofInstance
        // 1. The Patient of `patient/`: that of the wallet on the device, otherwise the only grantor.
        let needsPatient = asked?.contains(.patient) ?? false
        var patient: String?
        if needsPatient {
            patient = try transaction.first(CarriedPermission.walletSQL, [SQLValue(csi)])?.text("participant")
        }
        // 2. The permissions in force, or those of this Patient if the request concerns no other one.
        let limit = AccessGrant.maximumPatients
        let parameters = [SQLValue(csi), SQLValue(now), SQLValue(now)]
        let rows: [SQLRow]
        if let patient, asked?.contains(.user) == false {
            rows = try transaction.query(
                CarriedPermission.inForceOfPatientSQL, parameters + [SQLValue(patient), SQLValue(limit + 1)])
        } else {
            rows = try transaction.query(CarriedPermission.inForceSQL, parameters + [SQLValue(limit + 1)])
        }
        guard rows.count <= limit else { throw AccessGrantError.tooManyPatients }
        let permissions = try rows.map { try CarriedPermission($0) }
        guard !permissions.isEmpty else { throw InstanceAccessRefusal.noPermission }
        if needsPatient, patient == nil {
            let grantors = Set(permissions.map(\.patient))
            guard grantors.count == 1 else { throw InstanceAccessRefusal.patientUnclear }
            patient = grantors.first
        }
        // 3. The grant, which lasts as long as one of the permissions that it rests on.
        let latest = now.addingTimeInterval(lifetime)
        let (grant, used) = try CarriedGrant(csi: csi, asked: asked, patient: patient, end: latest)
            .grant(of: permissions, at: now)
        guard let last = used.map(\.limits.end).max() else { throw InstanceAccessRefusal.noPermission }
        return InstanceAccess(
            asked: asked, patient: patient, scopes: try grant.listedScopes(at: now), permissions: used,
            end: min(latest, last))
    }
}

extension AuthorizationStore {
    /// Returns the grant of a token from the permissions that it carries and that were not ended; nil if none is left.
    ///
    /// - Parameter row: a row of ``accessGrantSQL``.
    static func grant(
        carriedBy row: SQLRow, now: Date, in transaction: any SQLTransaction
    ) throws -> AccessGrant? {
        let rows = try transaction.query(CarriedPermission.carriedSQL, [SQLValue(try row.text("id")), SQLValue(now)])
        guard !rows.isEmpty else { return nil }
        let asked = try row.text("asked")
        let carried = CarriedGrant(
            csi: try row.text("client_id"), asked: asked.isEmpty ? nil : try AccessScopes(asked),
            patient: row.textIfPresent("participant"), end: try row.date("expires_at"))
        return try carried.grant(of: rows.map { try CarriedPermission($0) }, at: now).grant
    }

    /// Whether permissions exist, were not ended, and their periods are not over.
    static func areInForce(
        _ permissions: Set<String>, now: Date, in transaction: any SQLTransaction
    ) throws -> Bool {
        // One statement for each group of ids, because the number of parameters is limited.
        let ids = permissions.sorted()
        for start in stride(from: 0, to: ids.count, by: Self.idsPerStatement) {
            let group = ids[start..<min(start + Self.idsPerStatement, ids.count)]
            let found = try transaction.first(
                inForceSQL(ids: group.count), group.map { SQLValue($0) } + [SQLValue(now)])
            guard found?.integerIfPresent("number") == Int64(group.count) else { return false }
        }
        return true
    }

    private static let idsPerStatement = 500

    /// Parameters: ids, now.
    static func inForceSQL(ids: Int) -> String {
        """
        SELECT count(*) AS number FROM access_permission
        WHERE id IN (\(repeatElement("?", count: ids).joined(separator: ", "))) AND ended_at IS NULL AND ends_at > ?
        """
    }
}
