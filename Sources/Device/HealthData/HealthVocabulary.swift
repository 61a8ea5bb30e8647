import FHIR

/// The codes of Tributary's own observations of health data, with their titles. A code of HealthKit or of
/// ``HealthCodeSystem/component`` that is not in this vocabulary was sent by a device, and no concept is created from
/// it.
///
/// The vocabulary is derived from example observations with all components, so that it contains every code that the
/// conversion writes.
public enum HealthVocabulary {
    /// Returns the title of a code; nil if the code is not in the vocabulary.
    public static func title(system: String?, code: String) -> String? {
        guard let system else { return nil }
        if let title = titles[Key(system: system, code: code)] { return title }
        // An audiogram has a component for each tested frequency.
        return system == HealthCodeSystem.component && isThreshold(code) ? code : nil
    }

    /// The codes of ``HealthCodeSystem/component`` with their titles, sorted by code.
    static let own: [(code: String, title: String)] = titles.filter { $0.key.system == HealthCodeSystem.component }
        .map { (code: $0.key.code, title: $0.value) }.sorted { $0.code < $1.code }

    private struct Key: Hashable {
        let system: String
        let code: String
    }

    /// `audiogram-left-500-Hz`.
    private static func isThreshold(_ code: String) -> Bool {
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "audiogram", Audiogram.Ear(rawValue: String(parts[1])) != nil,
            parts[3] == "Hz", (1...9).contains(parts[2].utf8.count)
        else { return false }
        return parts[2].utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }

    private static let titles: [Key: String] = {
        var titles: [Key: String] = [:]
        func add(_ code: String?, system: String?, title: String?) {
            guard let system, let code, system == HealthCodeSystem.healthKit || system == HealthCodeSystem.component
            else { return }
            titles[Key(system: system, code: code)] = titles[Key(system: system, code: code)] ?? title ?? code
        }
        // The two pressures are components of blood pressure; clinical records have codes of their own.
        for type in HealthType.all where type.correlation == nil && type.kind != .clinicalRecord {
            for coding in type.codings { add(coding.code, system: coding.system, title: type.title) }
            for option in type.options { add(option.code, system: HealthCodeSystem.healthKit, title: option.display) }
            for part in type.components {
                for coding in part.codings { add(coding.code, system: coding.system, title: part.title) }
            }
            for key in HealthMetadataKey.components(of: type) {
                for coding in key.codings { add(coding.code, system: coding.system, title: key.title) }
                guard case .enumeration(let options) = key.value else { continue }
                for option in options { add(option.code, system: HealthCodeSystem.healthKit, title: option.display) }
            }
        }
        for observation in observations {
            let values = [observation.value?.json] + observation.component.map(\.value?.json)
            let concepts =
                [observation.code] + observation.component.map(\.code)
                + values.map { CodeableConcept(json: $0) }
            for concept in concepts.compactMap({ $0 }) {
                for coding in concept.coding {
                    add(coding.code, system: coding.system, title: coding.display ?? concept.text)
                }
            }
        }
        let options =
            Electrocardiogram.Classification.allCases.map(\.option)
            + Electrocardiogram.SymptomsStatus.allCases.map(\.option)
            + VisionPrescription.Purpose.allCases.map(\.option)
            + MedicationDose.ScheduleType.allCases.map(\.option)
            + HealthWorkoutPart.events + [HealthWorkoutPart.activity]
        for option in options { add(option.code, system: HealthCodeSystem.healthKit, title: option.display) }
        for (code, title) in [
            (SleepNightCode.summary, "Sleep night"), (SleepNightCode.asleep, "Asleep"),
            (SleepNightCode.sessions, "Sleep sessions"),
        ] {
            add(code, system: HealthCodeSystem.component, title: title)
        }
        return titles
    }()

    /// Observations with all components and all cases.
    private static var observations: [Observation] {
        let examples = HealthType.all.compactMap { $0.example()?.object.map { Observation($0) } }
        return examples + statesOfMind + assessments + [lenses, rings].compactMap { $0 }
    }

    private static let start = HealthInstant(seconds: 0, offsetMinutes: 0)
    /// Covers all of HealthKit's labels and associations; numbers that do not exist are ignored.
    private static let numbers = Array(1...99)

    private static var statesOfMind: [Observation] {
        StateOfMind.Kind.allCases.flatMap { kind in
            StateOfMind.ValenceClassification.allCases.compactMap { valence in
                StateOfMind(
                    start: start, feeling: kind, valence: 0, classification: valence, labels: numbers,
                    associations: numbers, origin: SpecialOrigin())?.observation(subject: nil)
            }
        }
    }

    /// Equal answers to all questions cover every answer to each question; rising numbers of answered questions cover
    /// every risk. The last question of the PHQ-9 can be without an answer.
    private static var assessments: [Observation] {
        Assessment.Form.allCases.flatMap { form in
            let count = form == .phq9 ? 9 : 7
            let rising = (0...count).flatMap { answered in
                (1...3).map { answer in (0..<count).map { $0 < answered ? answer : 0 } }
            }
            let without = [Int?](repeating: 0, count: count - 1) + [nil]
            return (rising + [without]).compactMap {
                Assessment(form: form, start: start, answers: $0, origin: SpecialOrigin())?.observation(subject: nil)
            }
        }
    }

    private static var lenses: Observation? {
        var lens = VisionPrescription.Lens()
        for figure in VisionPrescription.Figure.allCases { lens[figure] = figure.measure.quantity(1) }
        return VisionPrescription(
            issued: .moment(start), expires: .day("2026-01-01"), purpose: .glasses, right: lens, left: lens,
            origin: SpecialOrigin())?.observation(subject: nil)
    }

    private static var rings: Observation? {
        func ring(_ measure: SpecialMeasure) -> ActivitySummary.Ring {
            ActivitySummary.Ring(value: measure.quantity(1), goal: measure.quantity(1))
        }
        return ActivitySummary(
            day: "2026-01-01", energy: ring(.energy), moveTime: ring(.minutes), exerciseTime: ring(.minutes),
            standHours: ring(.hours))?.observation(subject: nil)
    }
}
