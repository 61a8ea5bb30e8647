/// The opaque text form of a number in a page's cursor.
package enum Cursor {
    package static func text(_ number: Int64) -> String { "n" + String(number, radix: 36) }

    package static func number(_ text: String) -> Int64? {
        guard text.first == "n", let number = Int64(text.dropFirst(), radix: 36), number >= 0 else { return nil }
        return number
    }
}
