import FHIR

/// The name of an element in an expression, with lookups that do not depend on the data.
final class MemberName: Sendable {
    let text: String
    /// The name of the sibling of a primitive: `_birthDate`.
    let sibling: String
    /// The type with the name, for names that begin with a capital: `Patient`.
    let type: TypeModel.TypeID
    /// The types in which the name is an element, a choice, or a member of a choice (which is not a name of FHIRPath).
    let plain: NameIndex.Table?
    let choice: NameIndex.Table?
    let choiceMember: NameIndex.Table?
    /// Whether an element that R4 does not define may have the name.
    let isOpen: Bool
    let location: SourceLocation

    init(_ text: String, _ location: SourceLocation) {
        self.text = text
        self.location = location
        sibling = "_" + text
        let isCapital = text.utf8.first.map { (0x41...0x5A).contains($0) } ?? false
        type = isCapital ? TypeModel.r4.type(text) ?? .unknown : .unknown
        plain = NameIndex.shared.plain(text)
        choice = NameIndex.shared.choice(text)
        choiceMember = NameIndex.shared.choiceMember(text)
        isOpen = text != "resourceType" && text.utf8.first != UInt8(ascii: "_")
    }
}
