import Core

/// The reason why identifying data cannot be removed from an attachment. The message quotes nothing from the file.
public struct AttachmentError: CodedError, Hashable {
    /// The kinds of error; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file's format cannot be cleaned here, such as PDF and HEIC.
        case notCleanable = "attachment-not-cleanable"
        /// The file is truncated, or the description of its own parts is wrong.
        case damaged = "attachment-damaged"
        /// The file, its picture or the number of its parts exceeds a limit.
        case tooLarge = "attachment-too-large"
    }

    /// The kind.
    public let reason: Reason
    /// A sentence for people.
    public let message: String

    /// Creates an error from its kind and its sentence.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The stable code, such as `attachment-not-cleanable`.
    public var code: String { reason.rawValue }

    static func damaged(_ what: String) -> AttachmentError {
        AttachmentError(.damaged, "The picture is damaged: \(what). Take or save it again.")
    }
}
