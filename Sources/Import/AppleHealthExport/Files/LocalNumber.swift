/// A number in a local format: `-1 234,5`, `1,234.5`, `−12.3`, `١٢٫٥`.
struct LocalNumber {
    /// The digits with an optional leading minus, and each mark: `.` or `,`. Spaces and apostrophes between digits are
    /// removed.
    let text: [UInt8]

    /// The decimal mark.
    enum Mark: UInt8 {
        case point = 0x2E
        case comma = 0x2C
    }

    /// Maximum number of digits and marks.
    static let maximumLength = 24

    /// - Returns: nil if the text is not a number: letters, two signs, an exponent, no digit, or too long.
    init?(_ line: some Sequence<Unicode.Scalar>) {
        var text: [UInt8] = []
        var hasDigit = false
        var hasSign = false
        for scalar in line {
            switch scalar.value {
            case 0x30...0x39: text.append(UInt8(scalar.value))
            case 0x660...0x669: text.append(UInt8(scalar.value - 0x660 + 0x30))
            case 0x6F0...0x6F9: text.append(UInt8(scalar.value - 0x6F0 + 0x30))
            case 0x966...0x96F: text.append(UInt8(scalar.value - 0x966 + 0x30))
            case 0x2D, 0x2212, 0x2B:
                guard !hasDigit, !hasSign else { return nil }
                hasSign = true
                if scalar.value != 0x2B { text.append(0x2D) }
                continue
            case 0x2E, 0x2C: text.append(UInt8(scalar.value))
            case 0x66B: text.append(Mark.comma.rawValue)
            case 0x66C: text.append(Mark.point.rawValue)
            // Spaces, apostrophes between groups, surrounding quotation marks, and marks of the writing direction.
            case 0x20, 0x09, 0xA0, 0x202F, 0x2009, 0x27, 0x2019, 0x22, 0x200E, 0x200F, 0x061C, 0xFEFF: continue
            default: return nil
            }
            if let last = text.last, (0x30...0x39).contains(last) { hasDigit = true }
            guard text.count <= Self.maximumLength else { return nil }
        }
        guard hasDigit else { return nil }
        self.text = text
    }

    /// The mark that is certainly the decimal mark: the last of two kinds, or one that is not followed by exactly three
    /// digits. Nil if there is no mark, or if it can be a thousands separator.
    var certainMark: Mark? {
        let markIndices = text.indices.filter { Mark(rawValue: text[$0]) != nil }
        guard let last = markIndices.last, let mark = Mark(rawValue: text[last]) else { return nil }
        if markIndices.contains(where: { text[$0] != text[last] }) { return mark }
        guard markIndices.count == 1 else { return mark == .point ? .comma : .point }
        let digits = text[..<last].filter { $0 != 0x2D }
        // 0,123 and 1234,567 have no thousands separator.
        return text.count - last - 1 != 3 || digits.count > 3 || digits.first == 0x30 || digits.isEmpty ? mark : nil
    }

    /// Returns the number in JSON's grammar.
    ///
    /// - Returns: nil if the marks are not at valid positions for this decimal mark.
    func json(_ decimal: Mark) -> String? {
        var whole: [UInt8] = []
        var fraction: [UInt8]?
        var group: Int?
        for byte in text.drop(while: { $0 == 0x2D }) {
            if byte == decimal.rawValue {
                guard fraction == nil, group ?? 3 == 3 else { return nil }
                fraction = []
            } else if Mark(rawValue: byte) != nil {
                // A thousands separator: one to three digits before the first, three before each other.
                guard fraction == nil, group.map({ $0 == 3 }) ?? (1...3).contains(whole.count), whole.first != 0x30
                else {
                    return nil
                }
                group = 0
            } else if fraction == nil {
                whole.append(byte)
                group = group.map { $0 + 1 }
            } else {
                fraction?.append(byte)
            }
        }
        if fraction == nil, let group, group != 3 { return nil }
        let digits = whole.drop { $0 == 0x30 }
        let sign = text.first == 0x2D ? "-" : ""
        return sign + (digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self))
            + (fraction.map { $0.isEmpty ? "" : "." + String(decoding: $0, as: UTF8.self) } ?? "")
    }
}
