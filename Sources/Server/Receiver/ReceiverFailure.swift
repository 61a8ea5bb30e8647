import Foundation
import ServerHTTP
import Storage
import Wire

/// A request that is refused: what is told and how. Nothing of the request is repeated.
struct ReceiverFailure: Error, Sendable {
    /// How an error is written down.
    enum Style: Sendable {
        /// `application/problem+json` (RFC 9457) with our `code`.
        case problem
        /// RFC 6749 section 5.2 and RFC 7591 section 3.2.2, with this `error`.
        case oauth(String)
        /// A FHIR OperationOutcome with this issue type.
        case operationOutcome(String)
    }

    var status: Int
    /// Stable.
    var code: String
    /// A sentence for a person.
    var message: String
    var style: Style
    var headers: [(name: String, value: String)] = []
    /// The submission that is refused, where it is known.
    var submission: String?

    static func problem(_ status: Int, _ code: String, _ message: String) -> ReceiverFailure {
        ReceiverFailure(status: status, code: code, message: message, style: .problem)
    }

    static func oauth(_ status: Int, _ error: String, _ code: String, _ message: String) -> ReceiverFailure {
        ReceiverFailure(status: status, code: code, message: message, style: .oauth(error))
    }

    func adding(_ name: String, _ value: String) -> ReceiverFailure {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    /// The same in the style of an endpoint: what is common to several endpoints is told as each one speaks.
    func styled(for endpoint: ReceiverRoute.Endpoint) -> ReceiverFailure {
        guard case .problem = style else { return self }
        var copy = self
        switch endpoint {
        case .register, .token:
            copy.style =
                switch status {
                case 401: .oauth("unauthorized_client")
                // Not the request is wrong, but its time.
                case 429: .oauth("temporarily_unavailable")
                case 400..<500: .oauth("invalid_request")
                default: .oauth("temporarily_unavailable")
                }
        case .plainWrite, .questionnaire:
            copy.style =
                switch status {
                case 401: .operationOutcome("login")
                case 403: .operationOutcome("forbidden")
                case 404: .operationOutcome("not-found")
                case 405: .operationOutcome("not-supported")
                case 409: .operationOutcome("conflict")
                case 413: .operationOutcome("too-long")
                case 429: .operationOutcome("throttled")
                case 400..<500: .operationOutcome("invalid")
                default: .operationOutcome("transient")
                }
        case .submit, .keys, .deliveries, .health:
            break
        }
        return copy
    }

    var response: ReceiverResponse {
        var all = headers
        let body: Data
        switch style {
        case .problem:
            all.append(("Content-Type", ProblemDetails.mediaType))
            var problem = ProblemDetails(status: status, title: Self.title(status), code: code, detail: message)
            problem.submission = submission
            body = Data.json(problem)
        case .oauth(let error):
            all.append(("Content-Type", "application/json"))
            body = Data.json(OAuthError(error: error, errorDescription: message))
        case .operationOutcome(let type):
            all.append(("Content-Type", "application/fhir+json"))
            body = Data.json(OperationOutcome(type: type, code: code, message: message))
        }
        all.append(("Cache-Control", "no-store"))
        return ReceiverResponse(status: status, headers: all, body: body, code: code)
    }

    private static func title(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: "Internal Server Error"
        }
    }
}

extension ReceiverFailure {
    /// What any other error means to the one who asked.
    init(_ error: any Error) {
        switch error {
        case let failure as ReceiverFailure:
            self = failure
        case let error as StorageError where error.code == "storage-full":
            self = .problem(507, "storage-full", "The server's disk is full; nothing was stored. Try again later.")
                .adding("Retry-After", "60")
        case is StorageError:
            self = .problem(503, "storage-unavailable", "The server cannot store at the moment. Try again later.")
                .adding("Retry-After", "10")
        case is ReceiverRequest.BodyTooLarge:
            self = .problem(413, "body-too-large", "The body has more bytes than this server takes.")
        case let error as WireError:
            // A damaged form is the sender's 400; what is well-formed but not for us, 422.
            self = .problem(error.reason == .envelopeMalformed ? 400 : 422, error.code, error.message)
        case let failure as HTTPFailure:
            self = .problem(failure.statusCode, failure.code, failure.message)
            if let seconds = failure.retryAfter { self = adding("Retry-After", String(seconds)) }
        case is CancellationError:
            self = .problem(503, "interrupted", "The request was interrupted. Try again.")
        default:
            self = .problem(500, "internal", "Something went wrong in the server.")
        }
    }
}

extension Data {
    /// A value as JSON with its members in alphabetical order. Our own messages always encode; were one not to, the
    /// status alone would tell.
    static func json(_ value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)) ?? Data()
    }
}

/// A FHIR OperationOutcome with one error (https://hl7.org/fhir/R4/operationoutcome.html).
private struct OperationOutcome: Encodable {
    struct Issue: Encodable {
        struct Details: Encodable {
            let text: String
        }
        let severity = "error"
        let code: String
        let details: Details
        let diagnostics: String
    }

    let resourceType = "OperationOutcome"
    let issue: [Issue]

    init(type: String, code: String, message: String) {
        issue = [Issue(code: type, details: Issue.Details(text: code), diagnostics: message)]
    }
}
