import FHIR

/// A collection. The usual cases, no item and one item, need no array.
enum Items: Sendable {
    case empty
    case one(FHIRPathValue)
    /// Two items or more.
    case many([FHIRPathValue])

    init(_ values: [FHIRPathValue]) {
        switch values.count {
        case 0: self = .empty
        case 1: self = .one(values[0])
        default: self = .many(values)
        }
    }

    static func truth(_ value: Bool) -> Items { .one(.boolean(value)) }

    var array: [FHIRPathValue] {
        switch self {
        case .empty: []
        case .one(let value): [value]
        case .many(let values): values
        }
    }

    var count: Int {
        switch self {
        case .empty: 0
        case .one: 1
        case .many(let values): values.count
        }
    }

    var isEmpty: Bool { if case .empty = self { true } else { false } }

    var isSeveral: Bool { if case .many = self { true } else { false } }

    /// The first item.
    var first: FHIRPathValue? {
        switch self {
        case .empty: nil
        case .one(let value): value
        case .many(let values): values.first
        }
    }

    /// The last item.
    var last: FHIRPathValue? {
        if case .many(let values) = self { values.last } else { first }
    }

    mutating func append(_ value: FHIRPathValue) {
        switch self {
        case .empty: self = .one(value)
        case .one(let first): self = .many([first, value])
        case .many(var values):
            // The array must have only one reference while it grows.
            self = .empty
            values.append(value)
            self = .many(values)
        }
    }

    mutating func append(_ items: Items) {
        switch items {
        case .empty: break
        case .one(let value): append(value)
        case .many(let values):
            switch self {
            case .empty: self = items
            case .one(let first): self = .many([first] + values)
            case .many(var mine):
                self = .empty
                mine += values
                self = .many(mine)
            }
        }
    }
}
