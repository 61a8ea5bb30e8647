import FHIR

extension JSON {
    /// Returns whether two values are the same, without regard to the order of members and to the notation of numbers.
    func isSame(as other: JSON) -> Bool {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.members.allSatisfy { member in right[member.key].map { member.value.isSame(as: $0) } ?? false }
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.number(let left), .number(let right)):
            return left.text == right.text || JSONNumber.order(left, right) == 0
        default: return self == other
        }
    }
}

extension JSON {
    /// The value with the members of objects in the order of their names, for comparisons and keys.
    var sorted: JSON {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    keepingFirst: object.members.sorted { $0.key < $1.key }.map {
                        JSONObject.Member(key: $0.key, value: $0.value.sorted)
                    }))
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}

/// Returns whether two lists of elements are the same.
func areSame(_ left: [some ElementView], _ right: [some ElementView]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.json.isSame(as: $1.json) }
}

/// Returns whether two optional values are both absent or the same.
func areSame(_ left: JSON?, _ right: JSON?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.isSame(as: right)
    default: false
    }
}
