import FHIR

extension ValidationReport {
    /// The system of the codes in ``operationOutcome``.
    public static let system = "urn:tributary:validation"

    /// The codes of issues (``ValidationIssue/code``). The content is a fragment: the code of a violated constraint is
    /// its key, and profiles add constraints of their own.
    public static var codeSystem: CodeSystem {
        var system = CodeSystem(id: "validation", status: .active, content: .fragment)
        system.url = Self.system
        system.name = "Validation"
        system.title = "Issues of validation"
        system.description = """
            Problems of a resource that have no key of a constraint. The text of the issue describes the correction.
            """
        system.caseSensitive = true
        system.concept = codes.map { CodeSystem.Concept(code: $0) }
        return system
    }

    /// The codes that are not keys of constraints.
    static let codes = [
        "abstract-type", "array-expected", "choice-type", "circular-contained", "closed-slicing",
        "constraint-not-evaluated", "contained-id", "duplicate-id", "empty-array", "empty-text", "entry-resource",
        "extensible-binding", "extension-context", "extension-repeated", "extension-type", "extension-url",
        "extension-value", "fixed-value", "full-url", "invalid-id", "invalid-profile", "invalid-reference",
        "modifier-extension", "nested-array", "nested-extension", "null-value", "pattern-value",
        "profile-cardinality", "profile-depth", "profile-element-type", "profile-length", "profile-not-met",
        "profile-range", "profile-type", "reference-target", "reference-type", "relative-system",
        "required-binding", "required-element", "resource-type-missing", "several-choices", "sibling-length",
        "sibling-of-object", "slice-order", "text-too-long", "too-many-issues", "unexpected-array",
        "unknown-element", "unknown-extension", "unknown-modifier-extension", "unknown-profile",
        "unknown-resource-type", "unknown-unit", "unknown-value-set", "wrong-resource-type", "wrong-shape",
    ]
}
