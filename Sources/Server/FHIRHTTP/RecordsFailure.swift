import FHIR
import FHIRSearch
import HTTPTypes
import Hummingbird
import RecordStorage
import ServerHTTP
import Storage

/// The refusal of a request for records: a FHIR OperationOutcome (<https://hl7.org/fhir/R4/operationoutcome.html>).
package struct RecordsFailure: HTTPRefusal, Hashable {
    package let status: HTTPResponse.Status
    package let issue: IssueType
    /// A stable code of this server.
    package let code: String
    package let message: String
    package var headers: HTTPFields = [:]
    /// The element of the refusal, where it is about one and has no ``issues``.
    package var expression: String?
    /// The problems of the resource; empty where the refusal is not about its content.
    package var issues: [RecordIssue] = []

    /// Creates the value from its parts.
    package init(
        status: HTTPResponse.Status, issue: IssueType, code: String, message: String, headers: HTTPFields = [:],
        expression: String? = nil, issues: [RecordIssue] = []
    ) {
        self.status = status
        self.issue = issue
        self.code = code
        self.message = message
        self.headers = headers
        self.expression = expression
        self.issues = issues
    }

    package func response(from request: Request, context: some RequestContext) -> Response {
        // An invalid token is reported as such (RFC 6750).
        if self == Self.unauthenticated, request.bearerToken != nil {
            return Self.tokenInvalid.response(from: request, context: context)
        }
        let format = request.answerFormat
        let outcome = OperationOutcome(self).json
        let bytes = (try? format.bytes(of: outcome)) ?? outcome.bytes()
        var response = Response.bytes(ByteBuffer(bytes: bytes), mediaType: format.mediaType, status: status)
        for field in headers { response.headers[field.name] = field.value }
        return response
    }
}

extension RecordsFailure {
    /// Creates the response to any error.
    package init(_ error: any Error) {
        switch error {
        case let failure as RecordsFailure: self = failure
        case let error as SearchConditionError where error == .compartmentUnknown:
            self.init(status: .notFound, issue: .notFound, code: error.code, message: error.message)
        case let error as SearchConditionError:
            let isCostly = error.code == SearchConditionError.tooMany("", 0).code
            let isValue = ["parameter-invalid", "parameter-escape"].contains(error.code)
            self.init(
                status: .badRequest, issue: isCostly ? .tooCostly : isValue ? .value : .notSupported, code: error.code,
                message: error.message)
        case let error as StorageError where error.isOfTimeLimit: self = .tooSlow
        case let error as StorageError where error.code == "storage-full": self = .storageFull
        case let error as StorageError where error.code == "storage-busy": self = .storageBusy
        case is CancellationError: self = .cancelled
        case let error as StorageError where error.code == "storage-interrupted": self = .cancelled
        case let error as RecordAdmissionError: self.init(error)
        case is AnswerBudget.Busy: self = RecordsFailure(HTTPFailure.serverBusy(retryAfter: 2))
        case let error as AnswerAllowance.Exceeded:
            self = error.isOwnLimit ? .answerTooLarge : RecordsFailure(HTTPFailure.serverBusy(retryAfter: 2))
        case let failure as HTTPFailure where failure == .notFound: self = .notFound
        case let failure as HTTPFailure where failure == .bodyTooLarge: self = .tooLarge
        case let failure as HTTPFailure:
            self.init(
                status: failure.status, issue: IssueType(rawValue: failure.issueType), code: failure.code,
                message: failure.message, headers: failure.headers)
        default: self = .unavailable
        }
    }

    package static func invalid(_ name: String, _ wanted: String) -> RecordsFailure {
        RecordsFailure(
            status: .badRequest, issue: .value, code: "parameter-invalid", message: "\(name) must be \(wanted).")
    }

