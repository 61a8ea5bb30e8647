#if canImport(HealthKit)
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    extension HKHealthStore {
        /// Returns the results of a query as they arrive. The query stops when the stream ends.
        func answers<Element: Sendable>(
            of make: (AsyncThrowingStream<Element, any Error>.Continuation) -> HKQuery
        ) -> AsyncThrowingStream<Element, any Error> {
            let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream()
            let query = make(continuation)
            continuation.onTermination = { [self] _ in stop(query) }
            execute(query)
            return stream
        }

        /// Returns the first result of a query.
        ///
        /// - Throws: the error of the query; `CancellationError`.
        func answer<Element: Sendable>(
            of make: (AsyncThrowingStream<Element, any Error>.Continuation) -> HKQuery
        ) async throws -> Element {
            for try await element in answers(of: make) { return element }
            throw CancellationError()
        }

        /// Returns the changes after an anchor.
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

        /// Enables background delivery for a type. Returns nil on success.
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

        /// Returns the person's preferred units, by types. If they are not available, the result is empty, which is no
        /// error.
        func units(of types: Set<HKQuantityType>) async -> [HKQuantityType: HKUnit] {
            guard !types.isEmpty else { return [:] }
            return await withCheckedContinuation { continuation in
                preferredUnits(for: types) { units, error in continuation.resume(returning: error == nil ? units : [:])
                }
            }
        }
    }

    /// The result of an anchored query.
    private struct AnchoredAnswer: Sendable {
        let added: [HKSample]
        let deleted: [HKDeletedObject]
        let anchor: HKQueryAnchor?
    }

    extension HealthSourceError {
        /// Creates the error for an error of HealthKit.
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
