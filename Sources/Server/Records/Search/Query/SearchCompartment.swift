import FHIR

/// The resources that belong to one resource (<https://hl7.org/fhir/R4/compartmentdefinition.html>).
struct SearchCompartment: Sendable, Hashable {
    /// One of the five types that have compartments.
    let type: String
    let id: String

    /// nil where R4 has no such compartment, or no such id.
    init?(type: String, id: String) {
        guard SearchParameterTable.r4.compartments.contains(type), Resource.isID(id) else { return nil }
        self.type = type
        self.id = id
    }

    /// The codes of the parameters by which a resource of a type belongs to it; none for a type that does not.
    func parameters(of type: String) -> [String] {
        // `{def}` is the resource itself, which belongs to its compartment whether HL7's definitions say so or not.
        SearchParameterTable.r4.compartmentParameters(self.type, of: type).filter { $0 != "{def}" }
    }

    /// The types that belong to it, in the order of their names.
    var types: [String] {
        RecordType.all.filter { $0 == type || !parameters(of: $0).isEmpty }
    }
}
