import Core
import Hummingbird
import ServerHTTP
import Storage
import Wire

extension HTTPFailure {
    /// Converts any error to the failure for the response. It repeats nothing of the request.
    init(receiving error: any Error) {
        switch error {
        case let failure as HTTPFailure:
            self = failure
        case let error as StorageError where error.code == "storage-full":
            self = .storageFull
        case is StorageError: self = .storageUnavailable
        case let error as WireError:
            // A malformed envelope is a 400; a well-formed one that the study cannot use is a 422.
            self.init(
                error.reason == .envelopeMalformed ? .badRequest : .unprocessableContent, code: error.code,
                message: error.message)
        case is CancellationError:
            self.init(.serviceUnavailable, code: "interrupted", message: "The request was interrupted. Try again.")
        default:
            self = .internalError
        }
    }

    /// Id of the refused submission, if it is known (``Wire/ProblemDetails/submission``).
    var submission: String? { members["submission"]?.string }

    /// Returns the same failure with the id of the submission.
    func refusing(_ submission: String?) -> HTTPFailure {
        var copy = self
        copy.members["submission"] = submission.map { .string($0) }
        return copy
    }
}
