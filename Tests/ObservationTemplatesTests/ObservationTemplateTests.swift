import FHIR
import Foundation
import RecordStorage
import Testing

@testable import ObservationTemplates

/// A template reads, writes and records other Observations like full processing does.
@Suite struct ObservationTemplateTests {
    private func text(
        id: String, identifier: String, time: String, number: String, code: String = "29463-7"
    ) -> String {
        #"{"resourceType":"Observation","id":"\#(id)","#
            + #""identifier":[{"system":"urn:x","value":"\#(identifier)"}],"#
            + #""status":"final","code":{"coding":[{"system":"http://loinc.org","code":"\#(code)"}]},"#
            + #""subject":{"reference":"Patient/p"},"effectiveDateTime":"\#(time)","#
            + #""valueQuantity":{"value":\#(number),"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}}"#
    }

    private func record(_ text: String) throws -> (resource: Resource, record: NewRecord) {
        let resource = try Resource(Array(text.utf8))
        return (resource, NewRecord(resource, id: resource.id ?? "", content: Data(text.utf8)))
    }

    private func template() throws -> ObservationTemplate<Int> {
        let first = text(id: "a", identifier: "1", time: "2026-01-02T03:04:05Z", number: "70.5")
        let (resource, record) = try record(first)
        return try #require(ObservationTemplate(resource, record: record, callerData: { 7 }))
    }

    @Test func observationOfTheTemplateHasTheRecordOfFullProcessing() throws {
        let template = try template()
        let other = text(id: "b", identifier: "2", time: "2026-02-03T04:05:06+01:00", number: "71")
        let values = try #require(template.values(in: Data(other.utf8)))
        #expect(values.id == "b" && values.identifiers == ["2"] && values.number?.text == "71")
        #expect(template.content(with: values) == Data(other.utf8))
        let made = try #require(template.record(values, content: Data(other.utf8)))
        let expected = try record(other).record
        #expect(made.entries == expected.entries && made.time == expected.time && made.address == expected.address)
        #expect(made.digest == expected.digest && made.subject == "p" && template.callerData == 7)
    }

    @Test(arguments: ["2026-02-03T04:05Z", "2026-02-03", "soon"])
    func timeOfAnotherPrecisionNeedsItsOwnValidation(time: String) throws {
        let other = text(id: "b", identifier: "2", time: time, number: "71")
        #expect(try template().values(in: Data(other.utf8)) == nil)
    }

    @Test func observationWithAnotherCodeNeedsItsOwnValidation() throws {
        let other = text(id: "b", identifier: "2", time: "2026-01-02T03:04:05Z", number: "71", code: "8302-2")
        #expect(try template().values(in: Data(other.utf8)) == nil)
    }

    @Test func observationWithAProfileHasNoTemplate() throws {
        let text = text(id: "a", identifier: "1", time: "2026-01-02T03:04:05Z", number: "70.5")
            .replacingOccurrences(of: #""status""#, with: #""meta":{"profile":["urn:p"]},"status""#)
        let (resource, record) = try record(text)
        #expect(ObservationTemplate(resource, record: record, callerData: { 7 }) == nil)
    }
}
