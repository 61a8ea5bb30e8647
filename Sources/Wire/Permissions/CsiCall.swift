import Core

/// The addresses of signed calls, all `POST`.
public enum CsiPath: String, Sendable, Hashable, CaseIterable {
    /// Registers a csi.
    case requestRegistration = "/csi/requestCsiRegistration"
    /// Reads the claims of a csi.
    case fetchPublicClaims = "/csi/fetchPublicClaims"
    /// Binds a wallet to a Patient by a one-time code.
    case bind = "/csi/bind"
    /// Replaces the key of a csi.
    case rotateKey = "/csi/rotateKey"
    /// Ends a csi.
    case revoke = "/csi/revoke"
    /// Creates permissions.
    case writePermission = "/permission/writePermission"
    /// Ends permissions.
    case deletePermission = "/permission/deletePermission"
    /// Reads the permissions that the caller gave.
    case fetchGivenByMe = "/permission/fetchPermissionsGivenByMe"
    /// Reads the permissions that the caller received.
    case fetchGivenToMe = "/permission/fetchPermissionsGivenToMe"

    /// The method of all signed calls. A signature in the URL of a GET would be in logs.
    public static let method = "POST"

    /// Whether version 1 of the signatures has the call.
    public var hasVersion1: Bool {
        switch self {
        case .bind, .rotateKey, .revoke: false
        default: true
        }
    }
}

/// The addresses of calls without a signature, all `GET`.
public enum UtilityPath: String, Sendable, Hashable, CaseIterable {
    /// The version of the server.
    case ping = "/util/ping"
    /// The time of the server.
    case getTime = "/util/getTime"
    /// An id for a new csi.
    case getGloballyUniqueIdentifier = "/util/getGloballyUniqueIdentifier"
}

/// The versions of the signatures.
public enum CsiSignatureVersion: String, Sendable, Hashable, CaseIterable {
    /// The payloads of the document. Some fields are not signed, and payloads of several calls have the same form.
    case v1 = "1"
    /// One string over the method, the path and the whole body.
    case v2 = "2"
}

/// The statements of a registration about the new csi.
public struct CsiRegistration: Sendable, Hashable {
    /// The app and its kind, such as `mHealth DApp`.
    public let applicationClass: String
    /// The id of the device.
    public let deviceID: String
    /// The claims about the person.
    public let claims: PublicClaims
    /// The key of the csi, which signs the registration.
    public let key: P256PublicKey

    /// Creates a registration. Texts that break a rule are refused when the request is signed.
    public init(applicationClass: String, deviceID: String, claims: PublicClaims = PublicClaims(), key: P256PublicKey) {
        self.applicationClass = applicationClass
        self.deviceID = deviceID
        self.claims = claims
        self.key = key
    }
}

/// A signed call without its caller, time and nonce.
public enum CsiCall: Sendable, Hashable {
    /// Registers the caller.
    case register(CsiRegistration)
    /// Reads the claims of a csi.
    case fetchClaims(of: CsiGuid)
    /// Binds the caller, a wallet, to a Patient by a one-time code.
    case bind(code: String)
    /// Replaces the key of the caller.
    case rotateKey(P256PublicKey)
    /// Ends a csi.
    case revoke(CsiGuid)
    /// Creates permissions.
    case grant(PermissionTerms)
    /// Ends the permissions that the caller gave to a csi: all of them, or the one with an id.
    case end(CsiGuid, permission: String? = nil)
    /// Reads the permissions that the caller gave.
    case fetchGiven
    /// Reads the permissions that the caller received.
    case fetchReceived

    /// The address of the call.
    public var path: CsiPath {
        switch self {
        case .register: .requestRegistration
        case .fetchClaims: .fetchPublicClaims
        case .bind: .bind
        case .rotateKey: .rotateKey
        case .revoke: .revoke
        case .grant: .writePermission
        case .end: .deletePermission
        case .fetchGiven: .fetchGivenByMe
        case .fetchReceived: .fetchGivenToMe
        }
    }
}
