#if canImport(HealthKit)
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    extension HKHealthStore {
        /// What a query tells, as it comes. Who stops listening stops the query.
        func answers<Element: Sendable>(
            of make: (AsyncThrowingStream<Element, any Error>.Continuation) -> HKQuery
        ) -> AsyncThrowingStream<Element, any Error> {
            let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
            let query = make(continuation)
            continuation.onTermination = { [self] _ in stop(query) }
            execute(query)
            return stream
        }

        /// The one answer of a query.
        ///
        /// - Throws: what the query failed with; `CancellationError`.
        func answer<Element: Sendable>(
            of make: (AsyncThrowingStream<Element, any Error>.Continuation) -> HKQuery
        ) async throws -> Element {
            for try await element in answers(of: make) { return element }
            throw CancellationError()
        }

        /// What changed behind an anchor.
        func changes(
            _ type: HKSampleType, after anchor: HKQueryAnchor?, limit: Int, matching predicate: NSPredicate? = nil
        ) async throws -> (added: [HKSample], deleted: [HKDeletedObject], anchor: HKQueryAnchor?) {
            let found: AnchoredAnswer = try await answer { continuation in
                HKAnchoredObjectQuery(type: type, predicate: predicate, anchor: anchor, limit: limit) {
                    _, samples, deleted, anchor, error in
                    if let error { return continuation.finish(throwing: error) }
                    continuation.yield(AnchoredAnswer(added: samples ?? [], deleted: deleted ?? [], anchor: anchor))
                    continuation.finish()
                }
            }
            return (found.added, found.deleted, found.anchor)
        }

        /// Whether the system wakes the app for a type; nil where it does.
        func enableDelivery(_ type: HKObjectType) async -> HealthSourceError? {
            await withCheckedContinuation { continuation in
                enableBackgroundDelivery(for: type, frequency: .immediate) { isEnabled, error in
                    continuation.resume(
                        returning: HealthSourceError.delivery(isEnabled, error.map { HealthSourceError($0) }))
                }
            }
        }

        func disableDelivery(_ type: HKObjectType) async {
            await withCheckedContinuation { continuation in
                disableBackgroundDelivery(for: type) { _, _ in continuation.resume() }
            }
        }

        /// The units that the person sees, by types. Where they cannot be had there are none: that is no fault.
        func units(of types: Set<HKQuantityType>) async -> [HKQuantityType: HKUnit] {
            guard !types.isEmpty else { return [:] }
            return await withCheckedContinuation { continuation in
                preferredUnits(for: types) { units, error in continuation.resume(returning: error == nil ? units : [:])
                }
            }
        }
    }

    /// What an anchored query answers.
    private struct AnchoredAnswer: Sendable {
        let added: [HKSample]
        let deleted: [HKDeletedObject]
        let anchor: HKQueryAnchor?
    }

    extension HealthSourceError {
        /// What an error of HealthKit means.
        init(_ error: any Error) {
            if let known = error as? HealthSourceError {
                self = known
                return
            }
            switch (error as? HKError)?.code {
            case .errorDatabaseInaccessible: self.init(.locked)
            case .errorAuthorizationNotDetermined: self.init(.notAuthorized)
            case .errorHealthDataUnavailable, .errorHealthDataRestricted: self.init(.unavailable)
            default: self.init(.failed)
            }
        }
    }
#endif
