import HealthData

/// The values of one element's attributes by name, without a copy. Valid while the parser reports the element.
final class AttributeValues {
    private let names: [(address: UnsafePointer<UInt8>, attribute: Int)]
    private let values: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>?>
    private static let count = ExportAttribute.allCases.count

    init(_ parser: XMLPushParser) {
        names = ExportAttribute.names.compactMap { name, attribute in
            parser.interned(name).map { ($0, attribute.rawValue) }
        }
        values = .allocate(capacity: Self.count)
        values.initialize(repeating: nil, count: Self.count)
    }

    deinit { values.deallocate() }

    /// Takes the attributes of an element. The first of two with one name counts.
    func load(_ attributes: XMLAttributes) {
        values.update(repeating: nil, count: Self.count)
        for index in 0..<attributes.count {
            let name = attributes.name(index)
            for entry in names where entry.address == name {
                if values[entry.attribute] == nil { values[entry.attribute] = attributes.value(index) }
                break
            }
        }
    }

    /// The value of one attribute alone, for elements of which nothing else is read.
    func only(_ attribute: ExportAttribute, of attributes: XMLAttributes) -> UnsafeBufferPointer<UInt8>? {
        let address = names[attribute.rawValue].address
        for index in 0..<attributes.count where attributes.name(index) == address { return attributes.value(index) }
        return nil
    }

    subscript(attribute: ExportAttribute) -> UnsafeBufferPointer<UInt8>? { values[attribute.rawValue] }

    /// The value as text; nil where the attribute is missing. A text of more bytes than any value that is read has
    /// comes back as empty.
    func text(_ attribute: ExportAttribute) -> String? {
        self[attribute].map { $0.count <= 128 ? String(decoding: $0, as: UTF8.self) : "" }
    }

    /// Whether an attribute of the element holds what the sanitizer had to replace.
    static func hasMarks(_ attributes: XMLAttributes) -> Bool {
        (0..<attributes.count).contains { attributes.value($0).contains(ExportSanitizer.mark) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    func elementsEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
