import Attachments
import FHIR
import Foundation
import HealthStores
import InformedConsent
import Outbox

/// A device of the command line: its store, whom it speaks for, and how it queues what it has to say.
struct DeviceSession {
    /// Whom the device speaks for; written when the consent is signed.
    struct Profile: Codable {
        let participant: String
        let contract: String
        /// The template that was signed, `url|version`; nil where it has no url, or an earlier version wrote this.
        var template: String?
        let signedAt: Date
        /// The kinds of health data that the consent names; nil where it was signed with an earlier version, which
        /// named nothing.
        var includedHealthData: [String]?
        /// When the consent was taken back; nil while it stands.
        var withdrawnAt: Date?
    }

    let store: DeviceStore
    private(set) var enrolment: Enrolment

    /// Opens the store of an enrolled device.
    init(path: String) throws {
        let url = URL(fileURLWithPath: path, isDirectory: true)
        // Opening makes the folder; a typing error in a path should not.
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CommandError("device-not-enrolled", "There is no device in \(path); enrol it with `device enrol`.")
        }
        store = try Self.store(in: url)
        enrolment = try store.enrolment()
    }

    /// The store in a folder. A device of the command line has its secrets there too, so that the folder is the whole of it.
    static func store(in folder: URL) throws -> DeviceStore {
        try DeviceStore.open(folder, secrets: FileSecrets(folder: folder))
    }

    /// The conversation with the study's server, which trusts the private authority that the enrolment names.
    func connection() throws -> StudyConnection {
        StudyConnection(enrolment: enrolment, transport: try Self.transport(enrolment.certificateAuthority))
    }

    /// A transport that trusts the system's authorities, and a private one.
    ///
    /// - Throws: ``CommandError`` `certificate-authority-invalid`.
    static func transport(_ authority: String?) throws -> any Transport {
        try authority.map { try AuthorityTransport(authority: $0) } ?? URLSessionTransport()
    }

    /// The versions of the study's consent that may be signed.
    func publishedConsents() async throws -> PublishedConsents {
        let published = try await connection().publishedConsents()
        guard let bundle = try Resource(published).as(FHIR.Bundle.self) else {
            throw CommandError("consent-unreadable", "The study's list of consents cannot be read.")
        }
        return PublishedConsents(bundle)
    }

    /// The same device with the keys that the study publishes now. Throws where they cannot be had or are not the study's:
    /// then the device keeps those that it has.
    func renewed() async throws -> DeviceSession {
        var session = self
        session.enrolment = try await connection().refreshedEnrolment()
        try store.save(session.enrolment)
        return session
    }

    func profile() throws -> Profile {
        guard let profile = try store.value(Profile.self, named: Self.profileName) else {
            throw CommandError("consent-required", "Sign the study's consent first, with `device consent`.")
        }
        return profile
    }

    /// What the study has this device follow, as it was last told.
    var followedHealthData: StudyHealthData { StudyHealthData(of: store) }

    /// Asks the study what to follow. Where that cannot be had the device goes on with what it knows.
    func refreshFollowedHealthData(_ connection: StudyConnection) async {
        do {
            if try await StudyHealthData.refresh(in: store, from: connection) {
                CommandOutput.note("The study says anew which health data are followed.")
            }
        } catch {
            let code = (error as? any CodedError)?.code ?? "failed"
            CommandOutput.note("What the study has devices follow could not be had (\(code)).")
        }
    }

    func save(_ profile: Profile) throws { try store.save(profile, named: Self.profileName) }

    /// Cleans the attachments of one resource, signs and seals it, and queues it.
    ///
    /// - Returns: the submission's id.
    @discardableResult
    func queue(_ resource: Resource, attachments: AttachmentCleaning = AttachmentCleaning()) throws -> String {
        try store.queue(resource, attachments: attachments).submissionID
    }

    /// Signs and seals several resources, one a line, and queues them as one submission.
    @discardableResult
    func queue(lines: Data, kind: String) throws -> String {
        try store.queue(lines, kind: kind, as: .batch).submissionID
    }

    private static let profileName = "participant.json"
}
