import FHIR

/// The one-time code that a study team gives to a participant with a new phone: `<secret>.<patient id>`.
///
/// The team makes it and hands it over in person; the phone signs the consent anew for the patient that it names, with
/// the code in the Contract (``ConsentVocabulary/moveCode``), which is sealed. The server keeps a digest of the secret
/// alone, and moves the participant once.
public struct ParticipantMoveCode: Sendable, Hashable {
    /// 130 random bits: 26 characters of RFC 4648 section 6 (base32) in lower case.
    public let secret: String
    /// The id of the participant's Patient (<https://hl7.org/fhir/R4/datatypes.html#id>).
    public let participant: String

    /// The characters of a secret.
    public static let secretLength = 26

    /// Puts a code together; `nil` if the secret or the id has not its form.
    public init?(secret: String, participant: String) {
        guard Self.isSecret(secret), Resource.isID(participant) else { return nil }
        self.secret = secret
        self.participant = participant
    }

    /// Reads a code. The secret has no dot, so that the first one ends it; the id may have some. `nil` for any other
    /// text, white space around it included.
    public init?(text: String) {
        guard text.utf8.count <= Self.secretLength + 65, let dot = text.firstIndex(of: ".") else { return nil }
        self.init(secret: String(text[..<dot]), participant: String(text[text.index(after: dot)...]))
    }

    /// Whether a text has the form of a one-time secret.
    static func isSecret(_ text: String) -> Bool {
        text.utf8.count == secretLength
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) }
    }

    /// The code as it is handed over.
    public var text: String { "\(secret).\(participant)" }
}

extension ParticipantMoveCode: CustomStringConvertible, CustomReflectable {
    /// Tells whose code it is, and not the secret.
    public var description: String { "move code of Patient/\(participant)" }
    public var customMirror: Mirror { Mirror(self, children: ["participant": participant]) }
}

extension Contract {
    /// The code for moving to another phone that this Contract carries; `nil` if it carries none.
    ///
    /// - Throws: ``ConsentError/moveCodeInvalid`` where one stands that cannot be read, or several stand.
    public func moveCode() throws(ConsentError) -> ParticipantMoveCode? {
        try carried(ConsentVocabulary.moveCode, or: .moveCodeInvalid, ParticipantMoveCode.init(text:))
    }

    /// The one value of an extension that is one person's or one device's own; `nil` if there is none.
    ///
    /// - Throws: the error where one stands that cannot be read, or several stand.
    func carried<Value>(
        _ url: String, or error: ConsentError, _ read: (String) -> Value?
    ) throws(ConsentError) -> Value? {
        let carried = self.extension.filter { $0.url == url }
        guard let first = carried.first else { return nil }
        guard carried.count == 1, case .string(let text)? = first.value, let value = read(text) else { throw error }
        return value
    }
}
