import FHIR
import Foundation
import MotionAdapter
import Outbox

/// Queues the minutes of walking, running, cycling, driving, rest and sleep of the days that are not sent yet.
func queueMotion(after last: Date?, participant: String, store: DeviceStore) async throws -> Date? {
    var end = last
    for day in try await MotionReader().days(since: last) {
        try store.queue(day.observations(subject: participant, in: .current))
        end = day.end
    }
    return end
}
