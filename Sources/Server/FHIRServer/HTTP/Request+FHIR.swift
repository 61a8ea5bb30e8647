import Core
import FHIRHTTP
import Foundation
import HTTPTypes
import Hummingbird
import RecordStorage
import ServerHTTP

/// The headers and the address of a FHIR client's request.
extension Request {
    /// Whether an unknown parameter is an error (<https://hl7.org/fhir/R4/search.html#errors>).
    package var isStrict: Bool {
        headers[values: .prefer].contains { value in
            value.lowercased().split { $0 == "," || $0 == ";" }
                .contains { $0.filter { !$0.isWhitespace } == "handling=strict" }
        }
    }

    /// Whether the client has the version already, by its tag or by its time
    /// (<https://www.rfc-editor.org/rfc/rfc9110#name-precedence-of-preconditions>).
    package func knows(_ record: StoredRecord) -> Bool {
        if headers[.ifNoneMatch] != nil { return knows(entityTag: "\"\(record.version)\"") }
        if let since = EntryScope.current?.modifiedSince { return record.lastUpdated <= since }
        // The header has whole seconds, like Last-Modified.
        guard let since = headers[.ifModifiedSince].flatMap(HTTPDate.date) else { return false }
        return record.lastUpdated.timeIntervalSince1970.rounded(.down) <= since.timeIntervalSince1970
    }

    /// The parameters of the address. The query is decoded as a form: a plus sign is a space, as HTML forms and common
    /// client libraries encode it (<https://hl7.org/fhir/R4/http.html#search>).
    var searchParameters: [(name: String, value: String)] {
        get throws(RecordsFailure) {
            guard let form = queryForm else { throw .invalid("The address", "percent-encoded UTF-8") }
            return form.fields
        }
    }

    /// Returns the parameters of the form in the body.
    ///
    /// - Throws: ``RecordsFailure`` where the body is not a form or is wrongly encoded; the errors of
    ///   ``ServerHTTP/BodyBudget``.
    func searchForm(within bodies: BodyBudget) async throws -> [(name: String, value: String)] {
        if headers[.contentType] != nil {
            guard bodyType == "application/x-www-form-urlencoded" else {
                throw RecordsFailure.unsupportedForm
            }
        }
        let body = try await bodies.collect(self, upTo: 64 << 10)
        guard let form = FormFields(body.bytes) else {
            throw RecordsFailure.invalid("The form", "percent-encoded UTF-8")
        }
        return form.fields
    }
}
