import FHIR

/// The one-time code by which a study team lets somebody begin, where the study asks for one.
///
/// The team hands it over in person or by letter; the app puts it into the Contract (``ConsentVocabulary/invitation``),
/// which is sealed, so that nobody on the way can use it or make up participants. The server keeps a digest alone.
public struct InvitationCode: Sendable, Hashable {
    /// 130 random bits: 26 characters of RFC 4648 section 6 (base32) in lower case.
    public let secret: String

    /// Reads a code as it was handed over; `nil` for any other text, white space around it included.
    public init?(text: String) {
        guard ParticipantMoveCode.isSecret(text) else { return nil }
        secret = text
    }
}

extension InvitationCode: CustomStringConvertible, CustomReflectable {
    /// Does not tell the secret.
    public var description: String { "invitation code" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Contract {
    /// The code for beginning that this Contract carries; `nil` if it carries none.
    ///
    /// - Throws: ``ConsentError/invitationInvalid`` where one stands that cannot be read, or several stand.
    public func invitation() throws(ConsentError) -> InvitationCode? {
        try carried(ConsentVocabulary.invitation, or: .invitationInvalid, InvitationCode.init(text:))
    }

    /// The JWK of the device's key that this Contract carries; `nil` if it carries none.
    ///
    /// - Throws: ``ConsentError/deviceKeyInvalid`` where several stand, or something else than a text.
    public func deviceKey() throws(ConsentError) -> String? {
        try carried(ConsentVocabulary.deviceKey, or: .deviceKeyInvalid) { $0 }
    }
}
