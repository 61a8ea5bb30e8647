import Outbox

#if canImport(HealthKit)
    import HealthKit
    import HealthKitAdapter
    import HealthSync
#endif

/// Follows HealthKit for the study.
actor HealthFollower {
    private let device: StudyDevice
    #if canImport(HealthKit)
        private var running: StudyHealthSync?
    #endif

    init(_ device: StudyDevice) { self.device = device }

    /// Starts, unless it runs. Returns whether HealthKit is followed: false on systems without it.
    func start() async throws -> Bool {
        #if canImport(HealthKit)
            guard let participant = device.participant else { throw StudyAppError.participantMissing }
            if running == nil {
                let started = try await HealthSynchronizer.study(device.store, participant: participant, version: "1.0")
                running = started
                _ = await started.synchronizer.run()
            }
            return true
        #else
            return false
        #endif
    }
}
