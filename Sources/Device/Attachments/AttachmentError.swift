import Core

/// The reason why an attachment cannot be cleaned of what would tell who or where a person is. The sentence quotes
/// nothing of the file.
public struct AttachmentError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file is of a kind that cannot be cleaned here, such as PDF and HEIC.
        case notCleanable = "attachment-not-cleanable"
        /// The file is cut off, or what it says of its own parts is not so.
        case damaged = "attachment-damaged"
        /// The file, its picture or the number of its parts is larger than is taken.
        case tooLarge = "attachment-too-large"
    }

    /// The kind.
    public let reason: Reason
    /// A sentence for a person.
    public let message: String

    /// Makes an error of this kind with this sentence.
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
