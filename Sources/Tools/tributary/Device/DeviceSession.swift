import FHIR
import Foundation
import Outbox
import Wire

/// A device of the command line: its store, whom it speaks for, and how it queues what it has to say.
struct DeviceSession {
    /// Whom the device speaks for; written when the consent is signed.
    struct Profile: Codable {
        let participant: String
        let contract: String
        let signedAt: Date
        /// What of health data the consent names; nil where it was signed with an earlier version, which named nothing.
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
        store = try DeviceStore.open(url)
        enrolment = try store.enrolment()
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
        try queue(resource.json.data(), kind: resource.resourceType, type: .resource)
    }

    /// Seals several resources, one a line, and queues them as one submission.
    @discardableResult
    func queue(lines: Data, kind: String) throws -> String { try queue(lines, kind: kind, type: .batch) }

    private func queue(_ payload: Data, kind: String, type: PayloadType) throws -> String {
        let sid = UUID().uuidString.lowercased()
        let recipients = try enrolment.recipients()
        try store.outbox.append(payload, kind: kind, sid: sid, contentType: type, to: recipients)
        return sid
    }

    private static let profileName = "participant.json"
}
