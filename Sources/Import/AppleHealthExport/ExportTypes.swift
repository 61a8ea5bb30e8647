import HealthData

/// The rules by which records are read, by type. Records are sorted by type, so the last result is nearly always the next one too.
struct ExportTypes {
    private let selection: HealthSelection
    enum RecordRule {
        case skip(SkipReason)
        /// A quantity, with the correlation that it can be a member of.
        case quantity(HealthType, HealthMeasure, HealthType?)
        case option(HealthType)
        case event(HealthType)
        case member(HealthType, HealthMeasure, index: Int)
    }

    /// The rule by which one type is read. It is a class, so that passing it is cheap.
    final class Slot {
        let row: Int
        let rule: RecordRule
        private var lastUnit: (name: [UInt8], unit: SourceUnit?)?

        init(row: Int, rule: RecordRule) {
            self.row = row
            self.rule = rule
        }

        /// Returns the unit with the name; nil if it cannot be converted to the measure. A type nearly always has one
        /// unit.
        func unit(_ name: UnsafeBufferPointer<UInt8>?, of measure: HealthMeasure) -> SourceUnit? {
            let name = name ?? UnsafeBufferPointer(start: nil, count: 0)
            if let lastUnit, name.holds(lastUnit.name) {
                return lastUnit.unit
            }
            let text = name.count <= 128 ? String(decoding: name, as: UTF8.self) : ""
            let unit = measure.sourceUnit(named: text)
            lastUnit = (Array(name), unit)
            return unit
        }
    }

    init(_ selection: HealthSelection) { self.selection = selection }

    private var slots: [String: Slot] = [:]
    private var lastName: [UInt8] = []
    private var last: Slot?

    mutating func slot(of name: UnsafeBufferPointer<UInt8>?, in importReport: inout HealthImportReport) -> Slot {
        let bytes = name ?? UnsafeBufferPointer(start: nil, count: 0)
        if let last, bytes.holds(lastName) { return last }
        // Identifiers are not longer; a longer name is classified as unrecognised by its beginning alone.
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        let slot =
            slots[text]
            ?? Slot(
                row: importReport.row(for: text, isTyped: selection.table.type(text) != nil), rule: rule(of: text)
            )
        if slots.count < 4000 { slots[text] = slot }
        lastName = Array(bytes.prefix(201))
        last = slot
        return slot
    }

    private func rule(of name: String) -> RecordRule {
        guard let type = selection.table.type(name) else { return .skip(.unsupportedType) }
        // The pressures have rows of their own, but their samples are members of a correlation.
        if let (correlation, index) = selection.table.correlation(of: type) {
            guard selection.selects(correlation) || selection.selects(type) else { return .skip(.notSelected) }
            return .member(correlation, correlation.components[index].measure, index: index)
        }
        guard selection.selects(type) else { return .skip(.notSelected) }
        switch type.kind {
        case .quantity:
            guard let measure = type.measure else { return .skip(.unsupportedType) }
            let group = groups.first { $0.components.contains { $0.identifier == name } }
            return .quantity(type, measure, group.flatMap { selection.selects($0) ? $0 : nil })
        case .category: return type.valueKind == .event ? .event(type) : .option(type)
        default: return .skip(.unsupportedType)
        }
    }

    /// Correlations whose members are also observations outside of them: meals.
    private var groups: [HealthType] {
        selection.table.all.filter { $0.kind == .correlation && !$0.isBloodPressure }
    }
}
