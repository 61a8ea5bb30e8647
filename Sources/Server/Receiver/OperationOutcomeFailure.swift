import Hummingbird
import ServerHTTP

/// A failure in the form of a FHIR OperationOutcome with one issue (<https://hl7.org/fhir/R4/operationoutcome.html>),
/// for the paths below `/fhir`. The receiver cannot read FHIR and writes only this resource.
struct OperationOutcomeFailure: HTTPRefusal {
    private let failure: HTTPFailure

    init(_ failure: HTTPFailure) { self.failure = failure }

    var status: HTTPResponse.Status { failure.status }
    var code: String { failure.code }
    var message: String { failure.message }

    func response(from request: Request, context: some RequestContext) -> Response {
        .json(
            Outcome(issue: [Outcome.Issue(code: failure.issueType, details: .init(text: code), diagnostics: message)]),
            status: status, mediaType: "application/fhir+json", headers: failure.headers)
    }

    private struct Outcome: Encodable {
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
    }
}
