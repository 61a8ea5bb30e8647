import Core

/// A place in a JSON document (RFC 6901).
struct JSONPointer: Sendable, Hashable {
    /// The names and numbers on the way, their escapes resolved; none for the document itself.
    let tokens: [String]

    /// Places deeper than a resource may be nested are none.
    static let mostTokens = 128

    init(tokens: [String]) { self.tokens = tokens }

    /// Reads a pointer; nil for what is none.
    init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = Self.unescaped(part), tokens.count < Self.mostTokens else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// RFC 6901 section 4: `~1` is a slash and `~0` a tilde, and nothing else stands behind a tilde.
    private static func unescaped(_ part: Substring) -> String? {
        guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
        var result = ""
        var rest = part[...]
        while let tilde = rest.firstIndex(of: "~") {
            result += rest[..<tilde]
            let next = rest.index(after: tilde)
            guard next < rest.endIndex else { return nil }
            switch rest[next] {
            case "0": result += "~"
            case "1": result += "/"
            default: return nil
            }
            rest = rest[rest.index(after: next)...]
        }
        return result + rest
    }

    /// The place that a token names in an array of a length: a number without leading zeros (RFC 6901 section 4).
    ///
    /// - Parameter mayAppend: whether the place behind the last one is meant too, by its number or by `-`.
    static func place(_ token: String, count: Int, mayAppend: Bool) -> Int? {
        if token == "-" { return mayAppend ? count : nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            token == "0" || token.utf8.first != 0x30, let place = Int(token)
        else { return nil }
        return place < count || (mayAppend && place == count) ? place : nil
    }

    /// Whether another place is this one or lies inside of it.
    func contains(_ other: JSONPointer) -> Bool { other.tokens.starts(with: tokens) }

    /// The value at the place; nil where there is none.
    func value(in document: JSON) -> JSON? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let elements):
                guard let place = Self.place(token, count: elements.count, mayAppend: false) else { return nil }
                value = elements[place]
            default: return nil
            }
        }
        return value
    }
}
