import FHIR
import FHIRPath
import Foundation

/// Evaluates expressions for tests and writes results as short text.
enum Evaluation {
    static let patient = resource(
        """
        {"resourceType":"Patient","id":"p1","active":true,
        "text":{"status":"generated","div":"<div xmlns=\\"http://www.w3.org/1999/xhtml\\"><p>Text</p></div>"},
        "contained":[{"resourceType":"Organization","id":"o1","name":"One"}],
        "identifier":[{"system":"urn:a","value":"12345","type":{"coding":[{"code":"MR"}]}}],
        "name":[{"use":"official","family":"Stone","given":["Ann","Bea"]},{"use":"usual","given":["Annie"]},
        {"use":"maiden","family":"Wood","given":["Ann","Bea"]}],
        "gender":"female","birthDate":"1974-12-25",
        "_birthDate":{"extension":[{"url":"urn:time","valueDateTime":"1974-12-25T14:35:45-05:00"}]},
        "telecom":[{"system":"phone","value":"555"},{"system":"email"}],
        "managingOrganization":{"reference":"#o1"},
        "extension":[{"url":"urn:size","valueQuantity":{"value":1.80,"unit":"m","system":"http://unitsofmeasure.org",
        "code":"m"}},{"url":"urn:age","valueAge":{"value":3,"unit":"years","system":"http://unitsofmeasure.org",
        "code":"a"}}]}
        """)

    static func resource(_ text: String) -> TypedElement {
        let json = try? JSON(parsing: text)
        return TypedElement(resource: json?.object ?? JSONObject())
    }

    static var context: FHIRPathContext {
        var context = FHIRPathContext(now: Date(timeIntervalSince1970: 1_577_836_800))
        context.resource = patient
        return context
    }

    /// Returns items separated by commas, `{}` for an empty result, `!kind code` for an error.
    static func text(of expression: String, on element: TypedElement? = patient) -> String {
        do {
            let found = try FHIRPathExpression(expression).evaluate(
                on: element.map { [.element($0)] } ?? [], in: context)
            return found.isEmpty ? "{}" : found.map(shown).joined(separator: ", ")
        } catch {
            return "!\(error.kind.rawValue) \(error.code)"
        }
    }

    private static func shown(_ value: FHIRPathValue) -> String {
        switch value {
        case .quantity(let quantity): quantity.description
        default: value.json.string ?? value.json.text()
        }
    }
}
