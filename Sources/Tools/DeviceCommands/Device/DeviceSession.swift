import Attachments
import DeviceSystem
import FHIR
import Foundation
import HealthStores
import InformedConsent
import Outbox

/// A device of the command line: its store, its participant, and its ways to queue data.
package struct DeviceSession {
    /// The participant of the device; written when the consent is signed.
    package struct Profile: Codable {
        /// The id of the participant's Patient.
        package let participant: String
        let contract: String
        /// The signed template, `url|version`; nil if it has no url, or an earlier version wrote this file.
        var template: String?
        let signedAt: Date
        /// The kinds of health data that the consent names; nil if it was signed with an earlier version, which named
        /// none.
        var includedHealthData: [String]?
        /// The time of the withdrawal; nil while the consent is in force.
        var withdrawnAt: Date?
    }

    package let store: DeviceStore
    package private(set) var enrolment: Enrolment

    /// Opens the store of an enrolled device.
    package init(path: String) throws {
        let url = URL(fileURLWithPath: path, isDirectory: true)
        // Opening would create the folder, which a mistyped path should not.
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CommandError("device-not-enrolled", "There is no device in \(path); enrol it with `device enrol`.")
        }
        store = try Self.store(in: url)
        enrolment = try store.enrolment()
    }

    /// Returns the store in a folder. A device of the command line has its secrets there too, so that the folder is
    /// complete.
    package static func store(in folder: URL) throws -> DeviceStore {
        try DeviceStore.open(folder, secrets: FileSecrets(folder: folder))
    }

    /// Returns the connection to the study's server, which trusts the private authority of the enrolment.
    package func connection() throws -> StudyConnection {
        StudyConnection(enrolment: enrolment, transport: try Self.transport(enrolment.certificateAuthority))
    }

    /// Returns a transport that trusts the system's authorities, and a private one.
    ///
    /// - Throws: ``CommandError`` `certificate-authority-invalid`.
    static func transport(_ authority: String?) throws -> any Transport {
        try authority.map { try AuthorityTransport(authority: $0) } ?? URLSessionTransport()
    }

    /// Returns the versions of the study's consent that may be signed.
    func publishedConsents() async throws -> PublishedConsents {
        let published = try await connection().publishedConsents()
        guard let bundle = try Resource(published).as(FHIR.Bundle.self) else {
            throw CommandError("consent-unreadable", "The study's list of consents cannot be read.")
        }
        return PublishedConsents(bundle)
    }

    /// Returns the device with the study's present keys. Throws if they cannot be fetched or verified. Then the device
    /// keeps its keys.
    func renewed() async throws -> DeviceSession {
        var session = self
        session.enrolment = try await connection().refreshedEnrolment()
        try store.save(session.enrolment)
        return session
    }

    package func profile() throws -> Profile {
        guard let profile = try store.value(Profile.self, named: Self.profileName) else {
            throw CommandError("consent-required", "Sign the study's consent first, with `device consent`.")
        }
        return profile
    }

    /// The study's health data settings, as last fetched.
    var followedHealthData: StudyHealthData { StudyHealthData(of: store) }

    /// Fetches the study's health data settings. If that fails, the device continues with the known ones.
    func refreshFollowedHealthData(_ connection: StudyConnection) async {
        do {
            if try await StudyHealthData.refresh(in: store, from: connection) {
                CommandOutput.note("Fetched the settings of the health data that the study follows.")
            }
        } catch {
            let code = (error as? any CodedError)?.code ?? "failed"
            CommandOutput.note("The study's health data settings could not be fetched (\(code)).")
        }
    }

    package func save(_ profile: Profile) throws { try store.save(profile, named: Self.profileName) }

    /// Cleans the attachments of one resource, signs and seals it, and queues it.
    ///
    /// - Returns: the submission's id.
    @discardableResult
    package func queue(_ resource: Resource, attachments: AttachmentCleaning = AttachmentCleaning()) throws -> String {
        try store.queue(resource, attachments: attachments).submissionID
    }

    /// Signs and seals several resources, one per line, and queues them as one submission.
    @discardableResult
    package func queue(lines: Data, kind: String) throws -> String {
        try store.queue(lines, kind: kind, as: .batch).submissionID
    }

    private static let profileName = "participant.json"
}
