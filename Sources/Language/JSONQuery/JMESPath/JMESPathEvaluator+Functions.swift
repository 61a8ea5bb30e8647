import Core

extension JMESPathEvaluator {
    /// Returns a function's value (<https://jmespath.org/specification.html#built-in-functions>). The parser has
    /// checked the number of arguments.
    mutating func call(
        _ function: JMESPathFunction, arguments: [JMESPathNode], current: JSON
    ) throws(JMESPathError) -> JSON {
        switch function {
        case .map:
            let reference = try reference(arguments[0], function)
            return try mapped(reference, try array(try value(of: arguments[1], current), function))
        case .maxBy, .minBy, .sortBy:
            let elements = try array(try value(of: arguments[0], current), function)
            return try ordered(function, elements, by: try reference(arguments[1], function))
        case .notNull:
            // All arguments are evaluated first, as the specification requires.
            var found = JSON.null
            for argument in arguments {
                let value = try value(of: argument, current)
                if found.isNull { found = value }
            }
            return found
        case .merge: return try merged(arguments, current)
        default: break
        }
        let first = try value(of: arguments[0], current)
        switch arguments.count {
        case 1: return try unary(function, first)
        case 2: return try binary(function, first: first, second: try value(of: arguments[1], current))
        default:
            return try inserted(
                first, part: try value(of: arguments[1], current), at: try value(of: arguments[2], current))
        }
    }

    private mutating func unary(_ function: JMESPathFunction, _ value: JSON) throws(JMESPathError) -> JSON {
        switch function {
        case .abs, .ceil, .floor: return try rounded(function, try number(value, function))
        case .avg, .sum: return try total(function, try array(value, function))
        case .keys:
            let object = try object(value, function)
            try spend(object.count)
            return .array(object.members.map { .string($0.key) })
        case .values:
            let object = try object(value, function)
            try spend(object.count)
            return .array(object.members.map(\.value))
        case .length: return try length(value)
        case .max, .min, .sort: return try ordered(function, try array(value, function), by: .current)
        case .reverse: return try reversed(value)
        case .toArray: return if case .array = value { value } else { .array([value]) }
        case .toNumber: return try parsed(value)
        case .toString: return try written(value)
        case .type: return .string(value.typeName)
        default: return try instant(function, try number(value, function))
        }
    }

    private mutating func binary(
        _ function: JMESPathFunction, first: JSON, second: JSON
    ) throws(JMESPathError) -> JSON {
        switch function {
        case .contains: return .bool(try contains(first, second))
        case .startsWith:
            let (text, part) = (try string(first, function), try string(second, function))
            try spend(part.utf8.count / 16)
            return .bool(text.utf8.starts(with: part.utf8))
        case .endsWith:
            let (text, part) = (try string(first, function), try string(second, function))
            try spend(part.utf8.count / 16)
            return .bool(
                text.utf8.count >= part.utf8.count && text.utf8.suffix(part.utf8.count).elementsEqual(part.utf8))
        case .join: return try joined(try string(first, function), try array(second, function))
        default:
            return try arithmetic(
                function, first: try number(first, function), second: try number(second, function))
        }
    }

    // MARK: Arguments

    func refusal(_ function: JMESPathFunction, _ expected: String) -> JMESPathError {
        JMESPathError(.invalidType, "\(function.rawValue)() takes \(expected).")
    }

    func number(_ value: JSON, _ function: JMESPathFunction) throws(JMESPathError) -> JSONNumber {
        guard case .number(let number) = value else {
            throw refusal(function, function.arity == 2...2 ? "two numbers" : "a number")
        }
        return number
    }

    private func string(_ value: JSON, _ function: JMESPathFunction) throws(JMESPathError) -> String {
        guard case .string(let text) = value else {
            throw refusal(function, function == .join ? "a text and an array of texts" : "two texts")
        }
        return text
    }

    private func array(_ value: JSON, _ function: JMESPathFunction) throws(JMESPathError) -> [JSON] {
        guard case .array(let elements) = value else {
            throw refusal(function, function == .join ? "a text and an array of texts" : "an array")
        }
        return elements
    }

    private func object(_ value: JSON, _ function: JMESPathFunction) throws(JMESPathError) -> JSONObject {
        guard case .object(let object) = value else {
            throw refusal(function, function == .merge ? "objects" : "an object")
        }
        return object
    }

    private func reference(
        _ argument: JMESPathNode, _ function: JMESPathFunction
    ) throws(JMESPathError) -> JMESPathNode {
        guard case .reference(let node) = argument else {
            throw refusal(function, "an array and an expression with &")
        }
        return node
    }

    // MARK: Arrays and objects

    private mutating func mapped(_ reference: JMESPathNode, _ elements: [JSON]) throws(JMESPathError) -> JSON {
        var found: [JSON] = []
        found.reserveCapacity(elements.count)
        for element in elements { found.append(try value(of: reference, element)) }
        return .array(found)
    }

