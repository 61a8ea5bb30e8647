import Core
import Storage
import Trust

/// An error of the consumer's side, which could not do what was asked.
public struct ConsumerError: CodedError, Hashable {
    /// Stable, for programs.
    public let code: String
    /// A sentence for a person, without health data or secrets.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

extension ConsumerError {
    /// - Throws: `participant-deleted` for a participant who was deleted: nothing is stored under that id again.
    public static func refuseDeleted(_ participant: String, in transaction: any SQLTransaction) throws {
        guard try DeletionRegister().isDeleted(participant, in: transaction) else { return }
        throw ConsumerError(
            code: DeletionRegister.code,
            message: "The participant was deleted. A person who takes part again does so under a new id.")
    }

    /// The error of an id that nobody has.
    public static let participantUnknown = ConsumerError(
        code: "participant-unknown", message: "There is no participant of that id; see `tributary participant list`.")
}
