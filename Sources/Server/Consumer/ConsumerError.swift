import Audit
import Core
import Storage

/// An error of the consumer or its tools.
package struct ConsumerError: CodedError, Hashable {
    /// Stable code for programs.
    package let code: String
    /// Message for users, without health data or secrets.
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

extension ConsumerError {
    /// Error of an unknown participant id.
    package static let participantUnknown = ConsumerError(
        code: "participant-unknown", message: "There is no participant with this id; see `tributary participant list`.")
}
