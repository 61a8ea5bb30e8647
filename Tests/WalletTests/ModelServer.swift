import Core
import Foundation
import HTTPTransport
import Wallet
import Wire

/// A server in memory: it verifies signatures, times and nonces, and has permissions. It loses answers on request.
actor ModelServer: Transport {
    struct Fault: Error {}

    /// The loss of the next request of a path, or of its answer.
    enum Loss: Sendable { case request, answer }

    var now: Date
    private(set) var keys: [CsiGuid: P256PublicKey] = [:]
    private(set) var permissions: [PermissionRecord] = []
    private(set) var log: [String] = []
    private(set) var lastNames: [String: String] = [:]
    /// The parents that requests named.
    private(set) var parents: [String] = []
    private var issued: Set<CsiGuid> = []
    private var nonces: Set<String> = []
    private var losses: [String: Loss] = [:]
    private var answers: [String: TransportResponse] = [:]

    init(now: Date) { self.now = now }

    func lose(_ loss: Loss, at path: String) { losses[path] = loss }
    func answer(_ path: String, with response: TransportResponse?) { answers[path] = response }
    func forget(_ csi: CsiGuid) { keys[csi] = nil }
    func set(now: Date) { self.now = now }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let path = request.url.path
        log.append("\(request.method) \(path)")
        let loss = losses.removeValue(forKey: path)
        if loss == .request { throw Fault() }
        let response: TransportResponse
        if let fixed = answers[path] {
            response = fixed
        } else {
            do {
                response = TransportResponse(status: 200, body: try answer(request).data())
            } catch let error as PermissionError {
                response = TransportResponse(status: error.status, body: error.json(requestID: "r1").data())
            }
        }
        if loss == .answer { throw Fault() }
        return response
    }

    private func answer(_ request: TransportRequest) throws -> JSON {
        switch UtilityPath(rawValue: request.url.path) {
        case .ping?: return ["status": "ok"]
        case .getTime?: return ServerTimeAnswer(time: CsiInstant(now)).json
        case .getGloballyUniqueIdentifier?:
            guard let guid = CsiGuid(UUID().uuidString) else { throw Fault() }
            issued.insert(guid)
            return NewGuidAnswer(guid: guid).json
        case nil: break
        }
        if request.url.path == "/oauth2/token" { return try token(request.body ?? Data()) }
        guard let path = CsiPath(rawValue: request.url.path) else { throw Fault() }
        let signed = try SignedCsiRequest(reading: request.body ?? Data(), path: path)
        try signed.checkCipher()
        try signed.checkTime(now: now)
        if signed.registrationKey != nil, keys[signed.csi] != nil {
            throw PermissionError(.csiExists, "The guid is registered.")
        }
        guard let key = signed.registrationKey ?? keys[signed.csi] else {
            throw PermissionError(.unknownCsi, "There is no such csi.")
        }
        try signed.verify(with: key)
        guard nonces.insert("\(signed.csi) \(signed.nonce)").inserted else {
            throw PermissionError(.nonceReused, "The nonce was used.")
        }
        let all = request.url.query == "all=true"
        return try answer(signed, all: all)
    }

    private func answer(_ request: SignedCsiRequest, all: Bool) throws -> JSON {
        switch request.call {
        case .register(let registration):
            guard issued.remove(request.csi) != nil else { throw PermissionError(.noSuchCsi, "It was not issued.") }
            keys[request.csi] = registration.key
            return CsiAnswer(csi: request.csi).json
        case .fetchClaims: return ClaimsAnswer(claims: PublicClaims(), applicationClass: "Steps").json
        case .bind: return CsiAnswer(csi: request.csi, patient: "Patient/p1").json
        case .rotateKey(let key):
            keys[request.csi] = key
            return CsiAnswer(csi: request.csi).json
        case .revoke(let csi):
            keys[csi] = nil
            return CsiAnswer(csi: request.csi).json
        case .grant(let terms):
            if let parent = terms.parent { parents.append(parent) }
            let ids = terms.grantees.map { grantee in
                let id = "p\(permissions.count + 1)"
                permissions.append(
                    PermissionRecord(
                        id: id, grantor: request.csi, grantees: [grantee], start: terms.start, end: terms.end,
                        timeStamp: terms.timeStamp, scope: terms.scope, status: .active, version: request.version))
                return id
            }
            return GrantAnswer(permissions: ids).json
        case .end(let csi, let id):
            var count = 0
            for index in permissions.indices
            where permissions[index].status == .active && permissions[index].grantor == request.csi
                && permissions[index].grantees == [csi] && (id == nil || permissions[index].id == id)
            {
                permissions[index].status = .revoked
                count += 1
            }
            return EndAnswer(revoked: count).json
        case .fetchGiven:
            return list(all) { $0.grantor == request.csi }
        case .fetchReceived:
            return list(all) { $0.grantees.contains(request.csi) }
        }
    }

    private func list(_ all: Bool, _ isIncluded: (PermissionRecord) -> Bool) -> JSON {
        PermissionsAnswer(permissions: permissions.filter { isIncluded($0) && (all || $0.status == .active) }).json
    }

    private func token(_ body: Data) throws -> JSON {
        let fields = PercentEncoding.fields(String(decoding: body, as: UTF8.self)) ?? []
        guard let text = fields.first(where: { $0.name == "client_assertion" })?.value,
            let jws = try? JWS(compact: Data(text.utf8)), let guid = jws.keyID.flatMap({ CsiGuid($0) }),
            let key = keys[guid], (try? jws.verify(with: key)) != nil,
            let issued = JSON(reading: jws.payload)?["iat"]?.integer,
            abs(now.timeIntervalSince1970 - Double(issued)) <= 60
        else { throw PermissionError(.invalidClient, "The assertion is not valid.") }
        return ["access_token": "token-1", "token_type": "bearer", "expires_in": 300, "scope": "patient/*.rs"]
    }
}
