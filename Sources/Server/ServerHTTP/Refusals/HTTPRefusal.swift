import Core
import Hummingbird

/// An error that is an answer: its status and body are for the client, its code is for the counters and the log.
///
/// ``RefusalMiddleware`` renders, counts and charges it. ``HTTPFailure`` and ``OAuthFailure`` are the forms without
/// FHIR.
package protocol HTTPRefusal: HTTPResponseError, CodedError {}
