import FHIR
import Foundation
import Outbox

/// A device of the command line: its store, whom it speaks for, and how it queues what it has to say.
struct DeviceSession {
    /// Whom the device speaks for; written when the consent is signed.
    struct Profile: Codable {
        let participant: String
        let contract: String
        let signedAt: Date
        /// The kinds of health data that the consent names; nil where it was signed with an earlier version, which
        /// named nothing.
        var includedHealthData: [String]?
    }

    let store: DeviceStore
    let enrolment: Enrolment

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

    func profile() throws -> Profile {
        guard let profile = try store.value(Profile.self, named: Self.profileName) else {
            throw CommandError("consent-required", "Sign the study's consent first, with `device consent`.")
        }
        return profile
    }

    func save(_ profile: Profile) throws { try store.save(profile, named: Self.profileName) }

    /// Seals one resource and queues it.
    ///
    /// - Returns: the submission's id.
    @discardableResult
    func queue(_ resource: Resource) throws -> String {
        try store.outbox.queue(resource, sealedTo: enrolment.recipients()).submissionID
    }

    /// Seals several resources, one a line, and queues them as one submission.
    @discardableResult
    func queue(lines: Data, kind: String) throws -> String {
        try store.outbox.queue(lines, kind: kind, as: .batch, sealedTo: enrolment.recipients()).submissionID
    }

    private static let profileName = "participant.json"
}
