/// Members read and written by type: what the typed views are made of.
extension JSONObject {
    /// A resource of the type, with an id or without, that has no other elements yet.
    public init(resourceType: String, id: String? = nil) {
        self.init()
        self["resourceType"] = .string(resourceType)
        if let id { self["id"] = .string(id) }
    }

    /// The primitive under a name; nil where there is none or it is not written as its type is. Setting nil removes the
    /// member, but not what stands beside it under the name with `_`.
    public subscript<Value: PrimitiveValue>(value key: String) -> Value? {
        get { self[key].flatMap { Value(json: $0) } }
        set { self[key] = newValue?.json }
    }

    /// The primitives under a name. JSON's `null` and what is not written as the type is are left out.
    ///
    /// Setting puts the new values in the places of the old ones, further ones behind them. What was left out keeps its
    /// place, and what stands beside a value under the name with `_` stays with its place as long as a value is there.
    public subscript<Value: PrimitiveValue>(values key: String) -> [Value] {
        get { self[key]?.array?.compactMap { Value(json: $0) } ?? [] }
        set { setEntries(of: key, to: newValue.map(\.json)) { Value(json: $0) != nil } }
    }

    /// The element under a name; nil where there is none or it is no object. Setting nil removes the member.
    public subscript<View: ElementView>(element key: String) -> View? {
        get { View(json: self[key]) }
        set { self[key] = newValue?.json }
    }

    /// The elements under a name; what is no object is left out. Setting leaves it in its place; an empty array removes the
    /// member, as FHIR has no empty arrays.
    public subscript<View: ElementView>(elements key: String) -> [View] {
        get { self[key]?.array?.compactMap { View(json: $0) } ?? [] }
        set { setEntries(of: key, to: newValue.map(\.json)) { $0.object != nil } }
    }

    /// The id and extensions beside the primitive with the name (<https://hl7.org/fhir/R4/json.html#primitive>).
    public subscript(sibling key: String) -> PrimitiveElement? {
        get { PrimitiveElement(json: self["_" + key]) }
        set { setSibling(of: key, to: newValue?.json) }
    }

    /// The ids and extensions beside the primitives of an array, in their places; nil where a value has none. An array
    /// without any removes the member.
    public subscript(siblings key: String) -> [PrimitiveElement?] {
        get { self["_" + key]?.array?.map { PrimitiveElement(json: $0) } ?? [] }
        set {
            let isEmpty = newValue.allSatisfy { $0 == nil }
            setSibling(of: key, to: isEmpty ? nil : .array(newValue.map { $0?.json ?? .null }))
        }
    }

    /// Writes what stands beside a primitive, behind it where it is new.
    private mutating func setSibling(of key: String, to value: JSON?) {
        guard let value else {
            self["_" + key] = nil
            return
        }
        set("_" + key, value, at: (keys.firstIndex(of: key) ?? count) + 1)
    }

    /// Replaces the entries of an array that are of the type.
    private mutating func setEntries(of key: String, to values: [JSON], isEntry: (JSON) -> Bool) {
        var present = self[key]?.array ?? []
        let written = present.count
        let siblings = self["_" + key]?.array
        // What stands beside nothing has its place, too.
        if let siblings { present += Array(repeating: .null, count: max(0, siblings.count - written)) }
        var places: [Int] = []
        var entries: [JSON] = []
        var left = values[...]
        for (place, entry) in present.enumerated() {
            if !isEntry(entry) {
                // Of an array that loses its last value, only the places stay that have something beside them.
                entries.append(values.isEmpty ? .null : entry)
            } else if let value = left.popFirst() {
                entries.append(value)
            } else {
                continue
            }
            places.append(place)
        }
        entries += left
        while entries.count > written, entries.last == .null { entries.removeLast() }
        self[key] = entries.allSatisfy(\.isNull) ? nil : .array(entries)
        guard let siblings, places.count < present.count else { return }
        let kept = places.map { $0 < siblings.count ? siblings[$0] : .null }
        self["_" + key] = kept.allSatisfy(\.isNull) ? nil : .array(kept)
    }
}