    private mutating func merged(_ arguments: [JMESPathNode], _ current: JSON) throws(JMESPathError) -> JSON {
        var members: [JSONObject.Member] = []
        for argument in arguments {
            let object = try object(try value(of: argument, current), .merge)
            try spend(object.count)
            members.append(contentsOf: object.members)
        }
        return .object(JSONObject(keepingLast: members))
    }

    private mutating func length(_ value: JSON) throws(JMESPathError) -> JSON {
        switch value {
        case .string(let text):
            try spend(text.utf8.count / 16)
            return .number(JSONNumber(text.unicodeScalars.count))
        case .array(let elements): return .number(JSONNumber(elements.count))
        case .object(let object): return .number(JSONNumber(object.count))
        default: throw refusal(.length, "a text, an array or an object")
        }
    }

    private mutating func reversed(_ value: JSON) throws(JMESPathError) -> JSON {
        switch value {
        case .string(let text):
            try spend(text.utf8.count / 16)
            var reversed = String.UnicodeScalarView()
            reversed.append(contentsOf: text.unicodeScalars.reversed())
            return .string(String(reversed))
        case .array(let elements):
            try spend(elements.count)
            return .array(elements.reversed())
        default: throw refusal(.reverse, "a text or an array")
        }
    }

    private mutating func contains(_ value: JSON, _ wanted: JSON) throws(JMESPathError) -> Bool {
        switch value {
        case .array(let elements):
            for element in elements where try areEqual(element, wanted) { return true }
            return false
        case .string(let text):
            guard case .string(let part) = wanted else { return false }
            try spend((text.utf8.count + part.utf8.count) / 16)
            return ByteSearch.isFound(part, in: text)
        default: throw refusal(.contains, "a text or an array, and a value to search for")
        }
    }

    // MARK: Texts

    private mutating func joined(_ separator: String, _ elements: [JSON]) throws(JMESPathError) -> JSON {
        var text = ""
        for (index, element) in elements.enumerated() {
            let part = try string(element, .join)
            try spend(1 + (part.utf8.count + separator.utf8.count) / 16)
            if index > 0 { text += separator }
            text += part
        }
        return .string(text)
    }

    private mutating func written(_ value: JSON) throws(JMESPathError) -> JSON {
        if case .string = value { return value }
        // A value that an expression has built can be much larger as text than in memory.
        try checkSize(of: value)
        let text = value.text(.compact)
        try spend(text.utf8.count / 16)
        return .string(text)
    }

    private mutating func parsed(_ value: JSON) throws(JMESPathError) -> JSON {
        switch value {
        case .number: return value
        case .string(let text):
            try spend(text.utf8.count / 16)
            return JSONNumber(text: text).map { .number($0) } ?? .null
        default: return .null
        }
    }

    private mutating func inserted(_ text: JSON, part: JSON, at offset: JSON) throws(JMESPathError) -> JSON {
        guard case .string(let text) = text, case .string(let part) = part, case .number(let offset) = offset else {
            throw refusal(.insertString, "two texts and an offset")
        }
        try spend((text.utf8.count + part.utf8.count) / 16)
        guard let offset = try whole(offset, .insertString) else {
            throw JMESPathError(.outOfRange, "The offset of insertString() is outside of the text.")
        }
        // Offsets are counted in UTF-16 units, as by the connector. Text cannot be inserted inside a surrogate pair.
        guard offset >= 0, offset <= text.utf16.count,
            let index = text.utf16.index(text.startIndex, offsetBy: offset).samePosition(in: text.unicodeScalars)
        else { throw JMESPathError(.outOfRange, "The offset of insertString() is outside of the text.") }
        return .string(String(text.unicodeScalars[..<index]) + part + String(text.unicodeScalars[index...]))
    }
}

extension JSON {
    /// The name of the type as returned by `type()`.
    fileprivate var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// Searches for one text in another by bytes, in time linear in both (Knuth, Morris, Pratt).
enum ByteSearch {
    static func isFound(_ part: String, in text: String) -> Bool {
        let wanted = Array(part.utf8)
        guard !wanted.isEmpty else { return true }
        guard wanted.count <= text.utf8.count else { return false }
        var borders = [Int](repeating: 0, count: wanted.count)
        var length = 0
        for index in 1..<max(1, wanted.count) {
            while length > 0, wanted[index] != wanted[length] { length = borders[length - 1] }
            if wanted[index] == wanted[length] { length += 1 }
            borders[index] = length
        }
        length = 0
        for byte in text.utf8 {
            while length > 0, byte != wanted[length] { length = borders[length - 1] }
            if byte == wanted[length] { length += 1 }
            if length == wanted.count { return true }
        }
        return false
    }
}