    package static func unknownParameter(_ name: String) -> RecordsFailure {
        RecordsFailure(
            status: .badRequest, issue: .notSupported, code: "parameter-unknown",
            message: "The parameter \(ParameterName.shown(name)) is unknown; see /fhir/metadata.")
    }
    package static let unauthenticated = RecordsFailure(
        status: .unauthorized, issue: .login, code: "not-authenticated", message: "A valid bearer token is required.",
        headers: [.wwwAuthenticate: "Bearer realm=\"tributary\""])
    /// The same for a request with a token (RFC 6750 section 3.1).
    package static let tokenInvalid = RecordsFailure(
        status: .unauthorized, issue: .login, code: "not-authenticated",
        message: "The bearer token is unknown, has expired or was revoked.",
        headers: [
            .wwwAuthenticate: "Bearer realm=\"tributary\", error=\"invalid_token\", "
                + "error_description=\"The token is unknown, has expired or was revoked\""
        ])
    package static let forbidden = RecordsFailure(
        status: .forbidden, issue: .forbidden, code: "not-permitted", message: "This token may not read records.")
    package static let notFound = RecordsFailure(
        status: .notFound, issue: .notFound, code: "record-unknown", message: "There is no such resource.")
    package static let unknownType = RecordsFailure(
        status: .notFound, issue: .notSupported, code: "type-unknown",
        message: "This server does not store resources of this type; see /fhir/metadata.")
    package static let operationUnknown = RecordsFailure(
        status: .notFound, issue: .notSupported, code: "operation-unknown",
        message: "There is no such operation for this type; see /fhir/metadata.")
    package static let gone = RecordsFailure(
        status: .gone, issue: .deleted, code: "record-deleted", message: "The resource has been deleted.")
    package static let notAcceptable = RecordsFailure(
        status: .notAcceptable, issue: .notSupported, code: "format-unknown",
        message: "The server supports application/fhir+json and application/fhir+xml.")
    package static let formatImpossible = RecordsFailure(
        status: .notAcceptable, issue: .notSupported, code: "format-impossible",
        message: "XML cannot represent a part of the resource; use application/fhir+json.")
    package static let bodyMissing = RecordsFailure(
        status: .badRequest, issue: .structure, code: "body-missing", message: "The body is not a resource.")
    package static let parametersExpected = RecordsFailure(
        status: .badRequest, issue: .structure, code: "parameters-expected",
        message: "The body of an operation is a Parameters resource, or empty.")
    package static let contentEmpty = RecordsFailure(
        status: .badRequest, issue: .required, code: "content-empty",
        message: "The content of a Binary must not be empty.")
    package static let contentTypeInvalid = RecordsFailure(
        status: .unsupportedMediaType, issue: .value, code: "content-type-invalid",
        message: "The Content-Type is not a media type such as application/pdf.")
    package static let contentTypeFalse = RecordsFailure(
        status: .badRequest, issue: .structure, code: "content-type-false",
        message: "The content does not match its Content-Type: it cannot be parsed as FHIR.")
    package static let securityContextInvalid = RecordsFailure(
        status: .badRequest, issue: .value, code: "security-context-invalid",
        message: "X-Security-Context is a reference such as Patient/1.")
    package static let contentInvalid = RecordsFailure(
        status: .internalServerError, issue: .exception, code: "content-invalid",
        message: "The stored data of this Binary are not base64; read it as application/fhir+json.")
    package static let tooManyValues = RecordsFailure(
        status: .badRequest, issue: .tooCostly, code: "too-costly",
        message: "There are too many values; use several requests.")
    static let tooSlow = RecordsFailure(
        status: .badRequest, issue: .tooCostly, code: "too-costly",
        message: "The search takes too long; add conditions, or use fewer values.")
    static let answerTooLarge = RecordsFailure(
        status: .badRequest, issue: .tooCostly, code: "too-costly",
        message: "The response would be too large; request fewer records at a time.")
    package static let storageFull = RecordsFailure(
        status: HTTPFailure.storageFull.status, issue: .noStore, code: "storage-full",
        message: HTTPFailure.storageFull.message, headers: HTTPFailure.storageFull.headers)
    static let storageBusy = RecordsFailure(
        status: .serviceUnavailable, issue: .transient, code: "storage-busy",
        message: "The records' store is busy; nothing was stored. Try again later.", headers: [.retryAfter: "5"])
    /// The client has disconnected, or the server is stopping.
    package static let cancelled = RecordsFailure(HTTPFailure.requestCancelled)
    /// 429: the caller's searches use too much of the server's time.
    package static func searchesTooLong(retryAfter seconds: Int) -> RecordsFailure {
        RecordsFailure(
            status: .tooManyRequests, issue: .throttled, code: "rate-limited",
            message: "The searches of this client take too much time in a minute. Send fewer, or less costly ones.",
            headers: [.retryAfter: String(seconds)])
    }
    package static let unsupportedForm = RecordsFailure(
        status: .unsupportedMediaType, issue: .notSupported, code: "media-type-unknown",
        message: "A search form is sent as application/x-www-form-urlencoded.")
    package static let tooLarge = RecordsFailure(
        status: .contentTooLarge, issue: .tooLong, code: "body-too-large",
        message: "The body has more bytes than this server takes.")
    package static let unavailable = RecordsFailure(
        status: .internalServerError, issue: .exception, code: "records-unavailable",
        message: "The records cannot be read now.")
}
