import HealthData
import HealthKitAdapter
import HealthSync
import Outbox

/// Follows HealthKit for the study, in the foreground and in the background.
func followHealthKit(
    store: DeviceStore, participant: String, inclusions: Set<HealthSelection.Inclusion>
) async throws -> StudyHealthSync {
    try await HealthSynchronizer.study(store, participant: participant, inclusions: inclusions, version: "2.1")
}
