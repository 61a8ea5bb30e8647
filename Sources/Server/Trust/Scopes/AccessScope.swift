/// One scope as an app asks for it and as it is answered (RFC 6749, section 3.3).
public struct AccessScope: Sendable, Hashable {
    /// What a scope is.
    public enum Kind: Sendable, Hashable {
        /// Records of SMART on FHIR.
        case resource(ResourceScope)
        /// `conf/R`: up to which confidentiality (HEART).
        case confidentiality(Confidentiality)
        /// `sens/ETH`: records with this sensitivity and those below it (HEART).
        case sensitivity(String)
        /// `sens/*`: every sensitive record.
        case everySensitivity
        /// `launch`: the app was opened from a record system.
        case launch
        /// `launch/patient`: a patient is to be chosen.
        case launchPatient
        /// `openid`: who the person is (OpenID Connect Core 1.0, section 3.1.2.1).
        case openID
        /// `fhirUser`: which resource the person is.
        case fhirUser
        /// `profile`: the person's own data, which with SMART is the same as `fhirUser`.
        case profile
        /// `offline_access`: a refresh token that outlives the person's session.
        case offlineAccess
        /// `online_access`: a refresh token for as long as the person is signed in.
        case onlineAccess
        /// Not known, or written as no scope is: it grants nothing.
        case unrecognized
    }

    /// As it was written.
    public let text: String
    /// What it is.
    public let kind: Kind
    /// Whether it is written as version 1 of SMART has it, and is to be answered so.
    public let isVersionOne: Bool

    /// A longer scope grants nothing.
    static let longestText = 2048

    /// Reads one scope. Whatever is not known is ``Kind/unrecognized``.
    public init(_ text: some StringProtocol) {
        self.text = String(text)
        guard text.utf8.count <= AccessScope.longestText, text.utf8.allSatisfy(AccessScope.mayStand) else {
            kind = .unrecognized
            isVersionOne = false
            return
        }
        if let known = AccessScope.known[self.text] {
            kind = known
            isVersionOne = false
        } else if let (scope, isVersionOne) = ResourceScope.read(Substring(text)) {
            kind = .resource(scope)
            self.isVersionOne = isVersionOne
        } else {
            kind = AccessScope.label(text) ?? .unrecognized
            isVersionOne = false
        }
    }

    /// What narrowing made of a scope.
    init(_ scope: ResourceScope, asVersionOne: Bool) {
        let earlier = asVersionOne ? scope.versionOneText : nil
        text = earlier ?? scope.text
        kind = .resource(scope)
        isVersionOne = earlier != nil
    }

    static func confidentiality(_ level: Confidentiality) -> AccessScope { AccessScope("conf/" + level.code) }

    static func sensitivity(_ code: String) -> AccessScope { AccessScope("sens/" + code) }

    /// The scope that reaches records; nil where it is another.
    public var resource: ResourceScope? { if case .resource(let scope) = kind { scope } else { nil } }

    /// Whether it only says how far others reach.
    var isLabel: Bool {
        switch kind {
        case .confidentiality, .sensitivity, .everySensitivity: true
        default: false
        }
    }

    private static let known: [String: Kind] = [
        "launch": .launch, "launch/patient": .launchPatient, "openid": .openID, "fhirUser": .fhirUser,
        "profile": .profile, "offline_access": .offlineAccess, "online_access": .onlineAccess,
        "sens/*": .everySensitivity,
    ]

    private static func label(_ text: some StringProtocol) -> Kind? {
        if text.hasPrefix("conf/") { return Confidentiality(code: String(text.dropFirst(5))).map(Kind.confidentiality) }
        guard text.hasPrefix("sens/") else { return nil }
        let code = String(text.dropFirst(5))
        return SensitivityCodes.r4.contains(code) ? .sensitivity(code) : nil
    }

    /// The characters of a scope: printable ASCII without `"` and `\`.
    private static func mayStand(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
