import Hummingbird
import ServerHTTP
import Storage
import Wire

extension HTTPFailure {
    /// Makes the failure that any error means to the one who asked. Nothing of the request is repeated.
    init(receiving error: any Error) {
        switch error {
        case let failure as HTTPFailure:
            self = failure
        case let error as StorageError where error.code == "storage-full":
            self = .storageFull
        case is StorageError: self = .storageUnavailable
        case let error as WireError:
            // A damaged form is the sender's 400; what is well-formed but not for us, 422.
            self.init(
                error.reason == .envelopeMalformed ? .badRequest : .unprocessableContent, error.code, error.message)
        case is CancellationError:
            self.init(.serviceUnavailable, "interrupted", "The request was interrupted. Try again.")
        default:
            self = .internalError
        }
    }

    /// The submission that is refused, where it is known (``Wire/ProblemDetails/submission``).
    var submission: String? { members["submission"] }

    /// The same, told of this submission.
    func refusing(_ submission: String?) -> HTTPFailure {
        var copy = self
        copy.members["submission"] = submission
        return copy
    }
}
