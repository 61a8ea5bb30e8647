import FHIR
import HealthData

extension HealthNight {
    /// The codes of the summary.
    public typealias Code = SleepNightCode

    /// The system of the identifier that all summaries of one night share; its value is the day.
    public static let identifierSystem = "urn:tributary:sleep-night"

    /// The fingerprint of the summary, computed from the night and its samples.
    public var fingerprint: SampleFingerprint {
        var content = Array("\(Code.summary)\u{0}\(day.text)".utf8)
        for sample in samples {
            content.append(0)
            content.append(contentsOf: sample.text.utf8)
        }
        return SampleFingerprint(of: content)
    }

    /// Returns the summary as a FHIR R4 observation that is derived from the observations of the stages
    /// (<https://hl7.org/fhir/R4/observation-definitions.html#Observation.derivedFrom>).
    ///
    /// The period lasts from the first session's start to the last session's end, with the offset of the person's
    /// clock. The components are minutes, rounded to hundredths. A stage that no source reported has no component. The
    /// id and the content hash are computed from the night and its samples: the same night of the same export is the
    /// same resource. A night that became longer is another resource with the same identifier in ``identifierSystem``.
    ///
    /// - Parameter subject: the id of the Patient that the stages' observations have; nil omits the subject.
    public func observation(subject: String?) -> Observation {
        let fingerprint = fingerprint
        var object = JSONObject()
        object["resourceType"] = "Observation"
        object["id"] = .string(fingerprint.resourceID(subject: subject))
        object["identifier"] = .array([
            ["system": .string(Self.identifierSystem), "value": .string(day.text)],
            ["system": .string(HealthSample.IdentifierSystem.contentHash), "value": .string(fingerprint.text)],
        ])
        object["status"] = "final"
        object["category"] = .array([
            CodeableConcept(coding: [
                Coding(
                    system: HealthCodeSystem.observationCategory, code: HealthType.Category.activity.rawValue,
                    display: HealthType.Category.activity.display)
            ]).json
        ])
        object["code"] = Self.concept("Sleep night", Coding(system: HealthCodeSystem.component, code: Code.summary))
        if let subject { object["subject"] = ["reference": .string("Patient/" + subject)] }
        if let start = sessions.first?.start, let end = sessions.max(by: { $0.end.seconds < $1.end.seconds })?.end {
            object["effectivePeriod"] = ["start": .string(start.text), "end": .string(end.text)]
        }
        object["method"] = ["text": "Sums of sleep stages, each second counted once, by source priority"]
        object["derivedFrom"] = .array(
            samples.map { ["reference": .string("Observation/" + $0.resourceID(subject: subject))] })
        object["component"] = .array(components)
        return Observation(object)
    }

    private var components: [JSON] {
        let times = times
        var components: [JSON] = []
        func add(_ title: String, _ coding: Coding..., seconds: Int64) {
            components.append([
                "code": Self.concept(title, coding), "valueQuantity": Self.minutes(seconds),
            ])
        }
        func add(_ stage: SleepStage) {
            guard times[stage] > 0 else { return }
            add(stage.title, Coding(system: HealthCodeSystem.healthKit, code: stage.code), seconds: times[stage])
        }
        add(.inBed)
        if times.hasStages {
            add(
                "Asleep", Coding(system: HealthCodeSystem.component, code: Code.asleep),
                Coding(system: HealthCodeSystem.loinc, code: "93832-4", display: "Sleep duration"),
                seconds: times.asleep)
        }
        for stage in [SleepStage.core, .deep, .rem, .unspecified, .awake] { add(stage) }
        components.append([
            "code": Self.concept("Sleep sessions", Coding(system: HealthCodeSystem.component, code: Code.sessions)),
            "valueInteger": .number(JSONNumber(sessions.count)),
        ])
        return components
    }

    private static func concept(_ title: String, _ codings: Coding...) -> JSON { concept(title, codings) }

    /// Returns a concept. A coding without a display text has the title as its display text.
    private static func concept(_ title: String, _ codings: [Coding]) -> JSON {
        let shown = codings.map { Coding(system: $0.system, code: $0.code, display: $0.display ?? title) }
        return CodeableConcept(coding: shown, text: title).json
    }

    /// Returns minutes, rounded to hundredths, without trailing zeros.
    private static func minutes(_ seconds: Int64) -> JSON {
        let hundredths = (seconds * 100 + 30) / 60
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        var text = String(whole)
        if rest > 0 { text += rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)" }
        return [
            "value": .number(JSONNumber(text: text) ?? JSONNumber(whole)), "unit": "min",
            "system": "http://unitsofmeasure.org", "code": "min",
        ]
    }
}
