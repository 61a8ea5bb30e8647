/// Syntax of the ids and type names of resources, for code that passes resources on without reading FHIR.
public enum ResourceName {
    /// Whether the text is a FHIR id: 1 to 64 letters, digits, `-` and `.`
    /// (<https://hl7.org/fhir/R4/datatypes.html#id>).
    public static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }

    /// Whether the text could be the name of a resource type: an upper-case letter, then letters, with a maximum length
    /// of 64.
    public static func isType(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x41...0x5A).contains(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }
}
