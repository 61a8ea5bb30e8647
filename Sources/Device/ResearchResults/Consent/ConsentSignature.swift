import Core

/// The signature of a consent in a task result.
///
/// It is found at any depth: the result of class `ORKConsentSignatureResult`, or of another class that has a member
/// `signature` with an object and a member `consented`.
public struct ConsentSignature: Sendable, Hashable {
    /// The given name; nil if there is none.
    public let givenName: String?
    /// The family name; nil if there is none.
    public let familyName: String?
    /// The date as ResearchKit formatted it for the person; nil if there is none.
    public let signatureDate: String?

    /// Finds the signature of a consent and checks that the person consented.
    ///
    /// If there are several, as of a parent and a child, all must have consented; the first one has the names.
    ///
    /// - Parameter result: the task result; nil for none.
    /// - Throws: ``CMHealthError`` 700 without a result, 702 without a signature, 703 if the person did not consent.
    public init(in result: JSON?) throws(CMHealthError) {
        guard let result, result.object != nil else { throw .userMissingConsent }
        var found: JSONObject?
        var isGiven = true
        for object in ResultTree(result) where Self.isSignatureResult(object) {
            guard let signature = object["signature"]?.object else { continue }
            if found == nil { found = signature }
            isGiven = isGiven && Self.isTrue(object["consented"])
        }
        guard let found else { throw .userMissingSignature }
        guard isGiven else { throw .userDidNotConsent }
        givenName = found["givenName"].flatMap(AccountProfile.name)
        familyName = found["familyName"].flatMap(AccountProfile.name)
        signatureDate = found["signatureDate"]?.string
    }

    private static func isSignatureResult(_ object: JSONObject) -> Bool {
        object["_class"]?.string == "ORKConsentSignatureResult"
            || (object["signature"]?.object != nil && object["consented"] != nil)
    }

    /// ResearchKit's serializer writes a boolean; a number other than 0 counts as true, as in answers.
    private static func isTrue(_ value: JSON?) -> Bool {
        switch value {
        case .bool(let isTrue)?: isTrue
        case .number(let number)?: number.double != 0
        default: false
        }
    }
}
