import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct OwnTypeTests {
    @Test func theTypesOfIOS26And27AreConverted() throws {
        let outcome = try Exports.convert(
            Exports.record("HKQuantityTypeIdentifierHeartRateVariabilityRMSSD", "20.4", unit: "ms")
                + Exports.record("HKCategoryTypeIdentifierHypertensionEvent", "HKCategoryValueNotApplicable"))
        #expect(outcome.importReport.skippedTotal == 0)
        #expect(outcome.observations.first?.value?.json["value"]?.number?.text == "20.4")
        #expect(outcome.observations.last?.value?.json.bool == true)
    }

    private static let supplement = """
        {"types":[{"identifier":"StudyGripStrength","kind":"quantity","title":"Grip strength",
        "codings":[{"system":"http://example.org/codes","code":"grip","display":"Grip strength"}],
        "unit":{"healthKit":"kg","ucum":"kg","display":"kg"}}]}
        """

    @Test func accountNamesTheStudysTypesAndNoOtherUnknownTypes() throws {
        let table = try HealthTypeTable.standard.applying(supplement: JSON(parsing: Self.supplement))
        let body =
            Exports.record("StudyGripStrength", "41.5", unit: "kg")
            + Exports.record("StudyGripStrength", "41.5", unit: "kg") + Exports.record("SomebodysName", "1", unit: "kg")
            + Exports.record()
        let importReport = try Exports.convert(body, selection: HealthSelection(table: table)).importReport
        #expect(importReport.convertedByType == ["StudyGripStrength": 1, "HKQuantityTypeIdentifierHeartRate": 1])
        #expect(
            importReport.skipped == [
                "StudyGripStrength": [.duplicate: 1], "unrecognised-type": [.unsupportedType: 1],
            ])
        #expect(importReport.read == 4)
    }
}
