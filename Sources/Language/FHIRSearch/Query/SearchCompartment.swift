import FHIR

/// The resources that belong to one resource (<https://hl7.org/fhir/R4/compartmentdefinition.html>).
package struct SearchCompartment: Sendable, Hashable {
    /// One of the five types that have compartments.
    package let type: String
    package let id: String

    /// Creates a compartment; nil where R4 has no compartment of the type, or the id is invalid.
    package init?(type: String, id: String) {
        guard SearchParameterTable.r4.compartments.contains(type), Resource.isID(id) else { return nil }
        self.type = type
        self.id = id
    }

    /// Returns the codes of the parameters by which resources of a type belong to the compartment; none for a type that
    /// does not.
    package func parameters(of type: String) -> [String] {
        // `{def}` is the resource itself. It belongs to its compartment even where HL7's definitions omit it.
        SearchParameterTable.r4.compartmentParameters(self.type, of: type).filter { $0 != "{def}" }
    }

    /// The types with resources in the compartment, ordered by name.
    package var types: [String] {
        RecordType.all.filter { $0 == type || !parameters(of: $0).isEmpty }
    }
}
