import FHIR
import HealthData

extension HealthConcept {
    /// The types of the health table, and the parts of those that have several values.
    public static let all: [HealthConcept] = HealthType.all.flatMap { type -> [HealthConcept] in
        let own = HealthConcept(
            identifier: type.shortName, title: type.title, category: type.folder, codings: codes(type.codings),
            ucum: type.unit?.ucum, isNumeric: type.valueKind == .quantity,
            options: type.options.map { Code(system: CodeSystem.healthKit, code: $0.code, display: $0.display) })
        let parts = type.components.map { component in
            HealthConcept(
                identifier: component.identifier, title: component.title, category: type.folder,
                codings: codes(component.codings), ucum: component.unit.ucum, isNumeric: true, isPart: true)
        }
        return [own] + parts
    }

    private static func codes(_ codings: [Coding]) -> [Code] {
        codings.compactMap { coding in
            coding.code.map { Code(system: coding.system, code: $0, display: coding.display) }
        }
    }
}
