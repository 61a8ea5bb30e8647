import Core

// The answers of the calls about permissions. Each is one JSON object; unknown members are ignored.

/// The answer of `getTime`: `{"currentTime"}`.
public struct ServerTimeAnswer: JSONMessage, Sendable, Hashable {
    /// The time of the server.
    public var time: CsiInstant

    /// Creates an answer.
    public init(time: CsiInstant) { self.time = time }

    public init?(json: JSON) {
        guard let time = json["currentTime"]?.string.flatMap({ CsiInstant($0) }) else { return nil }
        self.time = time
    }

    /// The body of the answer.
    public var json: JSON { ["currentTime": .string(time.text)] }
}

/// The answer of `getGloballyUniqueIdentifier`: `{"guid"}`.
public struct NewGuidAnswer: JSONMessage, Sendable, Hashable {
    /// The guid for a new csi.
    public var guid: CsiGuid

    /// Creates an answer.
    public init(guid: CsiGuid) { self.guid = guid }

    public init?(json: JSON) {
        guard let guid = json["guid"]?.string.flatMap({ CsiGuid($0) }) else { return nil }
        self.guid = guid
    }

    /// The body of the answer.
    public var json: JSON { ["guid": .string(guid.text)] }
}

/// The answer of the calls that change a csi: `{"status":"ok","csiGuid"}`, and for a bound wallet `patient`.
public struct CsiAnswer: JSONMessage, Sendable, Hashable {
    /// The csi.
    public var csi: CsiGuid
    /// The Patient of a wallet, `Patient/ID`; nil for other calls.
    public var patient: String?

    /// Creates an answer.
    public init(csi: CsiGuid, patient: String? = nil) {
        self.csi = csi
        self.patient = patient
    }

    public init?(json: JSON) {
        guard json["status"]?.string == "ok", let csi = json["csiGuid"]?.string.flatMap({ CsiGuid($0) }),
            let patient = json.optional("patient", \.string)
        else { return nil }
        self.init(csi: csi, patient: patient)
    }

    /// The body of the answer.
    public var json: JSON {
        var json: JSON = ["status": "ok", "csiGuid": .string(csi.text)]
        if let patient { json["patient"] = .string(patient) }
        return json
    }
}

/// The answer of `fetchPublicClaims`: `{"claims":[{"key","value"}]}`, and optionally the name of the app.
public struct ClaimsAnswer: JSONMessage, Sendable, Hashable {
    /// The claims.
    public var claims: PublicClaims
    /// The application class that the csi registered; nil if the answer does not contain it.
    public var applicationClass: String?

    /// Creates an answer.
    public init(claims: PublicClaims, applicationClass: String? = nil) {
        self.claims = claims
        self.applicationClass = applicationClass
    }

    public init?(json: JSON) {
        guard let claims = json["claims"].flatMap({ try? PublicClaims(json: $0) }),
            let applicationClass = json.optional("applicationClass", \.string)
        else { return nil }
        self.init(claims: claims, applicationClass: applicationClass)
    }

    /// The body of the answer.
    public var json: JSON {
        var json: JSON = ["claims": claims.json]
        if let applicationClass { json["applicationClass"] = .string(applicationClass) }
        return json
    }
}

/// The answer of `writePermission`: `{"status":"ok","permissionIds"}`.
public struct GrantAnswer: JSONMessage, Sendable, Hashable {
    /// The ids of the permissions, in the order of the grantees.
    public var permissions: [String]

    /// Creates an answer.
    public init(permissions: [String]) { self.permissions = permissions }

    public init?(json: JSON) {
        guard json["status"]?.string == "ok", let permissions = json["permissionIds"]?.texts,
            permissions.count <= PermissionTerms.granteeLimit, permissions.allSatisfy(ResourceName.isID)
        else { return nil }
        self.permissions = permissions
    }

    /// The body of the answer.
    public var json: JSON { ["status": "ok", "permissionIds": .array(permissions.map { .string($0) })] }
}

/// The answer of `deletePermission`: `{"status":"ok","revoked"}`.
public struct EndAnswer: JSONMessage, Sendable, Hashable {
    /// The number of permissions that ended.
    public var revoked: Int

    /// Creates an answer.
    public init(revoked: Int) { self.revoked = revoked }

    public init?(json: JSON) {
        guard json["status"]?.string == "ok", let revoked = json["revoked"]?.integer, revoked >= 0 else { return nil }
        self.revoked = revoked
    }

    /// The body of the answer.
    public var json: JSON { ["status": "ok", "revoked": .number(JSONNumber(revoked))] }
}

/// The answer of the calls that list permissions: `{"permissions"}`.
public struct PermissionsAnswer: JSONMessage, Sendable, Hashable {
    /// The permissions.
    public var permissions: [PermissionRecord]

    /// Creates an answer.
    public init(permissions: [PermissionRecord]) { self.permissions = permissions }

    public init?(json: JSON) {
        guard let rows = json["permissions"]?.array else { return nil }
        permissions = rows.compactMap { PermissionRecord(json: $0) }
        guard permissions.count == rows.count else { return nil }
    }

    /// The body of the answer.
    public var json: JSON { ["permissions": .array(permissions.map(\.json))] }
}

/// The answer of a call that the server refuses: `{"status":"error","error","message","requestId"}`.
public struct PermissionRefusal: JSONMessage, Sendable, Hashable {
    /// The code, such as `bad_signature`.
    public var code: String
    /// The server's id of the request; nil if the answer has none.
    public var requestID: String?

    public init?(json: JSON) {
        guard json["status"]?.string == "error", let code = json["error"]?.string, CsiText.isErrorCode(code),
            let requestID = json.optional("requestId", \.string)
        else { return nil }
        self.code = code
        self.requestID = requestID
    }

    /// The kind of refusal; nil for a code of a later server.
    public var reason: PermissionError.Reason? { PermissionError.Reason(rawValue: code) }
}
