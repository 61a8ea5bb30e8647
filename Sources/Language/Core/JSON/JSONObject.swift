/// A JSON object whose members keep their order.
///
/// FHIR objects have a handful of members, and a scan of inline strings beats hashing there; an object that has more
/// keeps an index of its names, so that no text costs more than its length, whatever names it has.
public struct JSONObject: Sendable {
    /// One name with its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public let key: String
        /// The value.
        public var value: JSON

        /// Makes a member of a name and a value.
        public init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The members in document order. Names are unique.
    public private(set) var members: [Member]

    /// Where each name stands, once there are more members than are scanned quickly.
    private var places: [String: Int]?

    /// An object of more members has an index.
    package static let mostScanned = 16

    /// Makes an object without members.
    public init() { members = [] }

    /// For who has checked that the names are unique, as the parser has.
    package init(unique members: [Member]) {
        self.members = members
        if members.count > JSONObject.mostScanned { indexAll() }
    }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The number of members.
    public var count: Int { members.count }
    /// The names of the members, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of the member, nil if there is none. Setting keeps a member's place, appends a new one at the end,
    /// and nil removes it.
    public subscript(key: String) -> JSON? {
        get { place(of: key).map { members[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): remove(at: place)
            case (nil, let value?): append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The value of the member whose name has the same code points. The subscript finds one that looks alike, too.
    package subscript(name: WantedName) -> JSON? {
        if let places {
            guard let place = places[name.text] else { return nil }
            if name.isSame(as: members[place].key) { return members[place].value }
        }
        for place in members.indices where name.isSame(as: members[place].key) { return members[place].value }
        return nil
    }

    /// Sets a member; a new one is put at the given place instead of at the end.
    public mutating func set(_ key: String, _ value: JSON, at index: Int) {
        if let present = place(of: key) {
            members[present].value = value
        } else if index >= members.count {
            append(Member(key: key, value: value))
        } else {
            members.insert(Member(key: key, value: value), at: max(index, 0))
            if places != nil || members.count > JSONObject.mostScanned { indexAll() }
        }
    }

    /// Changes the value of a member in place, without a copy of what it holds. Nothing happens where there is no such
    /// member.
    public mutating func update<Outcome>(_ key: String, _ change: (inout JSON) -> Outcome) -> Outcome? {
        place(of: key).map { change(&members[$0].value) }
    }

    // MARK: Places

    private func place(of key: String) -> Int? {
        if let places { return places[key] }
        return members.firstIndex { $0.key == key }
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if places != nil {
            places?[member.key] = members.count - 1
        } else if members.count > JSONObject.mostScanned {
            indexAll()
        }
    }

    private mutating func remove(at place: Int) {
        let key = members.remove(at: place).key
        guard places != nil else { return }
        // The last one leaves all others where they are.
        if place == members.count { places?[key] = nil } else { indexAll() }
    }

    /// The first of several names that look alike has the place, as a scan finds it.
    private mutating func indexAll() {
        var places = [String: Int](minimumCapacity: members.count)
        for (place, member) in members.enumerated() where places[member.key] == nil { places[member.key] = place }
        self.places = places
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
