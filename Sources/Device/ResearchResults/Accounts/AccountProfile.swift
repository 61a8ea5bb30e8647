import Core

/// The profile of an account: JSON with names, gender, date of birth and any members of the app.
///
/// The JSON is lossless: unknown members stay, in their order. No member gives a right. A member such as `isAdmin`, which
/// made an administrator in CMHealth, is one of the unknown members: it is preserved and has no meaning.
///
/// ```swift
/// var profile = try AccountProfile(json: json)
/// profile.givenName = "Ann"
/// profile["favourite"] = "blue"
/// ```
public struct AccountProfile: Sendable, Hashable {
    /// Maximum number of bytes of a profile.
    public static let maximumBytes = 64 << 10

    /// The members in their order.
    public private(set) var object: JSONObject

    /// Creates an empty profile.
    public init() { object = JSONObject() }

    /// Reads a profile.
    ///
    /// - Throws: ``ResearchResultError`` `profile-invalid` with the location, unless it is an object of up to
    ///   ``maximumBytes`` bytes, in which names and gender are texts and `dateOfBirth` is a FHIR date. A known member may
    ///   be `null`.
    public init(json: JSON) throws(ResearchResultError) {
        guard let object = json.object, json.byteCount(upTo: Self.maximumBytes) != nil else {
            throw ResearchResultError(.profileInvalid, at: "$")
        }
        for name in ["givenName", "familyName", "gender", "dateOfBirth"] {
            guard let value = object[name], !value.isNull else { continue }
            guard let text = value.string, name != "dateOfBirth" || DateTime(text) != nil else {
                throw ResearchResultError(.profileInvalid, at: "$.\(name)")
            }
        }
        self.object = object
    }

    /// Creates the profile of a registration.
    public init(_ registration: AccountRegistration) {
        self.init()
        fill(from: registration)
    }

    /// The JSON of the profile.
    public var json: JSON { .object(object) }

    /// The member with a name; nil if it is absent or `null`. Setting nil removes it.
    public subscript(member: String) -> JSON? {
        get { object[member].flatMap { $0.isNull ? nil : $0 } }
        set { object[member] = newValue }
    }

    /// The given name.
    public var givenName: String? {
        get { self["givenName"]?.string }
        set { self["givenName"] = newValue.map { .string($0) } }
    }

    /// The family name.
    public var familyName: String? {
        get { self["familyName"]?.string }
        set { self["familyName"] = newValue.map { .string($0) } }
    }

    /// The gender, as the app names it.
    public var gender: String? {
        get { self["gender"]?.string }
        set { self["gender"] = newValue.map { .string($0) } }
    }

    /// The date of birth, such as `1980-02-29`.
    public var dateOfBirth: String? {
        get { self["dateOfBirth"]?.string }
        set { self["dateOfBirth"] = newValue.map { .string($0) } }
    }

    /// Whether there is a given name or a family name.
    public var hasName: Bool { [givenName, familyName].contains { $0.map { Self.isText($0) } ?? false } }

    /// Sets the members that the profile lacks to the answers of a registration. Existing members do not change.
    public mutating func fill(from registration: AccountRegistration) {
        fillNames(given: registration.givenName, family: registration.familyName)
        if gender == nil { gender = registration.gender }
        if dateOfBirth == nil { dateOfBirth = registration.dateOfBirth }
    }

    /// Sets the names to those of a signature if the profile has none. Other members do not change.
    ///
    /// - Returns: whether the profile has changed.
    @discardableResult
    public mutating func fill(from signature: ConsentSignature) -> Bool {
        fillNames(given: signature.givenName, family: signature.familyName)
    }

    /// Names are taken together: a given name of one person does not join a family name of another.
    @discardableResult
    private mutating func fillNames(given: String?, family: String?) -> Bool {
        guard !hasName, given != nil || family != nil else { return false }
        givenName = given
        familyName = family
        return true
    }

    private static func isText(_ text: String) -> Bool { text.contains { !$0.isWhitespace } }

    /// Returns the text of a name; nil if it is not a text or has only spaces.
    static func name(_ json: JSON) -> String? { json.string.flatMap { isText($0) ? $0 : nil } }
}
