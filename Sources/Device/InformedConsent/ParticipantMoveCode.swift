import FHIR

/// The one-time code that a study team gives to a participant with a new phone: `<secret>.<patient id>`.
///
/// The team creates it and gives it to the person directly. The phone signs the consent again for the patient in the
/// code, with the code in the Contract (``ConsentVocabulary/moveCode``), which is sealed. The server stores only a
/// digest of the secret, and moves the participant once.
public struct ParticipantMoveCode: Sendable, Hashable {
    /// 130 random bits: 26 characters of base32 (RFC 4648, section 6) in lower case.
    public let secret: String
    /// The id of the participant's Patient (<https://hl7.org/fhir/R4/datatypes.html#id>).
    public let participant: String

    /// Number of characters of a secret.
    public static let secretLength = 26

    /// Creates a code; `nil` if the secret or the id is malformed.
    public init?(secret: String, participant: String) {
        guard Self.isSecret(secret), Resource.isID(participant) else { return nil }
        self.secret = secret
        self.participant = participant
    }

    /// Parses a code. The secret ends at the first dot; the id can contain dots. `nil` for any other text, including
    /// one with white space around the code.
    public init?(text: String) {
        guard text.utf8.count <= Self.secretLength + 65, let dot = text.firstIndex(of: ".") else { return nil }
        self.init(secret: String(text[..<dot]), participant: String(text[text.index(after: dot)...]))
    }

    /// Returns whether a text has the form of a one-time secret.
    static func isSecret(_ text: String) -> Bool {
        text.utf8.count == secretLength
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) }
    }

    /// The code as text.
    public var text: String { "\(secret).\(participant)" }
}

extension ParticipantMoveCode: CustomStringConvertible, CustomReflectable {
    /// A description with the participant, without the secret.
    public var description: String { "move code of Patient/\(participant)" }
    public var customMirror: Mirror { Mirror(self, children: ["participant": participant]) }
}

extension Contract {
    /// Returns the move code of this Contract; `nil` if there is none.
    ///
    /// - Throws: ``ConsentError/moveCodeInvalid`` if there is an invalid code, or several.
    public func moveCode() throws(ConsentError) -> ParticipantMoveCode? {
        try carried(ConsentVocabulary.moveCode, or: .moveCodeInvalid, ParticipantMoveCode.init(text:))
    }

    /// Returns the single value of an extension that belongs to one person or device; `nil` if there is none.
    ///
    /// - Throws: the error if there is an invalid value, or several.
    func carried<Value>(
        _ url: String, or error: ConsentError, _ read: (String) -> Value?
    ) throws(ConsentError) -> Value? {
        let carried = self.extension.filter { $0.url == url }
        guard let first = carried.first else { return nil }
        guard carried.count == 1, case .string(let text)? = first.value, let value = read(text) else { throw error }
        return value
    }
}
