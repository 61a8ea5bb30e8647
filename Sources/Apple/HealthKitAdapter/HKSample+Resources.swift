#if canImport(HealthKit)
    import FHIR
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    extension HKSample {
        /// Returns the sample as an Observation, with the id and the content that a synchronization gives it.
        ///
        /// ```swift
        /// let reading = try await sample.observation(subject: participant, in: HKHealthStore())
        /// try store.queue(reading)
        /// ```
        /// Names of people and devices stay on the phone. Routes, heartbeats and clinical records are converted only if
        /// the selection includes them.
        ///
        /// - Parameters:
        ///   - subject: the id of the participant's Patient.
        ///   - store: the store of the sample. Its preferred units and the parts of a sample are read from it.
        ///   - selection: the table of types, the units and the included data.
        ///   - zone: the person's time zone, for a sample that does not name its own.
        /// - Throws: ``HealthData/SkipReason`` for a sample that cannot be converted, such as `unsupported-type` for a
        ///   type without an entry in the table; ``HealthKitSampleError`` `sample-not-an-observation` for a clinical
        ///   record of another type; ``HealthSync/HealthSourceError`` if the phone is locked; `CancellationError`.
        public func observation(
            subject: String, in store: HKHealthStore, selection: HealthSelection = HealthSelection(),
            zone: TimeZone = .autoupdatingCurrent
        ) async throws -> Observation {
            let resources = try await outgoing(subject: subject, in: store, selection: selection, zone: zone).resources
            guard let observation = resources.lazy.compactMap({ $0.object.flatMap { Observation(Resource($0)) } }).first
            else { throw HealthKitSampleError.notAnObservation }
            return observation
        }

        /// Returns the resources of the sample in the order in which they are sent: the Device that measured it, if it
        /// is known, then the resource or the resources of the sample itself.
        ///
        /// ```swift
        /// for resource in try await record.resources(subject: participant, in: HKHealthStore()) {
        ///     try store.queue(resource)
        /// }
        /// ```
        /// The parameters are those of ``observation(subject:in:selection:zone:)``.
        ///
        /// - Throws: as for ``observation(subject:in:selection:zone:)``, for resources of any type.
        public func resources(
            subject: String, in store: HKHealthStore, selection: HealthSelection = HealthSelection(),
            zone: TimeZone = .autoupdatingCurrent
        ) async throws -> [Resource] {
            let sample = try await outgoing(subject: subject, in: store, selection: selection, zone: zone)
            let device = sample.device.map { $0.resource(subject: subject) }
            return ([device].compactMap { $0 } + sample.resources).compactMap { $0.object.map { Resource($0) } }
        }

        private func outgoing(
            subject: String, in store: HKHealthStore, selection: HealthSelection, zone: TimeZone
        ) async throws -> OutgoingSample {
            let reader = SampleReader(
                store: store, table: selection.table, convertDSTU2: selection.convertDSTU2, zone: zone)
            var selection = selection
            selection.subject = subject
            guard let reading = try await reader.readings([self]).first else { throw SkipReason.valueMissing }
            return try reading.outgoing(of: sampleType.identifier, in: selection)
        }
    }

    /// The reason why a sample is not the resource that was asked for.
    ///
    /// ```swift
    /// catch HealthKitSampleError.notAnObservation { resources = try await sample.resources(subject: id, in: health) }
    /// ```
    public enum HealthKitSampleError: CodedError, Hashable {
        /// The sample is a clinical record or a prescription, which has a resource of another type.
        case notAnObservation

        /// The stable code.
        public var code: String { "sample-not-an-observation" }
        /// A sentence with the remedy.
        public var message: String { "The sample is a resource of another type: use resources(subject:in:)." }
    }
#endif
