import FHIR
import HealthData

extension HealthConcept {
    /// The types of the standard table, and the parts of types with several values.
    package static let all: [HealthConcept] = concepts(of: .standard)

    /// Returns the concepts of the standard table with a study's supplement.
    ///
    /// - Throws: the error in the supplement, with its path.
    package static func concepts(supplement: JSON?) throws(HealthTypeTableError) -> [HealthConcept] {
        guard let supplement else { return all }
        return concepts(of: try HealthTypeTable.standard.applying(supplement: supplement))
    }

    /// Returns the concepts of a table's types and their parts.
    ///
    /// Samples of systolic and diastolic pressure become blood pressures, so these types are only parts. Clinical
    /// records are resources with codes of their own.
    package static func concepts(of table: HealthTypeTable) -> [HealthConcept] {
        table.all.filter { $0.correlation == nil && $0.kind != .clinicalRecord }.flatMap { type in
            let own = HealthConcept(
                identifier: type.shortName, title: type.title, category: type.folder, codings: codes(type.codings),
                ucum: type.unit?.ucum, isNumeric: type.valueKind == .quantity || type.valueKind == .integer,
                options: options(type.options), isBoolean: type.valueKind == .event)
            return [own] + parts(of: type)
        }
    }

    private static func parts(of type: HealthType) -> [HealthConcept] {
        let figures = type.components.map { component in
            HealthConcept(
                identifier: component.identifier, title: component.title, category: type.folder,
                codings: codes(component.codings), ucum: component.unit.ucum, isNumeric: true, isPart: true)
        }
        let circumstances = HealthMetadataKey.components(of: type).map { key in
            var unit: String?
            var cases: [HealthOption] = []
            switch key.value {
            case .boolean: break
            case .quantity(let measure): unit = measure.unit.ucum
            case .enumeration(let options): cases = options
            }
            return HealthConcept(
                identifier: key.key, title: key.title, category: type.folder, codings: codes(key.codings), ucum: unit,
                isNumeric: unit != nil, options: options(cases), isPart: true, isBoolean: key.value == .boolean)
        }
        return figures + circumstances + (type.kind == .workout ? events(of: type) : structure(of: type))
    }

    /// Returns the concepts of a workout's events, which have times.
    private static func events(of type: HealthType) -> [HealthConcept] {
        options(HealthWorkoutPart.events + [HealthWorkoutPart.activity]).map { event in
            HealthConcept(
                identifier: event.code, title: event.display ?? event.code, category: type.folder, codings: [event],
                ucum: nil, isNumeric: false, isPart: true)
        }
    }

    /// Returns the parts of a record with its own structure, taken from its example.
    private static func structure(of type: HealthType) -> [HealthConcept] {
        guard ![.quantity, .category, .correlation, .workout].contains(type.kind), let example = type.example() else {
            return []
        }
        var seen: Set<String> = []
        return Observation(example.object ?? JSONObject()).component.compactMap { component in
            guard let code = component.code, let identifier = code.coding.first?.code, let value = component.value,
                value.type != "SampledData", seen.insert(identifier).inserted
            else { return nil }
            return HealthConcept(
                identifier: identifier, title: code.text ?? identifier, category: type.folder,
                codings: codes(code.coding), ucum: value.type == "Quantity" ? Quantity(json: value.json)?.code : nil,
                isNumeric: value.type == "Quantity" || value.type == "Integer", isPart: true,
                isBoolean: value.type == "Boolean")
        }
    }

    private static func options(_ options: [HealthOption]) -> [Code] {
        options.map { Code(system: HealthCodeSystem.healthKit, code: $0.code, display: $0.display) }
    }

    private static func codes(_ codings: [Coding]) -> [Code] {
        codings.compactMap { coding in
            coding.code.map { Code(system: coding.system, code: $0, display: coding.display) }
        }
    }
}
