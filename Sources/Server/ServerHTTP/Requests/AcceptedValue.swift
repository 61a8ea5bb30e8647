import HTTPTypes
import Hummingbird

/// One of the values that a client says it takes, a media type or a coding, with its weight (RFC 9110 section 12.4.2).
public struct AcceptedValue: Sendable, Hashable {
    /// The value and its parameters as they were sent.
    public let text: Substring
    /// The value alone, in lower case.
    public let name: String
    /// How much it is liked: 1 where nothing is said, 0 for what is not taken.
    public let weight: Double

    /// - Parameter text: one element of a field's list.
    public init(_ text: Substring) {
        let parts = text.split(separator: ";").map(Self.trimmed)
        let said = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
        self.text = text
        name = parts.first?.lowercased() ?? ""
        weight = said.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }

    /// The values of all fields of a name, in their order.
    public static func all(of fields: [String]) -> [AcceptedValue] {
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
    /// Whether it asks for a path or for what lies below it.
    func isAtOrBelow(_ root: String) -> Bool {
        let path = uri.path
        return path.hasPrefix(root) && (path.utf8.count == root.utf8.count || path.hasPrefix(root + "/"))
    }
}

extension Response {
    /// Says that the answer is another one where a header field of the request is (RFC 9110 section 12.5.5).
    mutating func vary(by field: String) {
        let named = (headers[.vary] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
        if !named.contains(field) { headers[.vary] = (named + [field]).joined(separator: ", ") }
    }
}
