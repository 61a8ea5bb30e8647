#if canImport(HealthKit)
    import FHIR
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    #if canImport(CoreLocation)
        import CoreLocation
    #endif

    extension SampleReader {
        /// Returns the record of a sample with a structure of its own; nil for any other sample.
        ///
        /// - Parameter medications: the medications of samples that are doses.
        func special(
            _ sample: HKSample, _ medications: [AnyHashable: MedicationConcept]
        ) async throws -> HealthReading.Content? {
            do {
                switch sample {
                case let sample as HKElectrocardiogram: return made(try await electrocardiogram(sample))
                case let sample as HKHeartbeatSeriesSample: return made(try await heartbeats(sample))
                case let sample as HKWorkoutRoute: return made(try await route(sample))
                case let sample as HKClinicalRecord: return made(clinicalRecord(sample))
                case let sample as HKAudiogramSample: return made(audiogram(sample))
                case let sample as HKVisionPrescription: return made(prescription(sample))
                default: break
                }
                if #available(iOS 18, macOS 15, *) {
                    switch sample {
                    case let sample as HKStateOfMind: return made(stateOfMind(sample))
                    case let sample as HKGAD7Assessment:
                        return made(assessment(.gad7, sample: sample, answers: sample.answers.map(\.rawValue)))
                    case let sample as HKPHQ9Assessment:
                        return made(assessment(.phq9, sample: sample, answers: sample.answers.map(\.rawValue)))
                    default: break
                    }
                }
                #if compiler(>=6.2)
                    if #available(iOS 26, macOS 26, *), let sample = sample as? HKMedicationDoseEvent {
                        return made(dose(sample, of: medications[sample.medicationConceptIdentifier]))
                    }
                #endif
                return nil
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // A locked phone is no error of the sample: it is read again with all others.
                let failure = HealthSourceError(error)
                guard failure.reason != .locked else { throw failure }
                return .unreadable(.valueMissing)
            }
        }

        private func made(_ record: (any SpecialRecord)?) -> HealthReading.Content {
            record.map { .special($0) } ?? .unreadable(.valueMissing)
        }

        // MARK: - Further queries

        private func electrocardiogram(_ sample: HKElectrocardiogram) async throws -> Electrocardiogram? {
            guard let hertz = sample.samplingFrequency?.doubleValue(for: HKUnit(from: "Hz")), hertz.isFinite,
                let frequency = JSONNumber(text: ExactDecimal.text(hertz))
            else { return nil }
            let microvolt = HKUnit(from: "mcV")
            var series = SampledSeries()
            let voltages: AsyncThrowingStream<Double, any Error> = store.answers { continuation in
                HKElectrocardiogramQuery(sample) { _, result in
                    switch result {
                    case .measurement(let measurement):
                        let voltage = measurement.quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: microvolt)
                        continuation.yield(voltage ?? .nan)
                    case .done: continuation.finish()
                    case .error(let error): continuation.finish(throwing: error)
                    @unknown default: continuation.finish(throwing: HealthSourceError(.failed))
                    }
                }
            }
            // With the digits of exports.
            for try await voltage in voltages { series.append((voltage * 1000).rounded() / 1000) }
            let rate = sample.averageHeartRate?.doubleValue(for: HKUnit(from: "count/min"))
            return Electrocardiogram(
                start: instant(sample.startDate), samplingFrequency: frequency, voltages: .init(series),
                classification: Electrocardiogram.Classification(rawValue: sample.classification.rawValue),
                averageHeartRate: rate.flatMap { JSONNumber(text: ExactDecimal.text($0)) },
                symptoms: Electrocardiogram.SymptomsStatus(rawValue: sample.symptomsStatus.rawValue),
                origin: origin(of: sample))
        }

        private func heartbeats(_ sample: HKHeartbeatSeriesSample) async throws -> HeartbeatSeries? {
            let answers: AsyncThrowingStream<HeartbeatSeries.Beat, any Error> = store.answers { continuation in
                HKHeartbeatSeriesQuery(heartbeatSeries: sample) { _, time, isPrecededByGap, isDone, error in
                    if let error { return continuation.finish(throwing: error) }
                    continuation.yield(HeartbeatSeries.Beat(offset: time, isPrecededByGap: isPrecededByGap))
                    if isDone { continuation.finish() }
                }
            }
            var beats: [HeartbeatSeries.Beat] = []
            for try await beat in answers {
                beats.append(beat)
                guard beats.count <= HeartbeatSeries.maximumBeats else { return nil }
            }
            return HeartbeatSeries(start: instant(sample.startDate), beats: beats, origin: origin(of: sample))
        }

        private func route(_ sample: HKWorkoutRoute) async throws -> WorkoutRoute? {
            let answers: AsyncThrowingStream<[RouteTrack.Point], any Error> = store.answers { continuation in
                HKWorkoutRouteQuery(route: sample) { _, locations, isDone, error in
                    if let error { return continuation.finish(throwing: error) }
                    continuation.yield(
                        (locations ?? []).map { location in
                            func text(_ value: Double) -> String { ExactDecimal.text(value) }
                            return RouteTrack.Point(
                                time: Int64((location.timestamp.timeIntervalSince1970 * 1000).rounded()),
                                latitude: text(location.coordinate.latitude),
                                longitude: text(location.coordinate.longitude),
                                elevation: text(location.altitude), speed: text(location.speed),
                                course: text(location.course),
                                horizontalAccuracy: text(location.horizontalAccuracy),
                                verticalAccuracy: text(location.verticalAccuracy))
                        })
                    if isDone { continuation.finish() }
                }
            }
            var track = RouteTrack()
            for try await part in answers {
                for point in part { _ = track.add(point) }
            }
            return WorkoutRoute(
                track: track, detail: .locations, offsetMinutes: instant(sample.startDate).offsetMinutes,
                origin: origin(of: sample))
        }

        // MARK: - Properties of the sample

        private func clinicalRecord(_ sample: HKClinicalRecord) -> ClinicalRecord? {
            guard let resource = sample.fhirResource, let json = JSON(reading: resource.data) else { return nil }
            let record = ClinicalRecord(
                json, version: resource.fhirVersion.stringRepresentation, type: sample.clinicalType.identifier,
                url: resource.sourceURL?.absoluteString, received: instant(sample.startDate), origin: origin(of: sample)
            )
            guard let record, record.release == .dstu2, let converted = convertDSTU2?(record.fhir) else {
                return record
            }
            return record.converted(toR4: converted) ?? record
        }

        private func audiogram(_ sample: HKAudiogramSample) -> Audiogram? {
            var thresholds: [Audiogram.Threshold] = []
            for point in sample.sensitivityPoints {
                guard let frequency = figure(point.frequency, unit: "Hz", measure: .frequency) else { continue }
                for (ear, level) in [
                    (Audiogram.Ear.left, point.leftEarSensitivity), (.right, point.rightEarSensitivity),
                ] {
                    guard let level = level.flatMap({ figure($0, unit: "dBHL", measure: .hearingLevel) }) else {
                        continue
                    }
                    thresholds.append(Audiogram.Threshold(ear: ear, frequency: frequency, level: level))
                }
            }
            return Audiogram(
                start: instant(sample.startDate), end: instant(sample.endDate), thresholds: thresholds,
                origin: origin(of: sample))
        }

        private func prescription(_ sample: HKVisionPrescription) -> VisionPrescription? {
            let purpose: VisionPrescription.Purpose
            let (right, left): (HKLensSpecification?, HKLensSpecification?)
            switch sample {
            case let glasses as HKGlassesPrescription:
                (purpose, right, left) = (.glasses, glasses.rightEye, glasses.leftEye)
            case let contacts as HKContactsPrescription:
                (purpose, right, left) = (.contacts, contacts.rightEye, contacts.leftEye)
            default: return nil
            }
            return VisionPrescription(
                issued: .moment(instant(sample.dateIssued)),
                expires: sample.expirationDate.map { .moment(instant($0)) },
                purpose: purpose, right: lens(right), left: lens(left), origin: origin(of: sample))
        }

        private func lens(_ specification: HKLensSpecification?) -> VisionPrescription.Lens {
            var lens = VisionPrescription.Lens()
            guard let specification else { return lens }
            func set(_ property: VisionPrescription.Figure, to quantity: HKQuantity?, unit: String) {
                if let quantity { lens[property] = figure(quantity, unit: unit, measure: property.measure) }
            }
            set(.sphere, to: specification.sphere, unit: "D")
            set(.cylinder, to: specification.cylinder, unit: "D")
            set(.axis, to: specification.axis, unit: "deg")
            set(.addPower, to: specification.addPower, unit: "D")
            if let glasses = specification as? HKGlassesLensSpecification {
                set(.vertexDistance, to: glasses.vertexDistance, unit: "mm")
                set(.farPupillaryDistance, to: glasses.farPupillaryDistance, unit: "mm")
                set(.nearPupillaryDistance, to: glasses.nearPupillaryDistance, unit: "mm")
            }
            if let contacts = specification as? HKContactsLensSpecification {
                set(.baseCurve, to: contacts.baseCurve, unit: "mm")
                set(.diameter, to: contacts.diameter, unit: "mm")
            }
            return lens
        }

        @available(iOS 18, macOS 15, *)
        private func stateOfMind(_ sample: HKStateOfMind) -> StateOfMind? {
            guard let feeling = StateOfMind.Kind(rawValue: sample.kind.rawValue) else { return nil }
            return StateOfMind(
                start: instant(sample.startDate), feeling: feeling, valence: sample.valence,
                classification: StateOfMind.ValenceClassification(rawValue: sample.valenceClassification.rawValue),
                labels: sample.labels.map(\.rawValue), associations: sample.associations.map(\.rawValue),
                origin: origin(of: sample))
        }

        /// - Parameter answers: HealthKit's numbers, of which 4 means that the person prefers not to answer.
        private func assessment(_ form: Assessment.Form, sample: HKSample, answers: [Int]) -> Assessment? {
            Assessment(
                form: form, start: instant(sample.startDate), answers: answers.map { $0 == 4 ? nil : $0 },
                origin: origin(of: sample))
        }

        #if compiler(>=6.2)
            /// Returns a dose with the codes of its medication, if the person allows access to them.
            @available(iOS 26, macOS 26, *)
            private func dose(_ sample: HKMedicationDoseEvent, of medication: MedicationConcept?) -> MedicationDose? {
                guard let status = MedicationDose.LogStatus(rawValue: sample.logStatus.rawValue) else { return nil }
                func amount(_ value: Double?) -> SpecialQuantity? {
                    value.flatMap { MedicationDose.amount($0, unit: sample.unit.unitString) }
                }
                return MedicationDose(
                    start: instant(sample.startDate), end: instant(sample.endDate), status: status,
                    scheduleType: MedicationDose.ScheduleType(rawValue: sample.scheduleType.rawValue),
                    scheduled: sample.scheduledDate.map { instant($0) }, dose: amount(sample.doseQuantity),
                    scheduledDose: amount(sample.scheduledDoseQuantity),
                    medication: medication, origin: origin(of: sample))
            }
        #endif

        /// Returns the medications that the person allows to be read, by HealthKit's identifier. They are queried only
        /// if a sample is a dose.
        func medications(of samples: [HKSample]) async -> [AnyHashable: MedicationConcept] {
            var medications: [AnyHashable: MedicationConcept] = [:]
            #if compiler(>=6.2)
                guard #available(iOS 26, macOS 26, *), samples.contains(where: { $0 is HKMedicationDoseEvent }) else {
                    return medications
                }
                for known in (try? await HKUserAnnotatedMedicationQueryDescriptor().result(for: store)) ?? [] {
                    medications[known.medication.identifier] = MedicationConcept(
                        codings: known.medication.relatedCodings.map { ($0.system, $0.code) },
                        form: known.medication.generalForm.rawValue, isArchived: known.isArchived,
                        hasSchedule: known.hasSchedule)
                }
            #endif
            return medications
        }

        private func figure(_ quantity: HKQuantity, unit: String, measure: SpecialMeasure) -> SpecialQuantity? {
            let unit = HKUnit(from: unit)
            guard quantity.is(compatibleWith: unit) else { return nil }
            return try? measure.read(ExactDecimal.text(quantity.doubleValue(for: unit)), unit: unit.unitString)
        }
    }
#endif
