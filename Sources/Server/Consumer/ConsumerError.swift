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
    /// - Throws: `participant-deleted` for a deleted participant: no data is stored under that id again.
    package static func refuseDeleted(_ participant: String, in transaction: any SQLTransaction) throws {
        guard try DeletionRegister().isDeleted(participant, in: transaction) else { return }
        throw ConsumerError(
            code: DeletionRegister.code,
            message: "The participant was deleted. A person who takes part again does so under a new id.")
    }

    /// Error of an unknown participant id.
    package static let participantUnknown = ConsumerError(
        code: "participant-unknown", message: "There is no participant with this id; see `tributary participant list`.")
}
