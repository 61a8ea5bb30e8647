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
            self.init(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), error.code,
                "The server's disk is full; nothing was stored. Try again later.", headers: [.retryAfter: "60"])
        case is StorageError:
            self.init(
                .serviceUnavailable, "storage-unavailable", "The server cannot store at the moment. Try again later.",
                headers: [.retryAfter: "10"])
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
