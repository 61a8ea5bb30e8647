import FHIR
import Foundation
import HealthData
import HealthKitAdapter
import HealthStores
import HealthSync
import InformedConsent
import Outbox
import Questionnaires

#if canImport(HealthKit)
    import HealthKit
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
        at path: String, deviceKey: String?
    ) throws -> (signed: SignedConsent, response: QuestionnaireResponse) {
        let template = try ConsentTemplate(try Resource(contractBytes))
        let offset = DateTime.offsetMinutes(at: .now)
        let consent = ConsentSession(template: template, answers: answers)
        let signed = try consent.sign(
            .init(name: name, now: .now, offsetMinutes: offset, deviceKey: deviceKey))
        // Queue signed.contract first, then signed.patient. The name is in neither; signed.document is for the person alone.

        var session = FormSession(QuestionnaireForm(questionnaire))
        session[path] = answer
        let response = session.response(subject: "Patient/\(signed.participant)", authored: .now())
        return (signed, response)
    }

    static func queueAndSend(
        _ signed: SignedConsent, _ response: QuestionnaireResponse, store: DeviceStore
    ) async throws -> SynchronizationReport {
        try store.queue(signed.contract)
        try store.queue(signed.patient)
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
            store: DeviceStore, folder: URL, participant: String, inclusions: Set<HealthSelection.Inclusion>
        ) async throws -> HealthSynchroniser {
            let followed = StudyHealthData(of: store)
            var selection = followed.selection(naming: inclusions)
            selection.subject = participant
            let source = HealthKitSource(HKHealthStore(), selection: selection)
            let types = Set(followed.followed.types ?? followed.table.all.map(\.identifier))
            try await source.requestAuthorization(for: HealthPermissions(for: types, in: followed.table))
            let synchroniser = HealthSynchroniser(
                source: source, storage: HealthSyncFolder(folder.appendingPathComponent("health-sync")),
                settings: HealthSyncSettings(
                    selection: selection, version: "app 2.1, \(followed.version)",
                    lookBackDays: followed.followed.lookBackDays))
            await synchroniser.add(
                try OutboxHealthStore(store, subject: participant), named: "outbox", types: types)
            await synchroniser.start()
            return synchroniser
        }
    #endif

    static func moveToANewPhone(
        typed: String, consent: ConsentSession, deviceKey: String?, name: String, offset: Int
    ) throws -> SignedConsent {
        guard let code = ParticipantMoveCode(text: typed) else { throw ConsentError.moveCodeInvalid }
        let signed = try consent.sign(
            .init(name: name, now: .now, offsetMinutes: offset, moveCode: code, deviceKey: deviceKey))
        return signed
    }
}
