/// A JSON object whose members keep their order.
///
/// Look-up is linear: FHIR objects have a handful of members, and a scan of inline strings beats hashing there.
public struct JSONObject: Sendable, Hashable {
    /// One name with its value.
    public struct Member: Sendable, Hashable {
        public let key: String
        public var value: JSON

        public init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The members in document order. Names are unique.
    public private(set) var members: [Member]

    public init() { members = [] }

    /// For the parser, which has checked that the names are unique.
    init(unique members: [Member]) { self.members = members }

    public var isEmpty: Bool { members.isEmpty }
    public var count: Int { members.count }
    public var keys: [String] { members.map(\.key) }

    /// The value of the member, nil if there is none. Setting keeps a member's place, appends a new one at the end,
    /// and nil removes it.
    public subscript(key: String) -> JSON? {
        get {
            for member in members where member.key == key { return member.value }
            return nil
        }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Sets a member; a new one is put at the given place instead of at the end.
    public mutating func set(_ key: String, _ value: JSON, at index: Int) {
        if let present = members.firstIndex(where: { $0.key == key }) {
            members[present].value = value
        } else {
            members.insert(Member(key: key, value: value), at: min(max(index, 0), members.count))
        }
    }
}
