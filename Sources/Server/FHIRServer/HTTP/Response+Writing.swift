import FHIR
import FHIRHTTP
import Hummingbird
import ServerHTTP

extension WriteOutcome {
    var status: HTTPResponse.Status {
        switch kind {
        case .created: .created
        case .updated, .unchanged: .ok
        case .deleted, .absent: .noContent
        }
    }

    /// The path of the version, relative to the base URL of the API.
    var location: String? {
        record.flatMap { $0.isDeleted ? nil : "\(type)/\(id)/_history/\($0.version)" }
    }

    /// The outcome that reports success.
    var operationOutcome: OperationOutcome {
        let done =
            switch kind {
            case .created: "The resource was created."
            case .updated: "The resource was updated."
            case .unchanged: "The resource is unchanged."
            case .deleted: "The resource is deleted."
            case .absent: "There was nothing to delete."
            }
        return OperationOutcome(
            severity: .information, code: .informational, detail: "done", diagnostics: done)
    }
}

extension Response {
    /// Creates the response to a write (<https://hl7.org/fhir/R4/http.html#ops>).
    package init(
        _ outcome: WriteOutcome, url: String, returning preference: ReturnPreference, as format: FHIRFormat
    ) throws {
        let status = outcome.status
        switch preference {
        case .outcome:
            try self.init(
                outcome.operationOutcome.json, as: format, status: status == .noContent ? .ok : status)
        case .representation where status != .noContent:
            guard let record = outcome.record, outcome.isShown else { fallthrough }
            self = try Response.done(try record.resource().json, as: format, status: status)
        case .minimal, .representation: self.init(status: status)
        }
        guard let record = outcome.record else { return }
        for field in Response.headers(of: record) { headers[field.name] = field.value }
        if let location = outcome.location { headers[.location] = "\(url)/\(location)" }
    }
}
