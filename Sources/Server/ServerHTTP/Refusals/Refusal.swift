import Core
import Hummingbird

/// An error that is an answer: its status and its body are for the client, its code for the counters and the log.
///
/// ``RefusalMiddleware`` renders, counts and charges it. ``HTTPFailure`` and ``OAuthFailure`` are those that know no FHIR.
public protocol Refusal: HTTPResponseError, CodedError {}
