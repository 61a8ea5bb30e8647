import FHIR
import HealthData

/// C3-PRO's summaries of activity: responses to a form that is nowhere published, whose linkIds are HealthKit's types and
/// what the motion coprocessor made of a time, each with a quantity. They are measured, so they stand with health data.
public enum ActivitySummaryForm {
    /// The name of the form.
    static let name = "org.chip.c3-pro.activity"

    /// Whether a response's name of its form is that of the summaries.
    public static func isNamed(by form: String) -> Bool {
        form == name || form == "\(Questionnaire.resourceType)/\(name)"
    }

    /// The concepts of its questions.
    static let concepts = SurveyConcepts(
        questionnaire,
        at: Concept(
            path: ConceptPath.child(of: ConceptPath.health, "Activity summaries"), code: nil,
            name: "Activity summaries", kind: .folder), health: .standard)

    /// The types of samples that the apps sum up.
    private static let types = [
        "StepCount", "FlightsClimbed", "DistanceWalkingRunning", "DistanceCycling", "ActiveEnergyBurned",
        "BasalEnergyBurned", "AppleExerciseTime",
    ]

    /// What the motion coprocessor's times are read as; the first version of the apps had the last three.
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
    /// The concepts for a response whose form is not published: the summaries of activity have theirs, and any other form
    /// gives its questions their codes alone.
    static func unpublished(formName: String) -> SurveyConcepts {
        ActivitySummaryForm.isNamed(by: formName) ? ActivitySummaryForm.concepts : SurveyConcepts(formName: formName)
    }
}
