import Core
import FHIRHTTP
import Foundation
import Testing

@testable import BulkExport

/// The parameters of a kick-off request (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters>).
@Suite struct ExportRequestTests {
    private func request(
        _ parameters: [(name: String, value: String)], lenient: Bool = false
    ) throws -> ExportRequest { try ExportRequest(.system, parameters: parameters, lenient: lenient) }

    private func code(_ parameters: [(name: String, value: String)], lenient: Bool = false) -> String? {
        do {
            _ = try request(parameters, lenient: lenient)
            return nil
        } catch { return (error as? RecordsFailure)?.code }
    }

    @Test func typesAreReadFromAListAndFromRepeatedParameters() throws {
        let request = try request([("_type", "Patient, Observation"), ("_type", "Device")])
        #expect(request.types == ["Patient", "Observation", "Device"])
    }

    @Test func unknownTypeIsRefusedUnlessTheClientIsLenient() throws {
        #expect(code([("_type", "Patient,Unicorn")]) == "parameter-invalid")
        #expect(try request([("_type", "Patient,Unicorn")], lenient: true).types == ["Patient"])
        #expect(code([("_type", "Unicorn")], lenient: true) == "parameter-invalid")
    }

    @Test func sinceIsTheStartOfItsPeriod() throws {
        #expect(try request([("_since", "2026-01-31T12:00:00Z")]).since == 1_769_860_800_000)
        #expect(code([("_since", "yesterday")]) == "parameter-invalid")
    }

    @Test(arguments: ["Unicorn.code", "a.b.c", "status,", "no such"])
    func invalidElementsAreRefused(elements: String) {
        let code = code([("_elements", elements)])
        #expect(elements == "status," ? code == nil : code == "parameter-invalid")
    }

    @Test func otherOutputFormatsAreRefused() {
        #expect(code([("_outputFormat", "application/fhir+ndjson")]) == nil)
        #expect(code([("_outputFormat", "text/csv")]) == "parameter-invalid")
    }

    @Test func numberOfTypeFiltersHasALimit() {
        let filters = (0...ExportRequest.maximumTypeFilters).map { "Observation?code=\($0)" }.joined(separator: ",")
        #expect(code([("_typeFilter", filters)]) == "too-costly")
    }

    @Test func requestIsTheSameAfterItIsStored() throws {
        let request = try request([("_type", "Patient"), ("_since", "2026-01-31T12:00:00Z"), ("_elements", "status")])
        let stored = try ExportRequest(text: JSON.object(request.json).text())
        #expect(stored.types == request.types && stored.since == request.since && stored.elements == request.elements)
    }
}
