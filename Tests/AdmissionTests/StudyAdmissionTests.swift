import FHIR
import Foundation
import RecordStorage
import Testing

@testable import Admission

/// Rules of admission for FHIR writes, without stores and keys.
@Suite struct StudyAdmissionTests {
    private func writing(_ strictness: ValidationStrictness = .errors) async -> any WriteAdmission {
        let published = PublishedStudy(templates: [], forms: [])
        let admission = StudyAdmission(
            c3pro: C3PROAcceptance(isAccepted: false), maximumResources: 10,
            validation: SubmissionValidation(strictness: strictness), identifyingData: .reduce,
            published: { published }, clock: { Date() })
        return await admission.begin(at: Date())
    }

    private func resource(_ text: String) throws -> Resource { try Resource(Data(text.utf8)) }

    @Test func validResourceIsAdmittedAsItIs() async throws {
        let patient = try resource(#"{"resourceType":"Patient","id":"p1","birthDate":"1990"}"#)
        #expect(try await writing().admit(patient, id: "p1").resource == patient)
    }

    @Test func identifyingDataIsRemoved() async throws {
        let patient = try resource(#"{"resourceType":"Patient","id":"p1","name":[{"family":"Muster"}]}"#)
        #expect(try await writing().admit(patient, id: "p1").resource["name"] == nil)
    }

    @Test func strictnessDecidesAboutAnInvalidResource() async throws {
        let observation = try resource(
            #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"unknown":1}"#)
        let strict = await writing()
        #expect(throws: RecordAdmissionError.self) { try strict.admit(observation, id: "o") }
        #expect(try await writing(.none).admit(observation, id: "o").resource == observation)
    }

    @Test func unknownProfileIsAnError() async throws {
        let patient = try resource(#"{"resourceType":"Patient","id":"p1"}"#)
        let writing = await writing()
        #expect(throws: RecordAdmissionError.self) { try writing.problems(of: patient, profiles: ["urn:none"]) }
        #expect(try writing.problems(of: patient, profiles: []).isEmpty)
    }
}
