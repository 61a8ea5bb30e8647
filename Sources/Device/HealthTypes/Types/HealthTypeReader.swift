import FHIR

/// Creates the types from the rows of the tables.
struct HealthTypeReader {
    private(set) var types: [HealthType] = []
    /// Rows that could not be read, by their first cells. A test checks that there are none.
    private(set) var faults: [String] = []
    private var quantities: [String: HealthType] = [:]
    private var messages: [String: HealthMessageShape] = [:]
    private var enumerations: [String: [HealthOption]] = [:]

    init() {
        readEnumerations()
        readMessages()
        for row in TableText.rows(TableText.quantityTypes) { add(quantity(row), row) }
        for row in TableText.rows(TableText.categoryTypes) { add(category(row), row) }
        for row in TableText.rows(TableText.otherTypes) { add(other(row), row) }
    }

    private mutating func add(_ type: HealthType?, _ row: [String]) {
        guard let type else { return faults.append(row.prefix(2).joined(separator: " ")) }
        types.append(type)
        if type.kind == .quantity { quantities[type.shortName] = type }
    }

    private mutating func readEnumerations() {
        for row in TableText.rows(TableText.enumerations) {
            guard row.count == 2 else { return faults.append("enumeration") }
            let texts = TableText.cells(of: row[1], separator: ";")
            let cases = texts.compactMap(TableCase.init)
            if cases.count != texts.count { faults.append(row[0]) }
            enumerations[row[0]] = cases.map { $0.option(of: row[0]) }
        }
    }

    private mutating func readMessages() {
        for row in TableText.rows(TableText.messageShapes) {
            guard row.count == 5, let unit = try? HealthKitUnit(row[4]) else {
                faults.append("message " + (row.first ?? ""))
                continue
            }
            messages[row[0]] = HealthMessageShape(
                valueKey: row[1], unitKey: row[2], unit: row[3], healthKitUnit: unit)
        }
    }

    private func quantity(_ row: [String]) -> HealthType? {
        guard row.count == 11, let category = HealthType.Category(rawValue: row[3]),
            let aggregation = HealthType.Aggregation(rawValue: row[4]), let unit = try? HealthKitUnit(row[5]),
            let range = Self.range(row[8]), let further = Self.codings(row[10])
        else { return nil }
        let identifier = "HKQuantityTypeIdentifier" + row[0]
        let measure = HealthMeasure(
            title: row[1], codings: further + [HealthType.ownCoding(identifier, row[1])],
            unit: HealthUnit(row[6], row[7]), healthKitUnit: unit, plausible: range)
        return HealthType(
            identifier, .quantity, title: row[1], folder: row[2], category: category, aggregation: aggregation,
            valueKind: .quantity, codings: measure.codings, measure: measure,
            correlation: row[0].hasPrefix("BloodPressure") ? HealthType.bloodPressureIdentifier : nil,
            message: messages[row[0]], exampleText: row[9])
    }

    private func category(_ row: [String]) -> HealthType? {
        guard row.count == 5, let category = HealthType.Category(rawValue: row[3]) else { return nil }
        let identifier = "HKCategoryTypeIdentifier" + row[0]
        guard let options = row[4].isEmpty ? [] : enumerations["HKCategoryValue" + row[4]] else { return nil }
        return HealthType(
            identifier, .category, title: row[1], folder: row[2], category: category,
            valueKind: options.isEmpty ? .event : .concept, codings: [HealthType.ownCoding(identifier, row[1])],
            options: options)
    }

    private func other(_ row: [String]) -> HealthType? {
        guard row.count == 9, let kind = HealthType.Kind(rawValue: row[0]),
            let category = HealthType.Category(rawValue: row[5]), let further = Self.codings(row[8])
        else { return nil }
        guard let value = kind == .clinicalRecord ? .resource : HealthType.ValueKind(rawValue: row[6]) else {
            return nil
        }
        var components: [HealthComponent] = []
        var options: [HealthOption] = []
        switch kind {
        case .correlation:
            components = TableText.words(row[7]).flatMap(members)
            if components.isEmpty { return nil }
        case .workout:
            components = HealthType.workoutComponents(quantities)
            options = Self.activities
        default: options = enumerations[row[7]] ?? []
        }
        return HealthType(
            row[1], kind, title: row[3], folder: row[4], category: category, valueKind: value,
            codings: further + [HealthType.ownCoding(row[1], row[3])], components: components, options: options,
            otherNames: TableText.words(row[2]))
    }

    /// Returns the components of a quantity type; `Dietary*` means all types with that prefix.
    private func members(_ name: String) -> [HealthComponent] {
        let meant =
            name.hasSuffix("*")
            ? types.filter { $0.kind == .quantity && $0.shortName.hasPrefix(name.dropLast()) }
            : quantities[name].map { [$0] } ?? []
        return meant.compactMap { type in
            type.measure.map { HealthComponent(identifier: type.identifier, measure: $0) }
        }
    }

    /// The activities of workouts.
    static let activities: [HealthOption] = TableText.rows(TableText.workoutActivities).compactMap { row in
        row.first.flatMap(TableCase.init)?.option(of: "HKWorkoutActivityType")
    }

    /// Parses `20..300`. The inner nil means an empty cell (no range), the outer nil an invalid cell.
    private static func range(_ cell: String) -> ClosedRange<Double>?? {
        if cell.isEmpty { return .some(nil) }
        guard let dots = cell.firstRange(of: ".."), let low = Double(cell[..<dots.lowerBound]),
            let high = Double(cell[dots.upperBound...]), low < high
        else { return nil }
        return low...high
    }

    /// `loinc 8867-4 Heart rate; snomed …`.
    static func codings(_ cell: String) -> [Coding]? {
        if cell.isEmpty { return [] }
        var codings: [Coding] = []
        for text in TableText.cells(of: cell, separator: ";") {
            let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3, let system = systems[parts[0]] else { return nil }
            codings.append(Coding(system: system, code: parts[1], display: parts[2]))
        }
        return codings
    }

    private static let systems = [
        "loinc": HealthCodeSystem.loinc, "snomed": HealthCodeSystem.snomed, "mdc": DeviceNomenclature.system,
        "own": HealthCodeSystem.component, "healthkit": HealthCodeSystem.healthKit,
    ]
}

extension HealthType {
    package static let bloodPressureIdentifier = "HKCorrelationTypeIdentifierBloodPressure"

    /// HealthKit's own coding of a type, which all types have.
    package static func ownCoding(_ identifier: String, _ title: String) -> Coding {
        Coding(system: HealthCodeSystem.healthKit, code: identifier, display: title)
    }
}
