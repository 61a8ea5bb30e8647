import HealthData

extension HealthConcept {
    /// The types of the health table, and the parts of those that have several values.
    public static let all: [HealthConcept] = HealthType.all.flatMap { type -> [HealthConcept] in
        let own = HealthConcept(
            identifier: type.shortName, title: type.title, category: type.folder,
            codings: type.codings.compactMap { coding in coding.code.map { (coding.system, $0) } },
            ucum: type.unit?.ucum, isNumeric: type.valueKind == .quantity)
        let parts = type.components.map { component in
            // A part's own code is its first: others may say what kind of value it is.
            HealthConcept(
                identifier: component.identifier, title: component.title, category: type.folder,
                codings: component.codings.prefix(1).compactMap { coding in coding.code.map { (coding.system, $0) } },
                ucum: component.unit.ucum, isNumeric: true)
        }
        return [own] + parts
    }
}
