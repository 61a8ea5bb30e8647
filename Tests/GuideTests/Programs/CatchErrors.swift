import Attachments
import FHIR
import InformedConsent
import Outbox
import Questionnaires

/// Returns the sentence to show to the person; nil if the app only has to try again later.
func sentence(for error: any Error) -> String? {
    switch error {
    case is CancellationError:
        return nil
    case let error as OutboxError:
        switch error.reason {
        case .connectionFailed, .serverUnavailable, .outboxBusy: return nil
        case .consentRequired: return "Please sign the consent first."
        case .tokenRefused: return "The study does not know this phone any more. Please join again."
        case .storageFull: return "This phone has no free storage."
        default: return error.message
        }
    case let error as ConsentError:
        switch error {
        case .notEligible(let verdict): return "You cannot take part: " + verdict.unmet.joined(separator: " ")
        default: return error.message
        }
    case let error as IncompleteResponse:
        return error.problems.first { $0.severity == .error }?.message ?? error.message
    case let error as AttachmentError:
        return "This file cannot be sent (\(error.code))."
    case let error as any CodedError:
        return "\(error.message) (\(error.code))"
    default:
        return "\(error)"
    }
}
