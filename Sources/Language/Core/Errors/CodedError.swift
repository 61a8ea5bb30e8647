/// An error as this package throws them: a stable code that programs compare and a sentence that a person can act on.
///
/// Neither quotes a secret or health data, so both may stand in a log.
public protocol CodedError: Error, Sendable, CustomStringConvertible {
    /// The stable code, such as `storage-full`.
    var code: String { get }

    /// A sentence that says what is wrong and what can be done about it.
    var message: String { get }
}

extension CodedError {
    public var description: String { "\(code): \(message)" }
}
