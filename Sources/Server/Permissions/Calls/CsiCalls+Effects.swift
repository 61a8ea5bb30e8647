import Audit
import Core
import Foundation
import Identity
import Storage
import Wire

extension CsiCalls {
    /// Performs a call of a registered csi.
    ///
    /// - Throws: `PermissionError` for a refusal, `StorageError`.
    func effect(of call: VerifiedCsiCall, in transaction: any SQLTransaction) throws -> CsiEffect {
        switch call.request.call {
        case .register: throw Self.exists
        case .fetchClaims(let guid): try claims(of: guid, for: call, in: transaction)
        case .bind(let code): try bind(call, code: code, in: transaction)
        case .rotateKey(let key): try rotateKey(of: call, to: key, in: transaction)
        case .revoke(let guid): try revoke(guid, by: call, in: transaction)
        case .grant, .end, .fetchGiven, .fetchReceived: try permissions.effect(of: call, in: transaction)
        }
    }

    /// Registers a csi.
    ///
    /// - Parameter isKnown: whether a csi with this guid and this key exists.
    func register(
        _ registration: CsiRegistration, as guid: CsiGuid, isKnown: Bool, now: Date,
        in transaction: any SQLTransaction
    ) throws -> CsiEffect {
        guard !isKnown, try !Self.hasClient(guid, in: transaction) else { throw Self.exists }
        guard try CsiGuids(in: transaction).recognizes(guid, now: now) else {
            throw PermissionError(
                .badField, "The field csiGuid must be a guid that this server issued in the last 15 minutes.")
        }
        guard registration.claims.isEmpty || rules.acceptsClaims else {
            throw PermissionError(
                .identifyingData, "This study stores no data that identify a person; send empty claims.")
        }
        try csis.insert(registration, as: guid, now: now, in: transaction)
        return CsiEffect(answer: CsiAnswer(csi: guid).json, target: CsiStore.target(guid))
    }

    private static func hasClient(_ guid: CsiGuid, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first("SELECT 1 AS one FROM registered_client WHERE id = ?", [SQLValue(guid.text)]) != nil
    }

    /// Replaces the key of the caller. The request has the proof of the new key.
    private func rotateKey(
        of call: VerifiedCsiCall, to key: P256PublicKey, in transaction: any SQLTransaction
    ) throws -> CsiEffect {
        try csis.setKey(key, of: call.csi.guid, in: transaction)
        return CsiEffect(
            answer: CsiAnswer(csi: call.csi.guid).json,
            target: CsiStore.target(call.csi.guid, of: call.csi.patient))
    }

    /// Ends the caller, or for a wallet a csi of its device.
    private func revoke(
        _ guid: CsiGuid, by call: VerifiedCsiCall, in transaction: any SQLTransaction
    ) throws -> CsiEffect {
        let named = try NamedCsi(guid, in: transaction)
        let isOwn = guid == call.csi.guid || (call.csi.isWallet && named.deviceID == call.csi.deviceID)
        guard isOwn else { throw Self.noSuchCsi }
        try csis.end(guid, now: call.receivedAt, in: transaction)
        return CsiEffect(answer: CsiAnswer(csi: guid).json, target: CsiStore.target(guid, of: named.patient))
    }

    /// One refusal for a csi that does not exist, and for one that the caller may not see.
    static let noSuchCsi = PermissionError(.noSuchCsi, "There is no such csi, or this csi may not see it.")
}
