import FHIR
import HealthData

/// C3-PRO's activity summaries: responses to a form that is not published, or Observations with its linkIds as codes. The
/// linkIds are HealthKit types and activities of the motion coprocessor, each with a quantity. They are measured, so
/// their concepts are among the health data.
package enum ActivitySummaryForm {
    /// The name of the form.
    static let name = "org.chip.c3-pro.activity"

    /// Whether a response refers to this form.
    package static func isNamed(by form: String) -> Bool {
        form == name || form == "\(Questionnaire.resourceType)/\(name)"
    }

    /// The concepts of the form's questions.
    static let concepts = SurveyConcepts(
        questionnaire,
        at: Concept(
            path: ConceptPath.child(of: ConceptPath.health, "Activity summaries"), code: nil,
            name: "Activity summaries", kind: .folder), health: .standard)

    /// The system of Observations' codes that are linkIds of the form (`MotionPeriod` of the module MotionAdapter).
    static let codeSystem = "urn:tributary:c3-pro-activity"

    /// Returns the question that an Observation answers; nil if it has no code of the form.
    static func question(of codings: [Coding]) -> SurveyConcepts.Question? {
        for coding in codings where coding.system == codeSystem {
            if let question = coding.code.flatMap({ concepts.questions[$0] }) { return question }
        }
        return nil
    }

    /// The types of samples that the apps sum up.
    private static let types = [
        "StepCount", "FlightsClimbed", "DistanceWalkingRunning", "DistanceCycling", "ActiveEnergyBurned",
        "BasalEnergyBurned", "AppleExerciseTime",
    ]

    /// The activities that the motion coprocessor distinguishes. The first version of the apps had the last three.
    private static let motions = [
        "unknown", "sleeping", "stationary", "driving", "walking", "running", "cycling", "sedentary", "light",
        "moderate",
    ]

    private static let questionnaire: Questionnaire = {
        let sums = HealthTypeTable.standard.all.filter { types.contains($0.shortName) }.map { type in
            item("healthkit.\(type.identifier)", type.title, unit: type.unit?.ucum)
        }
        let times = motions.map { item("motion-coprocessor.\($0)", "Minutes: \($0)", unit: "min") }
        let form: JSON = [
            "resourceType": "Questionnaire", "url": .string(name), "status": "active", "item": .array(sums + times),
        ]
        return Questionnaire(form.object ?? JSONObject())
    }()

    private static func item(_ linkID: String, _ text: String, unit: String?) -> JSON {
        let unit: JSON? = unit.map {
            [
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
                    "valueCoding": ["system": "http://unitsofmeasure.org", "code": .string($0)],
                ]
            ]
        }
        return [
            "linkId": .string(linkID), "type": "quantity", "text": .string(text), "extension": unit ?? .array([]),
        ]
    }
}

extension SurveyConcepts {
    /// Returns the concepts for a response whose form is not published. Activity summaries have concepts; any other
    /// form gives only codes to its questions.
    static func unpublished(formName: String) -> SurveyConcepts {
        ActivitySummaryForm.isNamed(by: formName) ? ActivitySummaryForm.concepts : SurveyConcepts(formName: formName)
    }
}
