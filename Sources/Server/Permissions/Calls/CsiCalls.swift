import AccessPolicy
import Audit
import Core
import Foundation
import Storage
import Wire

/// The pipeline of signed calls.
///
/// 1. The body: size, JSON, fields, cipher (``read(_:path:isConfidential:)``). Nothing is read from the store.
/// 2. Version 1 only if the study accepts it, and then only by TLS or from this machine; the time of the request.
/// 3. The key of the csi, and the signature.
/// 4. One transaction: the csi and its key again, the nonce, the effect, the audit row.
///
/// Each call whose signature was verified leaves one audit row. A refused call has no effect, and its nonce is used.
package struct CsiCalls: Sendable {
    /// The signatures and the claims that the study permits.
    package struct Rules: Sendable, Hashable {
        /// Whether version 1 of the signatures is accepted, by TLS or from this machine.
        package var acceptsVersion1: Bool
        /// Whether claims may have values, which identify a person.
        package var acceptsClaims: Bool

        package init(acceptsVersion1: Bool = false, acceptsClaims: Bool = false) {
            self.acceptsVersion1 = acceptsVersion1
            self.acceptsClaims = acceptsClaims
        }
    }

    let csis: CsiStore
    let permissions: any PermissionEffects
    let rules: Rules

    var audit: AuditLog { csis.audit }

    /// - Parameters:
    ///   - audit: the audit of the records' store, with clock and random numbers.
    ///   - permissions: performs the calls about permissions.
    package init(audit: AuditLog, permissions: any PermissionEffects, rules: Rules) {
        csis = CsiStore(audit: audit, permissions: permissions)
        self.permissions = permissions
        self.rules = rules
    }

    /// Reads the body of a call. It costs time linear in the size of the body.
    ///
    /// - Parameter isConfidential: whether the connection is TLS, or is from this machine.
    /// - Throws: `PermissionError`.
    package func read(_ body: Data, path: CsiPath, isConfidential: Bool) throws(PermissionError) -> SignedCsiRequest {
        let request = try SignedCsiRequest(reading: body, path: path)
        try request.checkCipher()
        guard request.version == .v2 || (rules.acceptsVersion1 && isConfidential) else {
            throw PermissionError(
                .legacyOff,
                "Version 1 of the signatures is accepted only where the study permits it, and only by https.")
        }
        try request.checkTime(now: audit.clock())
        return request
    }

    /// Verifies a call and performs it.
    ///
    /// - Parameter includesEnded: whether a list shall contain ended and expired permissions too.
    /// - Returns: the body of the answer.
    /// - Throws: `PermissionError`; `StorageError`, after which nothing was stored.
    package func perform(_ request: SignedCsiRequest, includesEnded: Bool = false) async throws -> JSON {
        // 1. The key. A registration is signed with the key that it brings.
        let key: P256PublicKey
        if let new = request.registrationKey {
            key = new
        } else {
            let csi = try await audit.database.lookUp { try CsiInstance.find(request.csi, in: $0) }
            key = try Self.require(csi).key
        }
        // 2. The signature.
        try request.verify(with: key)
        // 3. The transaction.
        let transaction: @Sendable (any SQLTransaction) throws -> Result<JSON, PermissionError> = { transaction in
            try perform(request, key: key, includesEnded: includesEnded, in: transaction)
        }
        let outcome =
            request.call.writesRecords
            ? try await audit.database.write(transaction) : try await audit.recorded(transaction)
        return try outcome.get()
    }

    /// Performs a verified call, and writes its audit row.
    private func perform(
        _ request: SignedCsiRequest, key: P256PublicKey, includesEnded: Bool, in transaction: any SQLTransaction
    ) throws -> Result<JSON, PermissionError> {
        let now = audit.clock()
        let registration: CsiRegistration? =
            if case .register(let registration) = request.call { registration } else { nil }
        let actor = registration == nil ? Actor(id: request.csi.text, role: .service) : nil
        var caller: CsiInstance?
        do {
            // 1. The csi may have changed since the signature was verified.
            let known = try CsiInstance.find(request.csi, in: transaction)
            if registration == nil {
                guard try Self.require(known).key == key else { throw Self.keyReplaced }
                caller = known
            } else if let known, known.key != key {
                // A stranger's key uses no nonce of the csi.
                throw Self.exists
            }
            // 2. The nonce.
            try CsiNonces.use(request, now: now, in: transaction)
            // 3. The policy, and the effect.
            let target = Self.target(of: request, by: caller)
            let decision = audit.policy.decide(actor, action: request.call.action, target: target)
            guard decision.allowed else { throw PermissionError.notPermitted }
            let effect = try transaction.undoing {
                if let registration {
                    return try register(registration, as: request.csi, isKnown: known != nil, now: now, in: transaction)
                }
                let csi = try Self.require(caller)
                return try self.effect(
                    of: VerifiedCsiCall(
                        request: request, csi: csi, key: key, receivedAt: now, includesEnded: includesEnded),
                    in: transaction)
            }
            // 4. The audit row.
            try audit.record(
                decision, by: actor, action: request.call.action, target: effect.target, amount: effect.amount,
                in: transaction)
            return .success(effect.answer)
        } catch let refusal as PermissionError {
            try audit.record(
                .denied(refusal.code), by: actor, action: request.call.action,
                target: Self.target(of: request, by: caller), in: transaction)
            return .failure(refusal)
        }
    }

    /// Returns a csi that is in use. Throws `PermissionError` `unknown_csi`, `csi_revoked`.
    private static func require(_ csi: CsiInstance?) throws(PermissionError) -> CsiInstance {
        guard let csi else { throw PermissionError(.unknownCsi, "No csi has this guid.") }
        guard csi.endedAt == nil else { throw PermissionError(.csiRevoked, "The csi has ended; register a new one.") }
        return csi
    }

    /// Returns the target of a call in the audit, as the request names it.
    private static func target(of request: SignedCsiRequest, by caller: CsiInstance?) -> Target {
        switch request.call {
        case .register, .rotateKey, .bind: CsiStore.target(request.csi, of: caller?.patient)
        case .fetchClaims(let guid), .revoke(let guid): CsiStore.target(guid)
        case .grant, .end, .fetchGiven, .fetchReceived: Target(resourceType: "Consent", subject: caller?.patient)
        }
    }

    private static let keyReplaced = PermissionError(
        .badSignature, "The key of the csi was replaced after the request was signed.")
    static let exists = PermissionError(.csiExists, "A csi with this guid is registered; request a new guid.")
}

