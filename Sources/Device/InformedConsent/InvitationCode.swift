import FHIR

/// The one-time code by which a study team invites a participant, for studies that require one.
///
/// The team gives it to the person directly or by letter. The app writes it into the Contract
/// (``ConsentVocabulary/invitation``), which is sealed, so that no one can use the code in transit or invent
/// participants. The server stores only a digest.
public struct InvitationCode: Sendable, Hashable {
    /// 130 random bits: 26 characters of base32 (RFC 4648, section 6) in lower case.
    public let secret: String

    /// Parses a code; `nil` for any other text, including one with white space around the code.
    public init?(text: String) {
        guard ParticipantMoveCode.isSecret(text) else { return nil }
        secret = text
    }
}

extension InvitationCode: CustomStringConvertible, CustomReflectable {
    /// A description without the secret.
    public var description: String { "invitation code" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Contract {
    /// Returns the invitation code of this Contract; `nil` if there is none.
    ///
    /// - Throws: ``ConsentError/invitationInvalid`` if there is an invalid code, or several.
    public func invitation() throws(ConsentError) -> InvitationCode? {
        try carried(ConsentVocabulary.invitation, or: .invitationInvalid, InvitationCode.init(text:))
    }

    /// Returns the JWK of the device's key in this Contract; `nil` if there is none.
    ///
    /// - Throws: ``ConsentError/deviceKeyInvalid`` if there are several, or if the value is not a string.
    public func deviceKey() throws(ConsentError) -> String? {
        try carried(ConsentVocabulary.deviceKey, or: .deviceKeyInvalid) { $0 }
    }
}
