import Core
import FHIR
import Foundation
import SearchTestSupport
import TestSupport
import Testing

@testable import FHIRSearch

/// A search for each value of HL7's examples finds it.
@Suite(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct SearchRoundTripTests {
    @Test func everyValueIsFoundByItself() throws {
        var asked = 0
        for (name, resource) in try SearchedExamples.all() {
            guard let values = SearchValues(indexing: resource) else { continue }
            for entry in values.entries {
                let parameter = values.tree.parameters[entry.parameter]
                guard let (modifier, text) = SearchedText.written(entry.value) else { continue }
                let condition = try SearchCondition(
                    parameter.code + modifier, value: text, of: resource.resourceType)
                let isFound = condition.matches(values)
                #expect(isFound, "\(name) \(parameter.code)\(modifier)=\(text)")
                asked += 1
            }
        }
        print("\(asked) searches")
        #expect(asked > 3_000)
    }

    @Test func everyParameterIsMissingOrNot() throws {
        for (name, resource) in try SearchedExamples.all().prefix(60) {
            guard let values = SearchValues(indexing: resource) else { continue }
            for parameter in values.tree.parameters where parameter.kind != .composite {
                let both = try ["true", "false"].map { truth in
                    try SearchCondition(parameter.code + ":missing", value: truth, of: resource.resourceType)
                        .matches(values)
                }
                #expect(both[0] != both[1], "\(name) \(parameter.code)")
                #expect(both[1] || values[parameter.code].isEmpty)
            }
        }
    }
}
