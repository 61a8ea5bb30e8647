import FHIR

/// Why a request for records is not answered with them.
struct RecordsFailure: Error, Sendable {
    let status: Int
    let issue: IssueType
    /// Ours, stable.
    let code: String
    let message: String
    var challenges = false
    /// Seconds for `Retry-After`.
    var retryAfter: Int?

    var outcome: OperationOutcome {
        OperationOutcome(code: issue, detail: code, diagnostics: message)
    }

    static func rateLimited(_ seconds: Int) -> RecordsFailure {
        RecordsFailure(
            status: 429, issue: .throttled, code: "rate-limited", message: "Too many requests. Try again later.",
            retryAfter: seconds)
    }

    static func invalid(_ name: String, _ wanted: String) -> RecordsFailure {
        RecordsFailure(status: 400, issue: .value, code: "parameter-invalid", message: "\(name) must be \(wanted).")
    }

    static let unknownParameter = RecordsFailure(
        status: 400, issue: .notSupported, code: "parameter-unknown",
        message: "A search parameter is not known for this type; see /fhir/metadata.")
    static let unauthenticated = RecordsFailure(
        status: 401, issue: .login, code: "not-authenticated", message: "A valid bearer token is required.",
        challenges: true)
    static let forbidden = RecordsFailure(
        status: 403, issue: .forbidden, code: "not-permitted", message: "This token may not read records.")
    static let notFound = RecordsFailure(
        status: 404, issue: .notFound, code: "record-unknown", message: "There is no such resource.")
    static let unknownType = RecordsFailure(
        status: 404, issue: .notSupported, code: "type-unknown",
        message: "Resources of this type are not held here; see /fhir/metadata.")
    static let gone = RecordsFailure(
        status: 410, issue: .deleted, code: "record-deleted", message: "The resource has been deleted.")
    static let notAcceptable = RecordsFailure(
        status: 406, issue: .notSupported, code: "format-unknown",
        message: "Only JSON is served: application/fhir+json.")
    static let unknownModifier = RecordsFailure(
        status: 400, issue: .notSupported, code: "modifier-unknown",
        message: "A search parameter has a modifier that is not known for it; see /fhir/metadata.")
    static let unsupportedForm = RecordsFailure(
        status: 415, issue: .notSupported, code: "media-type-unknown",
        message: "A search form is sent as application/x-www-form-urlencoded.")
    static let tooLarge = RecordsFailure(
        status: 413, issue: .tooLong, code: "body-too-large", message: "The search form is too large.")
    static let methodNotAllowed = RecordsFailure(
        status: 405, issue: .notSupported, code: "method-not-allowed", message: "This path has no such method.")
    static let unavailable = RecordsFailure(
        status: 500, issue: .exception, code: "records-unavailable", message: "The records cannot be read now.")
}
