import FHIR
import Testing

@testable import HealthData

@Suite struct InclusionTests {
    /// Of all types of the table, only those that a consent must name are recognised by their resource.
    @Test func typesThatAConsentMustNameAreRecognisedByTheirResource() throws {
        var named: [String: Set<HealthSelection.Inclusion>] = [:]
        for type in HealthType.all {
            let example = try #require(type.example()?.object, "\(type.identifier)")
            let permitting = HealthSelection.Inclusion.permitting(Resource(example))
            if !permitting.isEmpty { named[type.identifier] = permitting }
        }
        let records = HealthType.all.filter { $0.kind == .clinicalRecord }.map(\.identifier)
        #expect(records.count == 9)
        for record in records {
            let isNote = record == "HKClinicalTypeIdentifierClinicalNoteRecord"
            #expect(named.removeValue(forKey: record) == (isNote ? [.clinicalRecords, .notes] : [.clinicalRecords]))
        }
        #expect(
            named == [
                SpecialKind.workoutRoute.identifier: [.routes], SpecialKind.heartbeatSeries.identifier: [.heartbeats],
            ])
    }

    @Test(arguments: [
        #"{"resourceType":"Patient"}"#, #"{"resourceType":"QuestionnaireResponse"}"#,
        #"{"resourceType":"Observation"}"#,
        #"{"resourceType":"Observation","code":{"coding":[{"system":"http://loinc.org","code":"HKWorkoutRoute"}]}}"#,
        #"{"resourceType":"Observation","code":3,"identifier":[3,{"system":"urn:other"}]}"#,
    ])
    func otherResourcesNeedNoName(json: String) throws {
        #expect(HealthSelection.Inclusion.permitting(try Resource(Array(json.utf8))).isEmpty)
    }
}
