/// The values of one element's attributes by name, without copies. They are valid while the scanner reports the
/// element.
struct AttributeValues {
    private struct Slot {
        var start: Int32 = 0
        var end: Int32 = 0
    }

    private var slots = Array(repeating: Slot(), count: ExportAttribute.allCases.count)
    /// One bit for each attribute that is present.
    private var present: UInt32 = 0
    private var base: UnsafeMutablePointer<UInt8>?

    /// Loads the attributes of an element, once, and resolves the references in them inside the buffer. The device
    /// attribute is not resolved: its text contains references in every record, and is nearly always a known one. If a
    /// name occurs twice, the first value is used.
    ///
    /// - Returns: whether a name occurs twice.
    mutating func load(_ attributes: MarkupAttributes) -> Bool {
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
            var end = attribute.valueEnd
            if attribute.hasReferences, attribute.known != ExportAttribute.device.rawValue {
                let value = UnsafeMutableBufferPointer(
                    start: attributes.base + Int(attribute.valueStart), count: Int(end - attribute.valueStart))
                end = attribute.valueStart + Int32(MarkupReference.resolve(value))
            }
            slots[Int(attribute.known)] = Slot(start: attribute.valueStart, end: end)
        }
        return hasDuplicates
    }

    /// The value; nil if the attribute is missing.
    subscript(attribute: ExportAttribute) -> UnsafeBufferPointer<UInt8>? {
        guard present & (UInt32(1) << UInt32(attribute.rawValue)) != 0, let base else { return nil }
        let slot = slots[Int(attribute.rawValue)]
        return UnsafeBufferPointer(start: base + Int(slot.start), count: Int(slot.end - slot.start))
    }

    /// Returns the value as text; nil if the attribute is missing. A text that is longer than any supported value is
    /// returned as empty.
    func text(_ attribute: ExportAttribute) -> String? {
        self[attribute].map { $0.count <= 128 ? String(decoding: $0, as: UTF8.self) : "" }
    }
}
