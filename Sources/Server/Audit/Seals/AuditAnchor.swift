import Core
import Foundation

/// The head of a seal as it is written outside of the store.
package struct AuditAnchor: Sendable, Hashable {
    /// Number of the seal.
    package let seal: Int64
    /// Number of its last row.
    package let lastRow: Int64
    /// Time of the seal in the form of ``Storage/SQLTimestamp``.
    package let at: String
    /// Head in lowercase hexadecimal.
    package let head: String

    package init(_ seal: AuditSeal) {
        self.seal = seal.number
        lastRow = seal.lastRow
        at = seal.at
        head = seal.head
    }

    /// Reads the form of ``json``; nil for anything else.
    package init?(_ json: JSON) {
        guard let seal = json["seal"]?.integer, seal > 0, let lastRow = json["lastRow"]?.integer, lastRow >= 0,
            let at = json["at"]?.string, let head = json["head"]?.string, Self.isHead(head)
        else { return nil }
        self.seal = Int64(seal)
        self.lastRow = Int64(lastRow)
        self.at = at
        self.head = head
    }

    package var json: JSON {
        [
            "seal": .number(JSONNumber(Int(seal))), "lastRow": .number(JSONNumber(Int(lastRow))), "at": .string(at),
            "head": .string(head),
        ]
    }

    /// Whether a text is 64 lowercase hexadecimal digits.
    package static func isHead(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
