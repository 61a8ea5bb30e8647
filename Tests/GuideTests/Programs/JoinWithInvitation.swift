import Foundation
import Outbox

/// Enrols this device with an invitation code of the study team and returns its store.
func join(folder: URL, url: String, antispam: String, invitation: String, root: String?) async throws -> DeviceStore {
    let store = try DeviceStore.open(folder)
    let enrolment = try await StudyConnection.enrol(
        url: url, antispam: antispam, invitation: invitation, installation: store.installationSecret(), root: root)
    try store.save(enrolment)
    return store
}
