/// An error of this package: a stable code for programs and a sentence that a person can act on.
///
/// Neither contains a secret or health data, so both may be logged.
public protocol CodedError: Error, Sendable, CustomStringConvertible {
    /// The stable code, such as `storage-full`.
    var code: String { get }

    /// A sentence that describes the problem and what can be done about it.
    var message: String { get }
}

extension CodedError {
    public var description: String { "\(code): \(message)" }
}
