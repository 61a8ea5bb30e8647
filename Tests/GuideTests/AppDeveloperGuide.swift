import FHIR
import FHIRClient
import Foundation
import HealthData
import HealthKitAdapter
import HealthStores
import HealthSync
import InformedConsent
import Outbox
import Questionnaires
import ResearchKitAdapter

#if canImport(HealthKit)
    import HealthKit
#endif
#if canImport(ResearchKit)
    import ResearchKit
#endif

/// The examples of docs/guide-app-developer.md as an app would contain them; `GuideTests` compares the two texts.
enum AppDeveloperGuide {
    static func join(folder: URL, url: String, antispam: String, receipt: String) async throws -> DeviceStore {
        let store = try DeviceStore.open(folder)
        let enrolment = try await StudyConnection.enrol(url: url, antispam: antispam, receipt: receipt)
        try store.save(enrolment)
        return store
    }

    static func consentThenData(
        contractBytes: Data, answers: ConsentAnswers, name: String, questionnaire: Questionnaire, answer: AnswerValue,
        at path: String, store: DeviceStore
    ) throws -> (signed: SignedConsent, response: QuestionnaireResponse) {
        let template = try ConsentTemplate(try Resource(contractBytes))
        let consent = ConsentSession(template: template, answers: answers)
        let signed = try store.sign(consent, as: name)
        // Queue it first. The name is in neither of its resources; signed.document is for the person alone.

        var session = FormSession(QuestionnaireForm(questionnaire))
        session[path] = answer
        let response = session.response(subject: "Patient/\(signed.participant)", authored: .now())
        return (signed, response)
    }

    #if canImport(ResearchKit)
        static func showForm(
            _ questionnaire: Questionnaire, participant: String, present: (any ORKTask) async -> ORKTaskResult
        ) async throws -> QuestionnaireResponse {
            let task = try FormTask(questionnaire)
            let result = await present(task)
            let response = try task.fhirResponse(for: result, subject: "Patient/\(participant)")
            return response
        }
    #endif

    static func queueAndSend(
        _ signed: SignedConsent, _ response: QuestionnaireResponse, store: DeviceStore
    ) async throws -> SynchronizationReport {
        try store.queue(signed)
        try store.queue(response)
        let report = try await StudyConnection(enrolment: store.enrolment()).synchronize(store)
        return report
    }

    static func fillIn(_ questionnaire: Questionnaire) throws -> FormSession {
        var session = FormSession(QuestionnaireForm(questionnaire))
        session["medication[0]/name"] = .string("Melatonin")
        session["medication[1]/dose"] = .decimal(2.5)
        session[all: "symptom"] = [.string("headache"), .string("nausea")]
        for problem in session.problems(at: "medication[1]/dose") { print(problem.message) }
        try session.set(.integer(3), at: "nights")
        return session
    }

    #if canImport(Darwin)
        static func sendInTheBackground(store: DeviceStore) async throws {
            let uploads = BackgroundUploads(identifier: "org.example.study.uploads")
            let connection = StudyConnection(enrolment: try store.enrolment())
            let sender = BackgroundSender(store: store, connection: connection, uploads: uploads)
            try await sender.run()
        }
    #endif

    #if canImport(HealthKit)
        static func followHealthKit(
            store: DeviceStore, participant: String, inclusions: Set<HealthSelection.Inclusion>
        ) async throws -> StudyHealthSync {
            let health = try await HealthSynchronizer.study(
                store, participant: participant, inclusions: inclusions, version: "2.1")
            return health
        }
    #endif

    static func moveToANewPhone(
        typed: String, consent: ConsentSession, name: String, store: DeviceStore
    ) throws -> SignedConsent {
        guard let code = ParticipantMoveCode(text: typed) else { throw ConsentError.moveCodeInvalid }
        let signed = try store.sign(consent, as: name) { $0.moveCode = code }
        return signed
    }

    static func readAndWrite(
        url: URL, participant: String, token: @escaping FHIRConnection.Token
    ) async throws {
        let server = FHIRConnection(url) { isRenewal in try await token(isRenewal) }
        for try await plan in server.search(CarePlan.self, ["patient": participant, "status": "active"]) {
            print(plan.title ?? "")
        }
        var patient = try await server.read(Patient.self, id: participant)
        patient.active = true
        try await server.update(patient, ifMatch: patient.meta?.versionId)
    }
}
