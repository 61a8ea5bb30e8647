import FHIR
import FHIRSearch
import Foundation
import HTTPTypes
import Testing

@testable import FHIRHTTP
@testable import RecordStorage

/// The answers to errors of the modules below.
@Suite struct RecordsFailureTests {
    @Test func unknownCompartmentIsNotFound() {
        let failure = RecordsFailure(SearchConditionError.compartmentUnknown)
        #expect(failure.status == .notFound && failure.code == "compartment-unknown" && failure.issue == .notFound)
    }

    @Test func invalidValueOfASearchIsABadRequest() {
        let failure = RecordsFailure(SearchConditionError.invalid("date", "a date"))
        #expect(failure.status == .badRequest && failure.code == "parameter-invalid" && failure.issue == .value)
    }

    @Test func fullBudgetOfResponsesIsTemporary() {
        let failure = RecordsFailure(AnswerBudget.Busy())
        #expect(failure.status == .serviceUnavailable && failure.headers[.retryAfter] == "2")
    }

    @Test func unknownErrorShowsNoDetail() {
        struct Secret: Error, CustomStringConvertible { let description = "a secret" }
        let failure = RecordsFailure(Secret())
        #expect(failure.status == .internalServerError && failure.code == "records-unavailable")
        #expect(!failure.message.contains("secret"))
    }

    @Test(arguments: [
        ("application/fhir+json", FHIRFormat.json), ("json", .json), ("application/fhir xml", .xml), ("text/xml", .xml),
    ])
    func formatIsReadFromItsNames(name: String, format: FHIRFormat) { #expect(FHIRFormat(name: name) == format) }

    @Test func otherMediaTypesAreNoFormat() { #expect(FHIRFormat(name: "text/html") == nil) }

    @Test(arguments: [FHIRFormat.json, .xml]) func resourceIsReadAsItIsWritten(format: FHIRFormat) throws {
        let json = try Resource(Array(#"{"resourceType":"Patient","id":"p","active":true}"#.utf8)).json
        #expect(try format.resource(Data(format.bytes(of: json))).json == json)
    }

    @Test(arguments: [FHIRFormat.json, .xml]) func bodyThatIsNoResourceIsRefused(format: FHIRFormat) {
        let failure = #expect(throws: RecordsFailure.self) { try format.resource(Data("no resource".utf8)) }
        #expect(failure?.status == .badRequest)
    }
}
