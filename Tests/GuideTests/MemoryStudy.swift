import DeviceSystem
import FHIR
import Foundation
import Outbox
import Testing
import Wire

/// A study in memory that acknowledges and stores everything, except for observations, which it lists as refused. It
/// publishes one form and the example study's consent.
actor MemoryStudy: Transport {
    private(set) var received: [(kind: String, payload: JSON)] = []
    private var deliveries: [DeliveriesPage.Delivery] = []
    private let key: PrivateKey
    private let consents: Data

    init(_ key: PrivateKey, consents: Data = Data()) { (self.key, self.consents) = (key, consents) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let encoder = JSONEncoder()
        switch request.url.path {
        case "/.well-known/jwks.json": return .init(status: 200, body: PublicKey.jwks([key.publicKey], study: "s"))
        case "/register":
            return .init(
                status: 201,
                body: try encoder.encode(RegistrationResponse(clientID: "c", clientSecret: "s", issuedAt: nil)))
        case "/oauth/token":
            return .init(status: 200, body: try encoder.encode(TokenResponse(accessToken: "t", expiresIn: 3_600)))
        case "/fhir/Questionnaire":
            let bundle: JSON = ["resourceType": "Bundle", "entry": [["resource": try Self.form().json]]]
            return .init(status: 200, body: bundle.data())
        case "/study/consent": return .init(status: 200, body: consents)
        case "/deliveries":
            let page = DeliveriesPage(
                deliveries: request.url.query == nil ? deliveries : [], next: "\(deliveries.count)", epoch: 1)
            return .init(status: 200, body: try encoder.encode(page))
        default:
            let opened = try OpenedEnvelope.open(request.body ?? Data(), with: KeySet([key]))
            received.append((request.url.lastPathComponent, try JSON(opened.payload)))
            let submissionID = opened.submissionID ?? ""
            let isRefused = request.url.lastPathComponent == "Observation"
            deliveries.append(
                .init(
                    submission: submissionID, status: isRefused ? "refused" : "stored", at: "2026-01-01T00:00:00Z",
                    reason: isRefused ? "withdrawn" : nil))
            return .init(status: 200, body: try encoder.encode(SubmissionAcknowledgement(submission: submissionID)))
        }
    }

    private static let formText = """
        {"resourceType": "Questionnaire", "id": "sleep", "url": "https://example.org/sleep-form", "title": "Sleep",
         "status": "active", "item": [
          {"linkId": "night", "type": "group", "text": "The night", "item": [
            {"linkId": "hours", "type": "decimal", "text": "Hours"},
            {"linkId": "quality", "type": "choice", "text": "Quality", "answerOption": [
              {"valueCoding": {"system": "https://example.org/sleep", "code": "good", "display": "Good"}}]}]}]}
        """

    static func form() throws -> Questionnaire {
        Questionnaire(try #require(try JSON(parsing: formText).object))
    }

    /// Returns an enrolled phone, its folder, and the study with a connection to it.
    static func device() throws -> (folder: URL, store: DeviceStore, study: MemoryStudy, connection: StudyConnection) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")
        let key = try PrivateKey.generateP256()
        let store = try DeviceStore.open(folder, secrets: FileSecrets(folder: folder))
        try store.save(
            Enrolment(
                baseURL: "https://study.example", clientID: "c", clientSecret: "s", antispam: "w",
                jwks: String(decoding: PublicKey.jwks([key.publicKey], study: "s"), as: UTF8.self)))
        let study = MemoryStudy(key)
        return (folder, store, study, StudyConnection(enrolment: try store.enrolment(), transport: study))
    }
}
