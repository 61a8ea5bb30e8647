import FHIR
import FHIRPath

/// The data that the expressions of a form read in addition to the answers: launch contexts, and the results of queries
/// (<https://hl7.org/fhir/uv/sdc/StructureDefinition-sdc-questionnaire-launchContext.html>,
/// <https://hl7.org/fhir/uv/sdc/expressions.html#x-fhir-query>).
///
/// ```swift
/// var context = FormContext()
/// context["patient"] = patient
/// let session = FormSession(form, context: context)
/// ```
///
/// An expression that reads a context or a query that is not available is undecided: it requires nothing and forbids
/// nothing, and the session reports `expression-undecided`.
public struct FormContext: Sendable {
    /// The values of launch contexts and variables by their names, without `%`. The query of such a variable is not
    /// executed.
    public var values: [String: [FHIRPathValue]]
    /// Executes a query such as `Observation?patient=1&code=8867-4` and returns its results: a Bundle, or a resource.
    /// nil if the query cannot be executed.
    public var query: (@Sendable (String) -> [FHIRPathValue]?)?

    /// Creates a context without values.
    public init(
        values: [String: [FHIRPathValue]] = [:], query: (@Sendable (String) -> [FHIRPathValue]?)? = nil
    ) {
        self.values = values
        self.query = query
    }

    /// The resource that is the value of a name; nil if there is none, or if the value is not one resource.
    public subscript(name: String) -> Resource? {
        get {
            guard values[name]?.count == 1, case .element(let element)? = values[name]?.first else { return nil }
            return element.value.object.flatMap { Resource($0) }
        }
        set { values[name] = newValue.map { [.element(TypedElement(resource: $0.object))] } }
    }
}
