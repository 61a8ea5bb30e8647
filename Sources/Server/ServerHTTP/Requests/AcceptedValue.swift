import HTTPTypes
import Hummingbird

/// One value that a client accepts, a media type or a coding, with its weight (RFC 9110 section 12.4.2).
package struct AcceptedValue: Sendable, Hashable {
    /// The value and its parameters as they were sent.
    package let text: Substring
    /// The value alone, in lower case.
    package let name: String
    /// The weight: 1 by default, 0 for a value that is not acceptable.
    package let weight: Double

    /// - Parameter text: one element of a field's list.
    package init(_ text: Substring) {
        let parts = text.split(separator: ";").map(Self.trimmed)
        let stated = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
        self.text = text
        name = parts.first?.lowercased() ?? ""
        weight = stated.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }

    /// Returns the values of all given fields, in order.
    package static func all(of fields: [String]) -> [AcceptedValue] {
        fields.flatMap { $0.split(separator: ",") }.map(AcceptedValue.init)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = text.drop(while: isSpace)
        guard let end = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return start[...end]
    }
}

extension Request {
    /// Whether the path of the request is at or below `root`.
    func isAtOrBelow(_ root: String) -> Bool {
        let path = uri.path
        return path.hasPrefix(root) && (path.utf8.count == root.utf8.count || path.hasPrefix(root + "/"))
    }
}

extension Response {
    /// Adds a request header field to `Vary` (RFC 9110 section 12.5.5): the answer depends on it.
    mutating func vary(by field: String) {
        let named = (headers[.vary] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
        if !named.contains(field) { headers[.vary] = (named + [field]).joined(separator: ", ") }
    }
}
