import FHIR

/// An element of a resource that definitions of items fill (<https://hl7.org/fhir/uv/sdc/extraction.html>).
final class ElementDraft {
    /// The drafts of one element of the parent.
    struct Child {
        /// The name in JSON: `valueQuantity`.
        let key: String
        /// The name without `[x]` and type: `value`.
        let name: String
        /// The number of the declaration, for the order.
        let order: Int32
        let isRepeated: Bool
        var drafts: [ElementDraft]
    }

    let type: TypeModel.TypeID
    /// The name of its slice, as definitions write it after a colon.
    let slice: String?
    /// A value that was set as a whole.
    var value: JSON?
    private(set) var children: [Child] = []

    init(type: TypeModel.TypeID, slice: String? = nil) {
        self.type = type
        self.slice = slice
    }

    /// Whether it has neither a value nor an element inside with one.
    var isEmpty: Bool { value == nil && children.allSatisfy { $0.drafts.allSatisfy(\.isEmpty) } }

    /// Returns the drafts of an element, of all types of a choice.
    func drafts(of name: String) -> [ElementDraft] { children.filter { $0.name == name }.flatMap(\.drafts) }

    /// Returns the JSON name under which a choice has a value.
    func key(of name: String) -> String? { children.first { $0.name == name }?.key }

    /// Appends a draft of an element.
    func append(_ draft: ElementDraft, key: String, name: String, order: Int32, isRepeated: Bool) {
        if let index = children.firstIndex(where: { $0.key == key }) {
            children[index].drafts.append(draft)
        } else {
            children.append(Child(key: key, name: name, order: order, isRepeated: isRepeated, drafts: [draft]))
        }
    }

    /// The element as JSON, with its members in the order of the definition; nil if it is empty.
    var json: JSON? {
        guard !children.isEmpty else { return value }
        var object = value?.object ?? JSONObject()
        for child in children.sorted(by: { $0.order < $1.order }) {
            let values = child.drafts.compactMap(\.json)
            guard !values.isEmpty else { continue }
            if child.isRepeated {
                object[child.key] = .array((object[child.key]?.array ?? []) + values)
            } else {
                object[child.key] = values.first
            }
        }
        return object.isEmpty ? nil : .object(object)
    }
}
