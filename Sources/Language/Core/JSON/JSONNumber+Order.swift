extension JSONNumber {
    /// Compares two numbers by their values, exactly and in time linear in their digits. The result is negative if the
    /// first is less, and zero if the values are equal, however they are written.
    package static func order(_ first: JSONNumber, _ second: JSONNumber) -> Int {
        if first.text == second.text { return 0 }
        if let left = SmallDecimal(first.text), let right = SmallDecimal(second.text),
            left.fractionDigits == right.fractionDigits
        {
            return left.digits < right.digits ? -1 : left.digits == right.digits ? 0 : 1
        }
        return DecimalText(first.text).order(to: DecimalText(second.text))
    }
}

/// A number of few digits without an exponent, as nearly all numbers are.
private struct SmallDecimal {
    var digits = 0
    var fractionDigits = 0

    init?(_ text: String) {
        guard text.utf8.count <= 18 else { return nil }
        var isNegative = false
        var isFraction = false
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39:
                digits = digits * 10 + Int(byte - 0x30)
                if isFraction { fractionDigits += 1 }
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            default: return nil
            }
        }
        if isNegative { digits = -digits }
    }
}

/// The digits of a number from its first to its last nonzero digit, and the power of ten of the first.
private struct DecimalText {
    private var isNegative = false
    private var digits: [UInt8] = []
    /// Position of the first digit: 1 is the last digit before the decimal point, 0 the first digit after it.
    private var position = 0

    /// A larger exponent is read as this one; no text has as many digits.
    private static let greatestExponent = 1 << 60

    init(_ text: String) {
        var exponent = 0
        var whole = 0
        var isFraction = false
        var bytes = Array(text.utf8)[...]
        if bytes.first == UInt8(ascii: "-") {
            isNegative = true
            bytes = bytes.dropFirst()
        }
        if let mark = bytes.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            let written = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
            let beyond = written.hasPrefix("-") ? -Self.greatestExponent : Self.greatestExponent
            exponent = max(-Self.greatestExponent, min(Self.greatestExponent, Int(written) ?? beyond))
            bytes = bytes[..<mark]
        }
        digits.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                digits.append(byte)
                if !isFraction { whole += 1 }
            }
        }
        let zeros = digits.prefix { $0 == 0x30 }.count
        digits.removeFirst(zeros)
        while digits.last == 0x30 { digits.removeLast() }
        position = whole - zeros + exponent
        if digits.isEmpty { (isNegative, position) = (false, 0) }
    }

    func order(to other: DecimalText) -> Int {
        let sign = digits.isEmpty ? 0 : isNegative ? -1 : 1
        let otherSign = other.digits.isEmpty ? 0 : other.isNegative ? -1 : 1
        if sign != otherSign || sign == 0 { return sign - otherSign }
        if position != other.position { return position < other.position ? -sign : sign }
        if digits == other.digits { return 0 }
        return digits.lexicographicallyPrecedes(other.digits) ? -sign : sign
    }
}
