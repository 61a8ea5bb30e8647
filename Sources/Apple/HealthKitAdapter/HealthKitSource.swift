#if canImport(HealthKit)
    import FHIR
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    /// HealthKit as a source of health data (``HealthSync/HealthSampleSource``).
    ///
    /// ```swift
    /// let source = HealthKitSource(HKHealthStore(), selection: study.selection(naming: inclusions))
    /// try await source.requestAuthorization(for: permissions)
    /// let synchronizer = HealthSynchronizer(source: source, storage: folder, settings: settings)
    /// ```
    /// Names of people and devices stay on the phone, as with exports. A sample becomes the same resource as in an
    /// export: values have the person's preferred unit, which is also the unit of exports.
    public actor HealthKitSource: HealthSampleSource {
        private let store: HKHealthStore
        private let table: HealthTypeTable
        private let reader: SampleReader
        private let summaries: ActivitySummaryReader
        private var observers: [(type: HKSampleType, query: HKObserverQuery)] = []

        /// Creates a source.
        ///
        /// - Parameters:
        ///   - selection: the available types, and the conversion of DSTU2 clinical records.
        ///   - zone: the person's time zone, for samples that do not name their own.
        ///   - clock: returns the current time, which decides whether the day of a summary is past.
        public init(
            _ store: HKHealthStore, selection: HealthSelection = HealthSelection(),
            zone: TimeZone = .autoupdatingCurrent, clock: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.store = store
            table = selection.table
            reader = SampleReader(
                store: store, table: selection.table, convertDSTU2: selection.convertDSTU2, zone: zone)
            summaries = ActivitySummaryReader(store: store, zone: zone, clock: clock)
        }

        /// Requests read access for the types to synchronize. HealthKit does not report whether reading was denied.
        ///
        /// HealthKit accepts neither correlations nor prescriptions here: for a correlation its members are requested;
        /// the person selects single prescriptions in the system's own sheet.
        ///
        /// - Throws: ``HealthSync/HealthSourceError``.
        public func requestAuthorization(for permissions: HealthPermissions) async throws {
            guard HKHealthStore.isHealthDataAvailable() else { throw HealthSourceError(.unavailable) }
            let types = Set(
                permissions.read.compactMap { HealthKitTypes.type($0, in: table) }
                    .filter { !($0 is HKCorrelationType) && !$0.requiresPerObjectAuthorization() })
            guard !types.isEmpty else { return }
            let problem: HealthSourceError? = await withCheckedContinuation { continuation in
                store.requestAuthorization(toShare: [], read: types) { isAsked, error in
                    continuation.resume(
                        returning: error.map { HealthSourceError($0) } ?? (isAsked ? nil : HealthSourceError(.failed)))
                }
            }
            if let problem { throw problem }
        }

        private func type(_ identifier: String) throws -> HKSampleType {
            guard HKHealthStore.isHealthDataAvailable() else { throw HealthSourceError(.unavailable) }
            guard let type = HealthKitTypes.sampleType(identifier, in: table) else {
                throw HealthSourceError(.typeUnknown)
            }
            return type
        }

        private func isSummary(_ identifier: String) -> Bool { table.type(identifier)?.kind == .activitySummary }

        // MARK: - HealthSampleSource

        public func position(of type: String) async throws -> HealthAnchor? {
            guard !isSummary(type) else { return try await failing { try await self.summaries.position() } }
            let type = try self.type(type)
            let anchor = try await failing {
                // No sample starts in the far future, but the anchor is still the one after all present samples.
                let nothing = HKQuery.predicateForSamples(
                    withStart: .distantFuture, end: nil, options: .strictStartDate)
                return try await self.store.changes(type, after: nil, limit: 1, matching: nothing).anchor
            }
            return try anchor.map(Self.archived)
        }

        public func changes(
            of type: String, after anchor: HealthAnchor?, limit: Int
        ) async throws -> HealthChanges {
            guard !isSummary(type) else {
                return try await failing { try await self.summaries.changes(after: anchor, limit: max(1, limit)) }
            }
            let type = try self.type(type)
            let start = try anchor.map(Self.unarchived)
            // A limit of 0 would mean no limit.
            let queryLimit = max(1, limit)
            let found = try await failing { try await self.store.changes(type, after: start, limit: queryLimit) }
            return HealthChanges(
                deleted: found.deleted.map(\.uuid), added: try await reader.readings(found.added),
                anchor: try found.anchor.map(Self.archived) ?? anchor,
                hasMore: found.added.count + found.deleted.count >= queryLimit)
        }

        public func history(of type: String, since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage {
            guard !isSummary(type) else {
                return try await failing {
                    try await self.summaries.history(since: since, upTo: upTo, limit: max(1, limit))
                }
            }
            let type = try self.type(type)
            let queryLimit = max(1, limit)
            // By their ends, including `upTo`; HealthKit excludes its bound.
            let predicate = HKQuery.predicateForSamples(
                withStart: since.map { Date(timeIntervalSince1970: $0) },
                end: upTo.map { Date(timeIntervalSince1970: $0.nextUp) }, options: .strictEndDate)
            let descriptor = HKSampleQueryDescriptor(
                predicates: [.sample(type: type, predicate: predicate)],
                sortDescriptors: [SortDescriptor(\HKSample.endDate, order: .reverse)], limit: queryLimit)
            let samples = try await failing { try await descriptor.result(for: self.store) }
            return HealthPage(try await reader.readings(samples), hasMore: samples.count >= queryLimit)
        }

        public func samples(of type: String, _ uuids: [UUID]) async throws -> [HealthReading] {
            guard !uuids.isEmpty else { return [] }
            guard !isSummary(type) else { return try await failing { try await self.summaries.readings(of: uuids) } }
            let type = try self.type(type)
            let descriptor = HKSampleQueryDescriptor(
                predicates: [.sample(type: type, predicate: HKQuery.predicateForObjects(with: Set(uuids)))],
                sortDescriptors: [], limit: uuids.count)
            let samples = try await failing { try await descriptor.result(for: self.store) }
            return try await reader.readings(samples)
        }

        public func startObserving(
            _ types: [String], _ wake: @escaping @Sendable (ObserverUpdate) -> Void
        ) async -> [String: HealthSourceError] {
            await stopObserving()
            var failures: [String: HealthSourceError] = [:]
            for identifier in types {
                guard let type = try? self.type(identifier), !(type is HKCorrelationType) else {
                    failures[identifier] = HealthSourceError(.typeUnknown)
                    continue
                }
                if let failure = await store.enableDelivery(type) { failures[identifier] = failure }
                // A query runs once, so each start makes new queries.
                let query = HKObserverQuery(sampleType: type, predicate: nil) { _, complete, error in
                    wake(
                        ObserverUpdate(
                            types: [identifier], failure: error.map { HealthSourceError($0) }, complete: { complete() })
                    )
                }
                observers.append((type, query))
                store.execute(query)
            }
            return failures
        }

        public func stopObserving() async {
            let ended = observers
            observers = []
            for observer in ended { store.stop(observer.query) }
            for observer in ended { await store.disableDelivery(observer.type) }
        }

        // MARK: - Errors and anchors

        /// Converts errors of HealthKit.
        private nonisolated func failing<Value: Sendable>(
            _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            do { return try await body() } catch is CancellationError { throw CancellationError() } catch {
                throw HealthSourceError(error)
            }
        }

        private static func archived(_ anchor: HKQueryAnchor) throws -> HealthAnchor {
            HealthAnchor(try NSKeyedArchiver.archivedData(withRootObject: anchor, requiringSecureCoding: true))
        }

        private static func unarchived(_ anchor: HealthAnchor) throws -> HKQueryAnchor {
            let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: Data(anchor.bytes))
            guard let result = read ?? nil else { throw HealthSourceError(.anchorInvalid) }
            return result
        }
    }
#endif
