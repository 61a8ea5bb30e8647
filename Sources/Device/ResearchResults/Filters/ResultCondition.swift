import Core

/// A condition on the JSON of a result: `PATH OP VALUE`, such as `results.results.booleanAnswer eq true`.
///
/// - PATH is a path of member names, joined by dots. It passes through arrays: an array on the path means each of
///   its elements, at every depth. If the path ends at an array, its values are the array and its elements.
/// - OP is `eq`, `ne`, `lt`, `le`, `gt` or `ge`.
/// - VALUE is JSON: `"text"`, `1.50`, `true`, `null`, an array or an object.
///
/// A result matches if one value of the path matches. A value of another JSON type than VALUE never matches, for `ne`
/// neither. So `ne` matches if one value has the type of VALUE and differs from it; it is not the opposite of `eq`.
///
/// Numbers are compared exactly by value: `1`, `1.0` and `1e0` are equal. Texts are compared by their code points. Two
/// objects are equal if they have the same members, in any order. `lt`, `le`, `gt` and `ge` compare numbers and texts
/// only.
public struct ResultCondition: Sendable, Hashable {
    /// A comparison of a value of the result with VALUE.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// Equal.
        case equal = "eq"
        /// Of the same type, and not equal.
        case notEqual = "ne"
        /// Less.
        case less = "lt"
        /// Less or equal.
        case lessOrEqual = "le"
        /// Greater.
        case greater = "gt"
        /// Greater or equal.
        case greaterOrEqual = "ge"
    }

    /// Maximum number of bytes of a condition.
    public static let maximumBytes = 2_000
    /// Maximum number of names in a path.
    public static let maximumNames = 32

    /// The member names of the path.
    public let path: [String]
    /// The comparison.
    public let comparison: Comparison
    /// The value.
    public let value: JSON
    private let names: [WantedName]

    /// Reads a condition. Its parts are separated by spaces.
    ///
    /// - Throws: ``ResultFilterError``: `where-malformed`, `where-path-invalid`, `where-operator-unknown`,
    ///   `where-value-invalid`, `where-too-long`.
    public init(_ text: String) throws(ResultFilterError) {
        guard text.utf8.count <= Self.maximumBytes else { throw ResultFilterError(.tooLong) }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        let rest = parts.count == 2 ? parts[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true) : []
        guard rest.count == 2 else { throw ResultFilterError(.malformed) }
        guard let comparison = Comparison(rawValue: String(rest[0])) else { throw ResultFilterError(.operatorUnknown) }
        guard let value = JSON(reading: Array(rest[1].utf8)) else { throw ResultFilterError(.valueInvalid) }
        try self.init(
            path: parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init),
            comparison: comparison, value: value)
    }

    /// Creates a condition.
    ///
    /// - Throws: ``ResultFilterError``: `where-path-invalid` for an empty path, an empty name or too many names,
    ///   `where-value-invalid` for an order of other values than numbers and texts.
    public init(path: [String], comparison: Comparison, value: JSON) throws(ResultFilterError) {
        guard (1...Self.maximumNames).contains(path.count), path.allSatisfy({ !$0.isEmpty }) else {
            throw ResultFilterError(.pathInvalid)
        }
        let isOrdered = value.number != nil || value.string != nil
        guard isOrdered || comparison == .equal || comparison == .notEqual else {
            throw ResultFilterError(.valueInvalid)
        }
        self.path = path
        self.comparison = comparison
        self.value = value
        names = path.map { WantedName($0) }
    }

    /// The condition as text.
    public var text: String { "\(path.joined(separator: ".")) \(comparison.rawValue) \(value.text())" }

    /// Whether one value of the path matches. The time is linear in the size of the JSON.
    public func matches(_ json: JSON) -> Bool {
        // The values to visit, each with the number of names that lead to it. An explicit stack bounds the calls.
        var open = [(value: json, depth: 0)]
        while let (value, depth) = open.popLast() {
            if depth == names.count, isMatch(value) { return true }
            switch value {
            case .array(let elements):
                for element in elements.reversed() { open.append((element, depth)) }
            case .object(let object) where depth < names.count:
                if let member = object[names[depth]] { open.append((member, depth + 1)) }
            default: break
            }
        }
        return false
    }

    private func isMatch(_ candidate: JSON) -> Bool {
        guard candidate.isSameType(as: value) else { return false }
        switch comparison {
        case .equal: return candidate.isSameValue(as: value)
        case .notEqual: return !candidate.isSameValue(as: value)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: break
        }
        guard let order = candidate.order(to: value) else { return false }
        return switch comparison {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        default: order >= 0
        }
    }
}
