import Core
import Foundation

/// The cursor of a page: the sort values and the number of its last record. Its text is opaque.
///
/// It contains the values, so that the next page is found even if the record has been deleted, and nothing of a record
/// that may be hidden has to be read.
package struct PageCursor: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case none
        case integer(Int64)
        case real(Double)
        case text(String)
    }

    /// One for each key of the order.
    package let values: [Value]
    package let number: Int64

    package static let longest = 4_096

    package var text: String {
        guard !values.isEmpty else { return Cursor.text(number) }
        return (["s" + String(number, radix: 36)] + values.map(Self.text)).joined(separator: ".")
    }

    package init(values: [Value], number: Int64) {
        self.values = values
        self.number = number
    }

    /// Reads a cursor; nil where the text is not a cursor of an order with these kinds of keys.
    package init?(_ text: String, kinds: [SearchOrder.Kind]) {
        guard text.utf8.count <= Self.longest else { return nil }
        guard !kinds.isEmpty else {
            guard let number = Cursor.number(text) else { return nil }
            self.init(values: [], number: number)
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == kinds.count + 1, parts[0].first == "s",
            let number = Int64(parts[0].dropFirst(), radix: 36), number >= 0
        else { return nil }
        var values: [Value] = []
        for (part, kind) in zip(parts.dropFirst(), kinds) {
            guard let value = Self.value(part, kind) else { return nil }
            values.append(value)
        }
        self.init(values: values, number: number)
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .none: "n"
        case .integer(let number): "i" + String(number, radix: 36)
        case .real(let number): "r" + String(number.bitPattern, radix: 36)
        case .text(let text): "t" + Hexadecimal.text(Array(text.utf8))
        }
    }

    private static func value(_ text: Substring, _ kind: SearchOrder.Kind) -> Value? {
        let rest = text.dropFirst()
        switch (text.first, kind) {
        case ("n", _): return rest.isEmpty ? Value.none : nil
        case ("i", .integer): return Int64(rest, radix: 36).map(Value.integer)
        case ("r", .real):
            guard let bits = UInt64(rest, radix: 36), case let number = Double(bitPattern: bits), !number.isNaN else {
                return nil
            }
            return .real(number)
        case ("t", .text):
            guard let bytes = Hexadecimal.bytes(String(rest)), !bytes.contains(0),
                case let text = String(decoding: bytes, as: UTF8.self), text.utf8.elementsEqual(bytes)
            else { return nil }
            return .text(text)
        default: return nil
        }
    }
}
