/// Typed access to members, from which the typed views are built.
extension JSONObject {
    /// Creates a resource of the type, with or without an id, and without other elements.
    public init(resourceType: String, id: String? = nil) {
        self.init()
        self["resourceType"] = .string(resourceType)
        if let id { self["id"] = .string(id) }
    }

    /// The primitive with a name; nil if there is none or if it is malformed for its type. Setting nil removes the
    /// member, but not its sibling with the prefix `_`.
    public subscript<Value: PrimitiveValue>(value key: String) -> Value? {
        get { self[key].flatMap { Value(json: $0) } }
        set { self[key] = newValue?.json }
    }

    /// The primitives with a name, without JSON's `null` and without values that are malformed for the type.
    ///
    /// Setting replaces the old values at their indices and appends further ones. Omitted entries keep their indices,
    /// and the sibling of a value stays at its index as long as there is a value.
    public subscript<Value: PrimitiveValue>(values key: String) -> [Value] {
        get { self[key]?.array?.compactMap { Value(json: $0) } ?? [] }
        set { setEntries(of: key, to: newValue.map(\.json)) { Value(json: $0) != nil } }
    }

    /// The element with a name; nil if there is none or it is not an object. Setting nil removes the member.
    public subscript<View: ElementView>(element key: String) -> View? {
        get { View(json: self[key]) }
        set { self[key] = newValue?.json }
    }

    /// The elements with a name, without values that are not objects. Setting keeps these values at their indices; an
    /// empty array removes the member, because FHIR does not allow empty arrays.
    public subscript<View: ElementView>(elements key: String) -> [View] {
        get { self[key]?.array?.compactMap { View(json: $0) } ?? [] }
        set { setEntries(of: key, to: newValue.map(\.json)) { $0.object != nil } }
    }

    /// The id and extensions of the primitive with the name (<https://hl7.org/fhir/R4/json.html#primitive>).
    public subscript(sibling key: String) -> PrimitiveElement? {
        get { PrimitiveElement(json: self["_" + key]) }
        set { setSibling(of: key, to: newValue?.json) }
    }

    /// The ids and extensions of the primitives of an array, at the same indices; nil for a value without any. An array
    /// of only nil removes the member.
    public subscript(siblings key: String) -> [PrimitiveElement?] {
        get { self["_" + key]?.array?.map { PrimitiveElement(json: $0) } ?? [] }
        set {
            let isEmpty = newValue.allSatisfy { $0 == nil }
            setSibling(of: key, to: isEmpty ? nil : .array(newValue.map { $0?.json ?? .null }))
        }
    }

    /// Writes the sibling of a primitive; a new one is inserted after the primitive.
    private mutating func setSibling(of key: String, to value: JSON?) {
        guard let value else {
            self["_" + key] = nil
            return
        }
        set("_" + key, value, at: (keys.firstIndex(of: key) ?? count) + 1)
    }

    /// Replaces the entries of an array that have the type.
    private mutating func setEntries(of key: String, to values: [JSON], isEntry: (JSON) -> Bool) {
        var present = self[key]?.array ?? []
        let written = present.count
        let siblings = self["_" + key]?.array
        // A sibling without a value also has an index.
        if let siblings { present += Array(repeating: .null, count: max(0, siblings.count - written)) }
        var keptIndices: [Int] = []
        var entries: [JSON] = []
        var left = values[...]
        for (index, entry) in present.enumerated() {
            if !isEntry(entry) {
                // An array that loses its last value keeps only the indices with a sibling.
                entries.append(values.isEmpty ? .null : entry)
            } else if let value = left.popFirst() {
                entries.append(value)
            } else {
                continue
            }
            keptIndices.append(index)
        }
        entries += left
        while entries.count > written, entries.last == .null { entries.removeLast() }
        self[key] = entries.allSatisfy(\.isNull) ? nil : .array(entries)
        guard let siblings, keptIndices.count < present.count else { return }
        let kept = keptIndices.map { $0 < siblings.count ? siblings[$0] : .null }
        self["_" + key] = kept.allSatisfy(\.isNull) ? nil : .array(kept)
    }
}
