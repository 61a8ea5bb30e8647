import Foundation
import Outbox

/// Enrols this phone in a study and returns its store.
func join(folder: URL, url: String, antispam: String, receipt: String, root: String?) async throws -> DeviceStore {
    let store = try DeviceStore.open(folder)
    let enrolment = try await StudyConnection.enrol(url: url, antispam: antispam, receipt: receipt, root: root)
    try store.save(enrolment)
    return store
}
