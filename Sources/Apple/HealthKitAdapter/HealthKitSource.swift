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
    /// let synchroniser = HealthSynchroniser(source: source, storage: folder, settings: settings)
    /// ```
    /// Names of people and devices stay on the phone, as with exports. A sample becomes the same resource that an export of it
    /// becomes: values are asked for in the unit that the person sees, which is the one that exports have.
    public actor HealthKitSource: HealthSampleSource {
        private let store: HKHealthStore
        private let table: HealthTypeTable
        private let reader: SampleReader
        private let summaries: ActivitySummaryReader
        private var observers: [(type: HKSampleType, query: HKObserverQuery)] = []

        /// A source.
        ///
        /// - Parameters:
        ///   - selection: the types that there are, and how DSTU2 of clinical records is converted.
        ///   - zone: the person's time zone, where a sample does not name its own.
        ///   - clock: the present, for what is a summary of a day that is over.
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

        /// Asks the person for the types that are synchronised. Whether reading was denied nobody is told.
        ///
        /// HealthKit takes neither correlations nor prescriptions here: of the first their members are asked for, of the second
        /// the person chooses single ones in the system's own sheet.
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
                // Nothing begins in the far future, and the anchor lies behind everything all the same.
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
            let place = try anchor.map(Self.unarchived)
            // A limit of 0 would be none.
            let most = max(1, limit)
            let found = try await failing { try await self.store.changes(type, after: place, limit: most) }
            return HealthChanges(
                deleted: found.deleted.map(\.uuid), added: try await reader.readings(found.added),
                anchor: try found.anchor.map(Self.archived) ?? anchor,
                hasMore: found.added.count + found.deleted.count >= most)
        }

        public func history(of type: String, since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage {
            guard !isSummary(type) else {
                return try await failing {
                    try await self.summaries.history(since: since, upTo: upTo, limit: max(1, limit))
                }
            }
            let type = try self.type(type)
            let most = max(1, limit)
            // By their ends, of which the last counts too; HealthKit's bound is not part of it.
            let predicate = HKQuery.predicateForSamples(
                withStart: since.map { Date(timeIntervalSince1970: $0) },
                end: upTo.map { Date(timeIntervalSince1970: $0.nextUp) }, options: .strictEndDate)
            let descriptor = HKSampleQueryDescriptor(
                predicates: [.sample(type: type, predicate: predicate)],
                sortDescriptors: [SortDescriptor(\HKSample.endDate, order: .reverse)], limit: most)
            let samples = try await failing { try await descriptor.result(for: self.store) }
            return HealthPage(try await reader.readings(samples), hasMore: samples.count >= most)
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
            _ types: [String], _ wake: @escaping @Sendable (HealthWake) -> Void
        ) async -> [String: HealthSourceError] {
            await stopObserving()
            var failures: [String: HealthSourceError] = [:]
            for identifier in types {
                guard let type = try? self.type(identifier), !(type is HKCorrelationType) else {
                    failures[identifier] = HealthSourceError(.typeUnknown)
                    continue
                }
                if let failure = await store.enableDelivery(type) { failures[identifier] = failure }
                // A query runs once: each start has queries of its own.
                let query = HKObserverQuery(sampleType: type, predicate: nil) { _, complete, error in
                    wake(
                        HealthWake(
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

        /// Names what HealthKit failed with.
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
            guard let place = read ?? nil else { throw HealthSourceError(.anchorInvalid) }
            return place
        }
    }
#endif
