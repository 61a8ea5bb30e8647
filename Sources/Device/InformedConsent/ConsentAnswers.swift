import FHIR

/// The answers of a person during a consent.
public struct ConsentAnswers: Sendable, Hashable {
    /// Answers to the eligibility criteria, by the text of the criterion; true is yes.
    public var eligibility: [String: Bool]
    /// Whether other researchers may use the data too; nil if the question was not asked.
    public var sharing: Bool?
    /// The facts about the person, which stay on the device.
    public var person: PersonFacts

    /// Creates answers. By default there are none.
    public init(eligibility: [String: Bool] = [:], sharing: Bool? = nil, person: PersonFacts = PersonFacts()) {
        self.eligibility = eligibility
        self.sharing = sharing
        self.person = person
    }

    /// Reads the answers from JSON:
    /// `{"eligibility":{"<text>":true},"sharing":true,"birthDate":"1990-02-02","gender":"female","postalCode":"02139",
    /// "state":"MA","country":"US"}`. Members may be absent or null; other members are ignored.
    ///
    /// - Throws: ``ConsentError/invalidAnswer(_:)`` with the member's name.
    public init(_ json: JSON) throws(ConsentError) {
        guard let object = json.object else { throw ConsentError.invalidAnswer("answers") }
        func text(_ name: String) throws(ConsentError) -> String? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let text = value.string else { throw ConsentError.invalidAnswer(name) }
            return text
        }
        eligibility = [:]
        if let given = object["eligibility"], !given.isNull {
            guard let members = given.object?.members else { throw ConsentError.invalidAnswer("eligibility") }
            for member in members where !member.value.isNull {
                guard let answer = member.value.bool else { throw ConsentError.invalidAnswer("eligibility") }
                eligibility[member.key] = answer
            }
        }
        sharing = nil
        if let given = object["sharing"], !given.isNull {
            guard let answer = given.bool else { throw ConsentError.invalidAnswer("sharing") }
            sharing = answer
        }
        var birthDate: DateTime?
        if let written = try text("birthDate") {
            guard let date = DateTime(written), date.precision <= .day else {
                throw ConsentError.invalidAnswer("birthDate")
            }
            birthDate = date
        }
        let gender = try text("gender")
        if let gender, !PersonFacts.genders.contains(gender) { throw ConsentError.invalidAnswer("gender") }
        person = PersonFacts(
            birthDate: birthDate, gender: gender, postalCode: try text("postalCode"), state: try text("state"),
            country: try text("country"))
    }
}

/// The facts that a person gives about themselves. They stay on the device; ``Pseudonymization`` decides which of them
/// may leave it.
public struct PersonFacts: Sendable, Hashable {
    /// The codes of FHIR's administrative gender.
    public static let genders: Set<String> = ["male", "female", "other", "unknown"]

    /// The birth date, as precise as it is known, without a time.
    public var birthDate: DateTime?
    /// One of ``genders``.
    public var gender: String?
    /// The postal code, in the form of the person's country.
    public var postalCode: String?
    /// The code or name of the state, province or region.
    public var state: String?
    /// A code of ISO 3166 or a name.
    public var country: String?

    /// Creates facts; nil means that the person did not give the fact.
    public init(
        birthDate: DateTime? = nil, gender: String? = nil, postalCode: String? = nil, state: String? = nil,
        country: String? = nil
    ) {
        self.birthDate = birthDate
        self.gender = gender
        self.postalCode = postalCode
        self.state = state
        self.country = country
    }
}
