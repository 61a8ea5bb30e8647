import HTTPTypes

extension HTTPFailure {
    /// The issue code of this failure in an OperationOutcome (<https://hl7.org/fhir/R4/valueset-issue-type.html>).
    package var issueType: String {
        switch status.code {
        case 401: "login"
        case 403: "forbidden"
        case 404: "not-found"
        case 405, 415: "not-supported"
        case 409: "conflict"
        case 413: "too-long"
        case 429: "throttled"
        case 400..<500: "invalid"
        default: "transient"
        }
    }
}
