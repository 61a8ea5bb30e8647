import Core

/// Conversion of texts to numbers as in .NET, which decides with what a text can be compared.
enum JSONPathNumber {
    /// Returns a number of a path: an integer of 64 bits, or a number with a point or an exponent.
    static func literal(_ text: String) -> JSONPathScalar? {
        let isBinary = text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        let kind: JSONPathScalar.Kind = isBinary ? .binary : .integer
        return read(text, as: kind).map { .number($0, kind) }
    }

    /// Converts a text for a comparison with a number of a kind. An integer has 64 bits and neither point nor exponent;
    /// a decimal has no exponent. White space around the number is ignored, and so are commas in the integer part of a
    /// number that is not an integer.
    static func read(_ text: String, as kind: JSONPathScalar.Kind) -> JSONNumber? {
        var bytes = Array(text.utf8)[...]
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        var digits = ""
        if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") {
            if bytes.removeFirst() == UInt8(ascii: "-") { digits = "-" }
        }
        let whole = bytes.prefix { isDigit($0) || (kind != .integer && $0 == UInt8(ascii: ",")) }
        guard whole.first != UInt8(ascii: ",") else { return nil }
        let wholeDigits = whole.filter(isDigit).drop { $0 == UInt8(ascii: "0") }
        bytes = bytes.dropFirst(whole.count)
        digits += wholeDigits.isEmpty ? "0" : String(decoding: wholeDigits, as: UTF8.self)
        var fraction: ArraySlice<UInt8> = []
        if kind != .integer, bytes.first == UInt8(ascii: ".") {
            fraction = bytes.dropFirst().prefix(while: isDigit)
            bytes = bytes.dropFirst(1 + fraction.count)
            if !fraction.isEmpty { digits += "." + String(decoding: fraction, as: UTF8.self) }
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        if kind == .binary, let mark = bytes.first, mark | 0x20 == UInt8(ascii: "e") {
            digits += String(decoding: bytes, as: UTF8.self)
            bytes = []
        }
        guard bytes.isEmpty else { return nil }
        if kind == .integer { return Int(digits).map { JSONNumber($0) } }
        return JSONNumber(text: digits)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
