import FHIR
import InformedConsent
import Outbox
import Questionnaires

/// The sentences about errors that a person sees.
enum ErrorSentence {
    /// Returns the sentence; nil if the app only has to try again later.
    static func text(for error: any Error) -> String? {
        switch error {
        case is CancellationError: nil
        case let error as OutboxError
        where [.connectionFailed, .serverUnavailable, .outboxBusy].contains(error.reason): nil
        case ConsentError.notEligible(let verdict): "You cannot take part: " + verdict.unmet.joined(separator: " ")
        case let error as IncompleteResponse:
            error.problems.first { $0.severity == .error }?.message ?? error.message
        case let error as any CodedError: "\(error.message) (\(error.code))"
        default: "\(error)"
        }
    }
}
