import FHIR
import FHIRPath
import FHIRValidation
import Foundation
import UCUM

/// The example of docs/language.md as a program would contain it; `GuideTests` compares the two texts.
enum LanguageGuide {
    static func example(bloodPressureProfile: JSONObject, bytes: Data, observation: JSONObject) throws
        -> (ValidationReport, [FHIRPathValue], Decimal)
    {
        let report = FHIRValidator(profiles: [bloodPressureProfile]).validate(bytes)
        for issue in report.errors { print(issue.line ?? 0, issue.expression, issue.message) }

        let systolic = try FHIRPathExpression("component.where(code.coding.code = '8480-6').value")
        let found = try systolic.evaluate(TypedElement(resource: observation))

        let celsius = try UCUMUnit("Cel")
        let fahrenheit = try celsius.convert(27, to: UCUMUnit("[degF]"))  // 80.6
        return (report, found, fahrenheit)
    }

    static func views(heartRate: CodeableConcept, bytes: Data) throws -> (Observation, Patient) {
        // The initialiser takes the elements that R4 requires; the others are set.
        var reading = Observation(id: "o", status: .final, code: heartRate)
        reading.value = .quantity(Quantity(value: 72, unit: "beats/min", ucum: "/min"))
        if case .quantity(let quantity)? = reading.value { print(quantity.value?.text ?? "") }

        var patient = Patient(try Resource(bytes).object)
        patient.birthDate = nil
        // `_birthDate` in JSON.
        patient.birthDateElement = PrimitiveElement(extension: [.dataAbsent("masked")])
        // Any member, known to the view or not.
        patient["x-of-ours"] = true
        return (reading, patient)
    }

    static func comparison(bytes: Data) throws -> (family: String, text: String) {
        var patient = Patient(try Resource(bytes).object)
        patient.active = true
        patient.birthDate = "1990-05"
        let family = patient.name.first?.family ?? "no name"
        let text = patient.json.text()
        return (family, text)
    }
}
