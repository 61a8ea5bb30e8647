import FHIR
import Foundation
import InformedConsent
import Outbox
import Questionnaires
import Wire

/// The examples of docs/guide-app-developer.md as an app would have them; `GuideTests` compares the two texts.
enum AppDeveloperGuide {
    static func join(folder: URL, url: String, antispam: String, receipt: String) async throws -> DeviceStore {
        let store = try DeviceStore.open(folder)
        let enrolment = try await StudyConnection.enrol(url: url, antispam: antispam, receipt: receipt)
        try store.save(enrolment)
        return store
    }

    static func consentThenData(
        contractBytes: Data, answers: ConsentAnswers, name: String, questionnaire: Questionnaire, values: [AnswerValue],
        at path: ItemPath
    ) throws -> (signed: SignedConsent, response: QuestionnaireResponse) {
        let template = try ConsentTemplate(try Resource(contractBytes))
        let offset = DateTime.offsetMinutes(at: .now)
        let consent = ConsentSession(template: template, answers: answers)
        let signed = try consent.sign(.init(name: name, now: .now, offsetMinutes: offset))
        // Queue signed.contract first, then signed.patient. The name is in neither; signed.document is for the person alone.

        var session = FormSession(QuestionnaireForm(questionnaire))
        session.setAnswers(values, at: path)
        let response = session.response(subject: "Patient/\(signed.patientID)", authored: .now())
        return (signed, response)
    }

    static func queueAndSend(
        _ response: QuestionnaireResponse, sid: String, enrolment: Enrolment, store: DeviceStore
    ) async throws -> SynchronizationReport {
        try store.outbox.append(
            response.json.data(), kind: "QuestionnaireResponse", sid: sid, contentType: .resource,
            to: enrolment.recipients())
        let report = try await StudyConnection(enrolment: enrolment).synchronize(store)
        return report
    }

    static func moveToANewPhone(typed: String, consent: ConsentSession, name: String, offset: Int) throws
        -> SignedConsent
    {
        guard let code = ParticipantMoveCode(text: typed) else { throw ConsentError.moveCodeInvalid }
        let signed = try consent.sign(.init(name: name, now: .now, offsetMinutes: offset, moveCode: code))
        return signed
    }
}
