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

    struct Slot {
        let row: Int
        let reading: Reading
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
        if let type = HealthType.all.first(where: { $0.identifier == name }) {
            guard selection.selects(type) else { return .skip(.notSelected) }
            switch type.kind {
            case .quantity: if let measure = type.measure { return .quantity(type, measure) }
            case .category: return .option(type)
            default: break
            }
            return .skip(.unsupportedType)
        }
        for type in HealthType.all where type.kind == .correlation {
            guard let place = type.components.firstIndex(where: { $0.identifier == name }) else { continue }
            guard selection.selects(type) else { return .skip(.notSelected) }
            return .member(type, type.components[place].measure, isSystolic: place == 0)
        }
        return .skip(.unsupportedType)
    }
}

extension HealthType {
    /// The correlation with the identifier.
    static func correlation(_ identifier: String) -> HealthType? {
        all.first { $0.kind == .correlation && $0.identifier == identifier }
    }
}
