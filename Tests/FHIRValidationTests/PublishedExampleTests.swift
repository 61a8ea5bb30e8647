import FHIR
import FHIRValidation
import Foundation
import Testing

/// HL7's examples of R4, which are not part of the package.
@Suite(.enabled(if: PublishedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedExampleTests {
    /// Examples that break R4's own definitions, with the broken rule.
    static let broken: [String: String] = [
        "ActivityDefinition-heart-valve-replacement": "txt-2: the narrative SHALL have some non-whitespace content",
        "Bundle-10bb101f-a121-4264-a920-67be9cb82c74":
            "Bundle.entry.fullUrl: SHALL NOT disagree with the id in the resource (pat12 and pat2)",
        "Bundle-lri-example":
            "Bundle.entry.fullUrl: SHALL NOT disagree with the id in the resource (lri-gramstain1 and gramstain1, ...)",
        "DeviceMetric-example": "DeviceMetric.parent: Reference(Device), the example refers to a DeviceDefinition",
        "DeviceUseStatement-example":
            "DeviceUseStatement.reasonReference: Reference(Condition | Observation | DiagnosticReport | DocumentReference | Media), the example refers to a Procedure",
        "EventDefinition-example": "txt-2: the narrative SHALL have some non-whitespace content",
        "ImplementationGuide-fhir": "ImplementationGuide.name and status have cardinality 1..1",
        "MedicationRequest-medrx0301":
            "MedicationRequest.dispenseRequest.performer: Reference(Organization), the example refers to a Practitioner",
        "Observation-clinical-gender":
            "Observation.performer: Reference(Practitioner | PractitionerRole | Organization | CareTeam | Patient | RelatedPerson), the example refers to an Encounter",
        "Questionnaire-qs1": "Questionnaire.item.linkId has cardinality 1..1",
    ]

    @Test func everyExampleIsValidExceptListedOnes() throws {
        let examples = try PublishedExamples()
        defer { examples.remove() }
        let files = examples.files()
        #expect(files.count == 377)
        let validator = FHIRValidator()
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            let report = validator.validate(Array(try Data(contentsOf: file)))
            if PublishedExampleTests.broken[name] != nil {
                #expect(!report.isValid, "\(name) is listed as broken")
            } else {
                for issue in report.errors {
                    Issue.record("\(name):\(issue.line ?? 0) \(issue.expression) \(issue.code): \(issue.message)")
                }
            }
        }
    }
}
