import FHIR
import HealthKit
import HealthKitAdapter
import Outbox

/// Queues one sample of HealthKit as an Observation.
func queueSample(_ sample: HKSample, participant: String, store: DeviceStore) async throws {
    let reading = try await sample.observation(subject: participant, in: HKHealthStore())
    try store.queue(reading)
}
