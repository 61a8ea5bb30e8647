#if canImport(HealthKit)
    import FHIR
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    /// Reads HealthKit's samples: the content of the object itself, and data that need further queries.
    struct SampleReader: Sendable {
        let store: HKHealthStore
        let table: HealthTypeTable
        let convertDSTU2: (@Sendable (JSON) -> JSON?)?
        let zone: TimeZone

        /// Returns the samples as readings, in order. An unreadable sample has the reason.
        ///
        /// - Throws: ``HealthSync/HealthSourceError`` `health-source-locked` if the phone was locked meanwhile; then
        ///   all samples are read again; `CancellationError`.
        func readings(_ samples: [HKSample]) async throws -> [HealthReading] {
            let units = await units(of: samples)
            let medications = await medications(of: samples)
            var readings: [HealthReading] = []
            readings.reserveCapacity(samples.count)
            var zones = TimeZoneOffsets()
            for sample in samples {
                let content = try await content(of: sample, units: units, medications: medications, zones: &zones)
                readings.append(
                    HealthReading(uuid: sample.uuid, end: sample.endDate.timeIntervalSince1970, content))
            }
            return readings
        }

        /// Returns the person's preferred units of the types in the samples.
        private func units(of samples: [HKSample]) async -> SeenUnits {
            var types: Set<HKQuantityType> = []
            for sample in samples {
                switch sample {
                case let quantity as HKQuantitySample: types.insert(quantity.quantityType)
                case let correlation as HKCorrelation:
                    for case let member as HKQuantitySample in correlation.objects { types.insert(member.quantityType) }
                case let workout as HKWorkout:
                    types.formUnion(workout.allStatistics.keys)
                    for activity in workout.workoutActivities { types.formUnion(activity.allStatistics.keys) }
                default: continue
                }
            }
            return SeenUnits(await store.units(of: types), table)
        }

        private func content(
            of sample: HKSample, units: SeenUnits, medications: [AnyHashable: MedicationConcept],
            zones: inout TimeZoneOffsets
        ) async throws -> HealthReading.Content {
            if let special = try await special(sample, medications) {
                return special
            }
            do throws(SkipReason) {
                return .sample(try raw(sample, units).sample(in: table, &zones))
            } catch {
                return .unreadable(error)
            }
        }

        /// Returns the sample with HealthKit's own values.
        private func raw(_ sample: HKSample, _ units: SeenUnits) throws(SkipReason) -> HealthKitSample {
            var raw = HealthKitSample(
                uuid: sample.uuid, type: sample.sampleType.identifier, start: instant(sample.startDate),
                end: instant(sample.endDate), source: source(of: sample))
            raw.metadata = MetadataText.texts(of: sample.metadata)
            switch sample {
            case let quantity as HKQuantitySample:
                (raw.value, raw.unit) = try units.text(of: quantity.quantity, as: quantity.quantityType)
            case let category as HKCategorySample: raw.value = String(category.value)
            case let correlation as HKCorrelation:
                for member in correlation.objects.sorted(by: { $0.uuid.uuidString < $1.uuid.uuidString }) {
                    // An unreadable member is dropped with its part of the value.
                    if let member = try? self.raw(member, units) { raw.members.append(member) }
                }
            case let workout as HKWorkout: add(workout, units, to: &raw)
            default: throw .unsupportedType
            }
            return raw
        }

        // MARK: - Common properties

        func instant(_ date: Date) -> HealthInstant {
            HealthInstant(date, offsetMinutes: zone.secondsFromGMT(for: date) / 60)
        }

        /// Returns the source of a sample: the product and its version. Names stay on the phone.
        func source(of sample: HKObject) -> HealthSource {
            HealthSource(
                name: sample.sourceRevision.source.name, productType: sample.device?.hardwareVersion,
                version: sample.sourceRevision.version ?? "")
        }

        func origin(of sample: HKObject) -> SpecialOrigin {
            let entered = (sample.metadata?["HKWasUserEntered"] as? NSNumber)?.boolValue
            return SpecialOrigin(source: source(of: sample), uuid: sample.uuid, wasUserEntered: entered)
        }
    }

    /// The units of values: the person's preferred ones, as in exports, otherwise those of the table.
    struct SeenUnits: Sendable {
        private let seen: [HKQuantityType: HKUnit]
        private let table: HealthTypeTable

        init(_ seen: [HKQuantityType: HKUnit], _ table: HealthTypeTable) {
            self.seen = seen
            self.table = table
        }

        /// Returns a value with the digits of exports, and its unit.
        func text(of quantity: HKQuantity, as type: HKQuantityType) throws(SkipReason) -> (value: String, unit: String)
        {
            guard let measure = table.type(type.identifier)?.measure else { throw .unsupportedType }
            var names = [measure.healthKitUnit.text]
            if let own = seen[type]?.unitString { names.insert(own, at: 0) }
            for name in names {
                // HealthKit raises an exception for a text that is not a unit, and for an incompatible unit.
                guard (try? HealthKitUnit(name)) != nil else { continue }
                let unit = HKUnit(from: name)
                guard quantity.is(compatibleWith: unit) else { continue }
                let value = quantity.doubleValue(for: unit)
                guard value.isFinite else { throw .valueOutOfRange }
                return (ExactDecimal.text(value), name)
            }
            throw .unknownUnit
        }
    }

    /// Metadata in the format of exports: `1`, `56 degF`.
    enum MetadataText {
        static func texts(of metadata: [String: Any]?) -> [String: String] {
            var texts: [String: String] = [:]
            for (key, value) in (metadata ?? [:]).sorted(by: { $0.key < $1.key }).prefix(100) {
                texts[key] = text(of: value)
            }
            return texts
        }

        private static func text(of value: Any) -> String? {
            switch value {
            case let text as String: return text
            case let flag as Bool: return flag ? "1" : "0"
            case let number as Int: return String(number)
            case let number as NSNumber: return ExactDecimal.text(number.doubleValue)
            case let quantity as HKQuantity:
                for name in units {
                    let unit = HKUnit(from: name)
                    if quantity.is(compatibleWith: unit) {
                        return "\(ExactDecimal.text(quantity.doubleValue(for: unit))) \(name)"
                    }
                }
                return nil
            default: return nil
            }
        }

        /// The units of quantities in metadata, in the order of attempts.
        private static let units = [
            "degF", "%", "cm", "m/s", "count/min", "kcal/hr·kg", "mL/min·kg", "mmHg", "dBASPL", "s", "lx", "kcal", "g",
            "W",
        ]
    }
#endif
