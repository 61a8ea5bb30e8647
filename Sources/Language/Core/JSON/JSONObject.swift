/// A JSON object whose members keep their order.
///
/// FHIR objects have few members, and scanning a few inline strings is faster than hashing. A larger object keeps an
/// index of its names, so that reading any text takes linear time, whatever names it has. Removal from an object with
/// an index takes constant time on average.
public struct JSONObject: Sendable {
    /// One name with its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public let key: String
        /// The value.
        public var value: JSON

        /// Creates a member from a name and a value.
        public init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The members in document order. Names are unique.
    public var members: [Member] { hasRemoved ? remaining : slots }

    /// The members in document order, including removed members that are not cleared yet (``NameIndex/removed``).
    private var slots: [Member]

    /// The index of the names if there are more members than are scanned quickly; otherwise empty. It is an array
    /// because an array has the size of a reference, which keeps ``JSON`` as small as a string.
    private var index: [NameIndex] = []

    /// Maximum number of members that are scanned. A larger object has an index.
    package static let maximumScanned = 16

    /// Creates an object without members.
    public init() { slots = [] }

    /// Creates an object from members whose names are known to be unique, as the parser checks.
    package init(unique members: [Member]) {
        slots = members
        if members.count > JSONObject.maximumScanned { indexAll() }
    }

    /// Whether there are no members.
    public var isEmpty: Bool { count == 0 }
    /// The number of members.
    public var count: Int { index.isEmpty ? slots.count : slots.count - index[0].removed.count }
    /// The names of the members, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of the member; nil if there is none. Setting a value keeps the member's position or appends a new
    /// member. Setting nil removes it.
    public subscript(key: String) -> JSON? {
        get { slot(of: key).map { slots[$0].value } }
        set {
            switch (slot(of: key), newValue) {
            case (let slot?, let value?): slots[slot].value = value
            case (let slot?, nil): remove(at: slot)
            case (nil, let value?): append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The value of the member whose name has the same code points. The other subscript also finds canonically
    /// equivalent names.
    package subscript(name: WantedName) -> JSON? {
        if !index.isEmpty {
            guard let slot = index[0].slots[name.text] else { return nil }
            if name.isSame(as: slots[slot].key) { return slots[slot].value }
        }
        for slot in slots.indices where name.isSame(as: slots[slot].key) && !isRemoved(slot) {
            return slots[slot].value
        }
        return nil
    }

    /// Sets a member. A new one is inserted at the given index instead of at the end.
    public mutating func set(_ key: String, _ value: JSON, at position: Int) {
        if let present = slot(of: key) {
            slots[present].value = value
        } else if position >= count {
            append(Member(key: key, value: value))
        } else {
            if hasRemoved { slots = remaining }
            slots.insert(Member(key: key, value: value), at: max(position, 0))
            if !index.isEmpty || slots.count > JSONObject.maximumScanned { indexAll() }
        }
    }

    /// Changes the value of a member without a copy. Does nothing if there is no such member.
    public mutating func update<Outcome>(_ key: String, _ change: (inout JSON) -> Outcome) -> Outcome? {
        slot(of: key).map { change(&slots[$0].value) }
    }
}

// MARK: Index

extension JSONObject {
    /// Index of the names of an object with many members.
    private struct NameIndex: Sendable {
        /// The slot of each name. Of several names that are equal as strings but have other code points, the first.
        var slots: [String: Int]
        /// The other slots of such names, the last first.
        var further: [String: [Int]]
        /// Slots whose members were removed.
        var removed: Set<Int> = []
    }

    private var hasRemoved: Bool { !index.isEmpty && !index[0].removed.isEmpty }

    private func isRemoved(_ slot: Int) -> Bool { !index.isEmpty && index[0].removed.contains(slot) }

    private var remaining: [Member] { slots.enumerated().filter { !isRemoved($0.offset) }.map(\.element) }

    private func slot(of key: String) -> Int? {
        index.isEmpty ? slots.firstIndex { $0.key == key } : index[0].slots[key]
    }

    private mutating func append(_ member: Member) {
        slots.append(member)
        if !index.isEmpty {
            index[0].slots[member.key] = slots.count - 1
        } else if slots.count > JSONObject.maximumScanned {
            indexAll()
        }
    }

    /// Removes a member. The members after it stay in their slots. When half of the slots are removed ones, all of
    /// these are cleared together.
    private mutating func remove(at slot: Int) {
        guard !index.isEmpty else {
            slots.remove(at: slot)
            return
        }
        let key = slots[slot].key
        index[0].slots[key] = index[0].further[key]?.popLast()
        slots[slot].value = .null
        index[0].removed.insert(slot)
        guard index[0].removed.count > slots.count / 2 || slots.count <= 2 * JSONObject.maximumScanned else { return }
        slots = remaining
        indexAll()
    }

    private mutating func indexAll() {
        var slotsByName = [String: Int](minimumCapacity: slots.count)
        var further: [String: [Int]] = [:]
        for (slot, member) in slots.enumerated() {
            if slotsByName[member.key] == nil {
                slotsByName[member.key] = slot
            } else {
                further[member.key, default: []].append(slot)
            }
        }
        index = [NameIndex(slots: slotsByName, further: further.mapValues { $0.reversed() })]
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