extension PermissionError {
    /// One refusal for a caller who may not do something.
    static let notPermitted = PermissionError(.notPermitted, "This csi may not do this.")
}

extension CsiCall {
    /// The action that the policy decides about.
    var action: Action {
        switch self {
        case .register: .registerCsi
        case .fetchClaims: .readClaims
        case .bind: .bindWallet
        case .rotateKey, .revoke: .manageCsi
        case .grant: .grantPermission
        case .end: .endPermission
        case .fetchGiven, .fetchReceived: .listPermissions
        }
    }

    /// Whether the call may write many records, so that other small writes should not share its transaction.
    fileprivate var writesRecords: Bool {
        switch self {
        case .bind, .revoke, .grant, .end: true
        case .register, .fetchClaims, .rotateKey, .fetchGiven, .fetchReceived: false
        }
    }
}

extension SQLTransaction {
    /// Runs an effect, and undoes its writes if it throws a `PermissionError`. The transaction can then continue.
    fileprivate func undoing<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("SAVEPOINT csi_effect")
        do {
            let value = try body()
            try execute("RELEASE SAVEPOINT csi_effect")
            return value
        } catch let refusal as PermissionError {
            try execute("ROLLBACK TO SAVEPOINT csi_effect")
            try execute("RELEASE SAVEPOINT csi_effect")
            throw refusal
        }
    }
}
