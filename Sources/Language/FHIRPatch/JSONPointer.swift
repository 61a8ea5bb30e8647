import Core

/// A JSON Pointer (RFC 6901).
package struct JSONPointer: Sendable, Hashable {
    /// The unescaped names and indices of the path; none for the document itself.
    let tokens: [String]

    /// Maximum number of tokens: the maximum nesting of a resource.
    static let maximumTokens = 128

    init(tokens: [String]) { self.tokens = tokens }

    /// Reads a pointer; nil where the text is not one.
    init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = Self.unescaped(part), tokens.count < Self.maximumTokens else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// RFC 6901 section 4: `~1` is a slash and `~0` a tilde; no other character may follow a tilde.
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

    /// Returns the index of a token in an array with a length: a number without leading zeros (RFC 6901 section 4).
    ///
    /// - Parameter mayAppend: whether the index after the last element is accepted, as a number or as `-`.
    static func index(of token: String, count: Int, mayAppend: Bool) -> Int? {
        if token == "-" { return mayAppend ? count : nil }
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            token == "0" || token.utf8.first != 0x30, let index = Int(token)
        else { return nil }
        return index < count || (mayAppend && index == count) ? index : nil
    }

    /// Whether another pointer is this one or points inside of its value.
    func contains(_ other: JSONPointer) -> Bool { other.tokens.starts(with: tokens) }

    /// Returns the value at the pointer; nil where there is none.
    func value(in document: JSON) -> JSON? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Self.index(of: token, count: elements.count, mayAppend: false) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }
}
