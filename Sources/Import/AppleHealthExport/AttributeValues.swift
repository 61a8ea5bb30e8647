/// The values of one element's attributes by name, without a copy. Valid while the scanner reports the element.
final class AttributeValues {
    private struct Slot {
        var start: Int32 = 0
        var end: Int32 = 0
        var hasReferences = false
    }

    private let slots: UnsafeMutablePointer<Slot>
    /// One bit for each attribute that is there.
    private var present: UInt32 = 0
    private var base: UnsafeMutablePointer<UInt8>?

    init() {
        slots = .allocate(capacity: ExportAttribute.allCases.count)
        slots.initialize(repeating: Slot(), count: ExportAttribute.allCases.count)
    }

    deinit { slots.deallocate() }

    /// Takes the attributes of an element. The first of two with one name counts.
    ///
    /// - Returns: whether there are two with one name.
    func load(_ attributes: MarkupAttributes) -> Bool {
        base = attributes.base
        present = 0
        var hasDuplicates = false
        for attribute in attributes.list where attribute.known >= 0 {
            let bit = UInt32(1) << UInt32(attribute.known)
            if present & bit != 0 {
                hasDuplicates = true
                continue
            }
            present |= bit
            slots[Int(attribute.known)] = Slot(
                start: attribute.valueStart, end: attribute.valueEnd, hasReferences: attribute.hasReferences)
        }
        return hasDuplicates
    }

    /// The value with its references resolved; nil where the attribute is missing.
    subscript(attribute: ExportAttribute) -> UnsafeBufferPointer<UInt8>? {
        guard present & (UInt32(1) << UInt32(attribute.rawValue)) != 0, let base else { return nil }
        let place = Int(attribute.rawValue)
        let start = base + Int(slots[place].start)
        if slots[place].hasReferences {
            let value = UnsafeMutableBufferPointer(start: start, count: Int(slots[place].end - slots[place].start))
            slots[place].end = slots[place].start + Int32(MarkupReference.resolve(value))
            slots[place].hasReferences = false
        }
        return UnsafeBufferPointer(start: start, count: Int(slots[place].end - slots[place].start))
    }

    /// The value as text; nil where the attribute is missing. A text of more bytes than any value that is read has
    /// comes back as empty.
    func text(_ attribute: ExportAttribute) -> String? {
        self[attribute].map { $0.count <= 128 ? String(decoding: $0, as: UTF8.self) : "" }
    }
}
