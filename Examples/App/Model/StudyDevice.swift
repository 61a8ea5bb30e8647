import FHIR
import Foundation
import InformedConsent
import Outbox
import Questionnaires

/// The study of an app: its base URL, its antispam word, and the fingerprint of its root key.
struct StudyAddress: Sendable {
    var url: String
    var antispam: String
    /// nil trusts any server at the address, for development only.
    var root: String?
}

/// An error of this app itself.
enum StudyAppError: String, CodedError, Hashable {
    /// The study publishes no consent that this phone can show.
    case consentMissing = "consent-missing"
    /// No one has signed the consent on this phone.
    case participantMissing = "participant-missing"

    var code: String { rawValue }

    var message: String {
        switch self {
        case .consentMissing: "The study has no consent to sign at the moment."
        case .participantMissing: "Please sign the consent first."
        }
    }
}

/// This phone in one study: all calls of the libraries that the screens need.
struct StudyDevice: Sendable {
    /// The device's folder with the queue and the enrolment.
    let store: DeviceStore
    var transport: any Transport = URLSessionTransport()

    private static let (participantFile, formsFile) = ("participant.json", "forms.json")

    /// Whether the phone is enrolled.
    var isEnrolled: Bool { store.isEnrolled }

    /// The id of the participant who signed the consent on this phone; nil before.
    var participant: String? { (try? store.value(String.self, named: Self.participantFile)) ?? nil }

    /// Returns a new connection to the study. Throws `not-enrolled`.
    func connection() throws -> StudyConnection {
        StudyConnection(enrolment: try store.enrolment(), transport: transport)
    }

    /// Enrols the phone.
    ///
    /// - Parameter receipt: the app's receipt of the App Store, base64.
    func join(_ study: StudyAddress, receipt: String) async throws {
        let enrolment = try await StudyConnection.enrol(
            url: study.url, antispam: study.antispam, receipt: receipt, clientName: "Study app", root: study.root,
            transport: transport)
        try store.save(enrolment)
    }

    /// Fetches the consent to show, in the first of the languages that it has.
    func consent(languages: [String]) async throws -> ConsentTemplate {
        let published = try await connection().publishedConsents()
        let bundle = FHIR.Bundle(try Resource(published).object)
        guard let template = PublishedConsents(bundle).current(languages: languages) else {
            throw StudyAppError.consentMissing
        }
        return template
    }

    /// Signs the consent, and queues it before any other data.
    func sign(_ template: ConsentTemplate, answers: ConsentAnswers, name: String) throws {
        let signed = try store.sign(ConsentSession(template: template, answers: answers), as: name)
        try store.queue(signed)
        try store.save(signed.participant, named: Self.participantFile)
    }

    /// Fetches the study's forms and keeps them for the time without network.
    func fetchForms() async throws -> [QuestionnaireForm] {
        let objects = try await connection().questionnaires()
        try store.save(JSON.array(objects.map { .object($0) }).data(), named: Self.formsFile)
        return Self.forms(objects)
    }

    /// Returns the forms that were fetched last.
    func savedForms() throws -> [QuestionnaireForm] {
        guard let data = try store.data(named: Self.formsFile), let saved = JSON(reading: data) else { return [] }
        return Self.forms((saved.array ?? []).compactMap(\.object))
    }

    private static func forms(_ objects: [JSONObject]) -> [QuestionnaireForm] {
        objects.map { Questionnaire($0) }.filter { $0.status == .active }.map { QuestionnaireForm($0) }
    }

    /// Queues the response to a form. Throws `IncompleteResponse` if an answer is missing or wrong.
    func queue(_ session: FormSession) throws {
        guard let participant else { throw StudyAppError.participantMissing }
        let response = try session.completedResponse(subject: "Patient/\(participant)", authored: .now())
        try store.queue(response)
    }
}
