#if canImport(HealthKit)
    import FHIR
    import Foundation
    import HealthData
    import HealthKit
    import HealthStores
    import HealthSync
    import Outbox

    /// A running synchronization of HealthKit with a study, and its parts.
    ///
    /// ```swift
    /// let health = try await HealthSynchronizer.study(store, participant: participant, version: "2.1")
    /// let report = await health.synchronizer.run()
    /// ```
    public struct StudyHealthSync: Sendable {
        /// The synchronizer. It has one store, named `outbox`; an app may add others.
        public let synchronizer: HealthSynchronizer
        /// HealthKit as the source.
        public let source: HealthKitSource
        /// The store that feeds the outbox.
        public let outbox: OutboxHealthStore
        /// The data that the study collects.
        public let collected: StudyHealthData
        /// The collected types, by HealthKit's identifiers.
        public let types: Set<String>
        /// The files with the progress.
        public let progress: HealthSyncFolder
    }

    extension HealthSynchronizer {
        /// Synchronizes HealthKit with the outbox, for the data that the study collects. Call it at each launch, before
        /// any other work of the app; it observes HealthKit from then on, also in the background.
        ///
        /// ```swift
        /// let health = try await HealthSynchronizer.study(
        ///     store, participant: participant, inclusions: inclusions, version: "2.1")
        /// ```
        /// The progress is kept in the folder `health-sync` of the store. Without it, all data are offered again; the
        /// study stores them once.
        ///
        /// - Parameters:
        ///   - store: the device's store, with its outbox.
        ///   - participant: the id of the participant's Patient.
        ///   - inclusions: the data that the signed Contract releases by name.
        ///   - version: the version of the app. With another version, samples that could not be converted are offered
        ///     again.
        ///   - health: HealthKit's store.
        ///   - asks: whether the person is asked for read access. HealthKit shows its sheet only for types that it has
        ///     not asked about.
        /// - Returns: the running synchronizer and its parts.
        /// - Throws: ``HealthSync/HealthSourceError`` if HealthKit is not available or access cannot be requested;
        ///   storage errors of the outbox. Then nothing is observed.
        public static func study(
            _ store: DeviceStore, participant: String, inclusions: Set<HealthSelection.Inclusion> = [],
            version: String, health: HKHealthStore = HKHealthStore(), asksForAccess asks: Bool = true
        ) async throws -> StudyHealthSync {
            let collected = StudyHealthData(of: store)
            var selection = collected.selection(naming: inclusions)
            selection.subject = participant
            let source = HealthKitSource(health, selection: selection)
            let types = Set(collected.followed.types ?? collected.table.all.map(\.identifier))
            if asks { try await source.requestAuthorization(for: HealthPermissions(for: types, in: collected.table)) }
            let progress = HealthSyncFolder(store.folder.appendingPathComponent("health-sync"))
            let synchronizer = HealthSynchronizer(
                source: source, storage: progress,
                settings: HealthSyncSettings(
                    selection: selection, version: "app \(version), \(collected.version)",
                    lookBackDays: collected.followed.lookBackDays))
            let outbox = try OutboxHealthStore(store, subject: participant)
            await synchronizer.add(outbox, named: "outbox", types: types)
            await synchronizer.start()
            return StudyHealthSync(
                synchronizer: synchronizer, source: source, outbox: outbox, collected: collected, types: types,
                progress: progress)
        }
    }
#endif
