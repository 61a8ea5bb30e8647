/// One scope, with the text of the request and of the response (RFC 6749, section 3.3).
package struct AccessScope: Sendable, Hashable {
    /// Kind of a scope.
    package enum Kind: Sendable, Hashable {
        /// Access to records (SMART on FHIR).
        case resource(ResourceScope)
        /// `conf/R`: maximum confidentiality (HEART).
        case confidentiality(Confidentiality)
        /// `sens/ETH`: records with this sensitivity and its descendants (HEART).
        case sensitivity(String)
        /// `sens/*`: every sensitive record.
        case everySensitivity
        /// `launch`: the app was launched from a record system.
        case launch
        /// `launch/patient`: a patient must be selected.
        case launchPatient
        /// `openid`: identity of the person (OpenID Connect Core 1.0, section 3.1.2.1).
        case openID
        /// `fhirUser`: the person's own resource.
        case fhirUser
        /// `profile`: the person's own data; with SMART the same as `fhirUser`.
        case profile
        /// `offline_access`: a refresh token that outlives the person's session.
        case offlineAccess
        /// `online_access`: a refresh token that is valid while the person is signed in.
        case onlineAccess
        /// Unknown or malformed; it grants nothing.
        case unrecognized
    }

    /// Text as received.
    package let text: String
    /// Kind of the scope.
    package let kind: Kind
    /// Whether the text is in the syntax of SMART version 1, which the response then uses too.
    package let isVersionOne: Bool

    /// Maximum length in bytes; a longer scope grants nothing.
    static let longestText = 2048

    /// Parses one scope. An unknown one is ``Kind/unrecognized``.
    package init(_ text: some StringProtocol) {
        self.text = String(text)
        guard text.utf8.count <= AccessScope.longestText, text.utf8.allSatisfy(AccessScope.isPermitted) else {
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

    /// Creates the scope that results from narrowing.
    init(_ scope: ResourceScope, asVersionOne: Bool) {
        let earlier = asVersionOne ? scope.versionOneText : nil
        text = earlier ?? scope.text
        kind = .resource(scope)
        isVersionOne = earlier != nil
    }

    static func confidentiality(_ level: Confidentiality) -> AccessScope { AccessScope("conf/" + level.code) }

    static func sensitivity(_ code: String) -> AccessScope { AccessScope("sens/" + code) }

    /// Access to records; nil for a scope of another kind.
    package var resource: ResourceScope? { if case .resource(let scope) = kind { scope } else { nil } }

    /// Whether the scope only limits others.
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

    /// Permitted characters of a scope: printable ASCII without `"` and `\`.
    private static func isPermitted(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
