import HealthData

/// How records of each type are read. Records are sorted by type, so the last answer is nearly always the next one too.
struct ExportTypes {
    private let selection: HealthSelection
    enum Reading {
        case skip(SkipReason)
        case quantity(HealthType, HealthMeasure)
        case option(HealthType)
        case member(HealthType, HealthMeasure, isSystolic: Bool)
    }

    /// How one type is read. An object, so that handing it about costs nothing.
    final class Slot {
        let row: Int
        let reading: Reading
        private var lastUnit: (name: [UInt8], unit: SourceUnit?)?

        init(row: Int, reading: Reading) {
            self.row = row
            self.reading = reading
        }

        /// The unit with the name; nil where the measure cannot be brought from it. A type is written in one unit nearly
        /// always.
        func unit(_ name: UnsafeBufferPointer<UInt8>?, of measure: HealthMeasure) -> SourceUnit? {
            let name = name ?? UnsafeBufferPointer(start: nil, count: 0)
            if let lastUnit, lastUnit.name.count == name.count, name.elementsEqual(lastUnit.name) {
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

    mutating func slot(of name: UnsafeBufferPointer<UInt8>?, in account: inout HealthAccount) -> Slot {
        let bytes = name ?? UnsafeBufferPointer(start: nil, count: 0)
        if let last, lastName.elementsEqual(bytes) { return last }
        // No identifier is longer; what is, is unrecognised by its beginning alone.
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        let slot =
            slots[text]
            ?? Slot(row: account.row(for: text), reading: reading(of: text))
        if slots.count < 4000 { slots[text] = slot }
        lastName = Array(bytes.prefix(201))
        last = slot
        return slot
    }

    private func reading(of name: String) -> Reading {
        // The pressures have rows of their own, but their samples are members of a correlation.
        if let type = HealthTypeTable.standard.type(name), type.correlation == nil {
            guard selection.selects(type) else { return .skip(.notSelected) }
            switch type.kind {
            case .quantity: if let measure = type.measure { return .quantity(type, measure) }
            case .category: return .option(type)
            default: break
            }
            return .skip(.unsupportedType)
        }
        if let type = HealthType.correlation("HKCorrelationTypeIdentifierBloodPressure") {
            guard let place = type.components.firstIndex(where: { $0.identifier == name }) else {
                return .skip(.unsupportedType)
            }
            guard selection.selects(type) else { return .skip(.notSelected) }
            return .member(type, type.components[place].measure, isSystolic: place == 0)
        }
        return .skip(.unsupportedType)
    }
}

extension HealthType {
    /// The correlation with the identifier.
    static func correlation(_ identifier: String) -> HealthType? {
        // Food is no observation of its own here: its members stand beside it.
        guard identifier == "HKCorrelationTypeIdentifierBloodPressure" else { return nil }
        return HealthTypeTable.standard.type(identifier)
    }
}
