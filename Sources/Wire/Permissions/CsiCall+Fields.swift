import Core

// The fields of each call, except those that all calls have: caller, cipher, time, nonce, version and signature.
extension CsiPath {
    /// The name of the field with the cipher.
    var cipherField: String { self == .requestRegistration ? "cipherSpec" : "cipher" }

    /// The fields that a body must have, and those that it may have.
    func fields(_ version: CsiSignatureVersion) -> (required: [String], optional: [String]) {
        switch self {
        case .requestRegistration: (["applicationClass", "deviceId", "publicClaims", "publicKey"], [])
        case .fetchPublicClaims: (["desiredCsiGuid"], [])
        case .bind: (["code"], [])
        case .rotateKey: (["publicKey", "proof"], [])
        case .revoke: (["revokedCsiGuid"], [])
        case .writePermission: (["permission"], [])
        case .deletePermission: (["permissionedGuidBeingDeleted"], version == .v2 ? ["permissionId"] : [])
        case .fetchGivenByMe, .fetchGivenToMe: ([], [])
        }
    }
}

extension CsiCall {
    /// Reads the fields of a call. Throws ``PermissionError`` `malformed`, `bad_field`, `period_invalid`.
    init(_ path: CsiPath, fields: CsiFields, version: CsiSignatureVersion) throws(PermissionError) {
        switch path {
        case .requestRegistration:
            self = .register(
                CsiRegistration(
                    applicationClass: try fields.name("applicationClass"), deviceID: try fields.name("deviceId"),
                    claims: try PublicClaims(json: fields.value("publicClaims") ?? .null),
                    key: try P256PublicKey(base64Info: try fields.text("publicKey"))))
        case .fetchPublicClaims: self = .fetchClaims(of: try fields.guid("desiredCsiGuid"))
        case .bind: self = .bind(code: try fields.name("code"))
        case .rotateKey: self = .rotateKey(try P256PublicKey(base64Info: try fields.text("publicKey")))
        case .revoke: self = .revoke(try fields.guid("revokedCsiGuid"))
        case .writePermission:
            self = .grant(try PermissionTerms(json: fields.value("permission") ?? .null, version: version))
        case .deletePermission:
            self = .end(
                try fields.guid("permissionedGuidBeingDeleted"),
                permission: fields.value("permissionId") == nil ? nil : try fields.id("permissionId"))
        case .fetchGivenByMe: self = .fetchGiven
        case .fetchGivenToMe: self = .fetchReceived
        }
    }

    /// The fields of the call in the order of their names, without `proof`.
    var members: [JSONObject.Member] {
        switch self {
        case .register(let registration):
            [
                .init(key: "applicationClass", value: .string(registration.applicationClass)),
                .init(key: "deviceId", value: .string(registration.deviceID)),
                .init(key: "publicClaims", value: registration.claims.json),
                .init(key: "publicKey", value: .string(registration.key.base64Info)),
            ]
        case .fetchClaims(let guid): [.init(key: "desiredCsiGuid", value: .string(guid.text))]
        case .bind(let code): [.init(key: "code", value: .string(code))]
        case .rotateKey(let key): [.init(key: "publicKey", value: .string(key.base64Info))]
        case .revoke(let guid): [.init(key: "revokedCsiGuid", value: .string(guid.text))]
        case .grant(let terms): [.init(key: "permission", value: terms.json)]
        case .end(let guid, let permission):
            [.init(key: "permissionedGuidBeingDeleted", value: .string(guid.text))]
                + (permission.map { [.init(key: "permissionId", value: .string($0))] } ?? [])
        case .fetchGiven, .fetchReceived: []
        }
    }

    /// Returns the payload of version 1; nil for a call that it does not have.
    func version1Payload(csi: CsiGuid, time: CsiInstant, nonce: String) -> String? {
        let fields: [String]
        switch self {
        case .register(let registration):
            fields = [
                SignedCsiRequest.cipher, registration.key.base64Info, registration.deviceID, time.text, nonce,
                registration.claims.signedText,
            ]
        case .fetchClaims(let guid), .end(let guid, nil): fields = [guid.text, time.text, nonce]
        case .grant(let terms):
            // The end is before the start.
            let scope = terms.scope
            fields =
                [terms.end.text, terms.start.text] + terms.grantees.map(\.text)
                + [PermissionScope.permissionType, scope.confidentiality] + scope.sensitivities
                + [scope.types.text, csi.text, time.text, nonce]
        case .fetchGiven: fields = [csi.text, time.text, nonce]
        case .fetchReceived: fields = [time.text, nonce]
        case .bind, .rotateKey, .revoke, .end: return nil
        }
        return "|" + fields.joined(separator: "|") + "|"
    }
}
