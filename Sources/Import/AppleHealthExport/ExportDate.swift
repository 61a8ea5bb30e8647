import FHIR
import HealthData

/// Parses the dates of exports.
enum ExportDate {
    /// Parses `yyyy-MM-dd HH:mm:ss ±HHMM`, the format of all exports since iOS 9; nil for any other text.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> HealthInstant? {
        guard bytes.count == 25, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == 0x20,
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), bytes[19] == 0x20
        else { return nil }
        func two(_ index: Int) -> Int {
            let tens = Int(bytes[index]) - 0x30
            let ones = Int(bytes[index + 1]) - 0x30
            return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -10_000
        }
        let sign = bytes[20] == UInt8(ascii: "+") ? 1 : bytes[20] == UInt8(ascii: "-") ? -1 : 0
        guard sign != 0 else { return nil }
        return instant(
            year: two(0) * 100 + two(2), month: two(5), day: two(8), hour: two(11), minute: two(14), second: two(17),
            offset: (sign, two(21), two(23)))
    }

    /// Parses the formats of older systems and other locales: `20140919070800-0400`, `2021-12-24 8:02:43 PM -0500`
    /// (with any kind of space), `2021-12-24T08:02:43-05:00`.
    static func readOld(_ bytes: UnsafeBufferPointer<UInt8>) -> HealthInstant? {
        guard bytes.count <= 48 else { return nil }
        // 1. Split into sequences of digits and the separators between them.
        var numbers: [(value: Int, width: Int)] = []
        var marks: [String] = []
        var mark = ""
        var isInNumber = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where scalar.value != 0x7F {
            if let digit = scalar.properties.numericType == .decimal && scalar.isASCII ? Int(scalar.value) - 0x30 : nil
            {
                if !isInNumber {
                    numbers.append((0, 0))
                    marks.append(mark)
                    mark = ""
                    isInNumber = true
                }
                let count = numbers.count - 1
                guard numbers[count].width < 14 else { return nil }
                numbers[count] = (numbers[count].value * 10 + digit, numbers[count].width + 1)
            } else {
                isInNumber = false
                if !scalar.properties.isWhitespace { mark.unicodeScalars.append(scalar) }
            }
        }
        // 2. A compact date and time is one sequence of 12 or 14 digits: split it.
        if let first = numbers.first, first.width == 14 || first.width == 12 {
            let value = first.width == 14 ? first.value : first.value * 100
            let parts =
                [(value / 10_000_000_000, 4)]
                + [100_000_000, 1_000_000, 10000, 100, 1].map { (value / $0 % 100, 2) }
            numbers.replaceSubrange(0...0, with: parts)
            marks.replaceSubrange(0...0, with: ["", "-", "-", "", ":", ":"])
        }
        guard numbers.count >= 6, marks[0].isEmpty, marks[1] == "-", marks[2] == "-", ["", "T"].contains(marks[3]),
            marks[4] == ":", marks[5] == ":", numbers[0].width == 4
        else { return nil }
        // 3. AM or PM.
        var zone = numbers.count > 6 ? marks[6] : mark
        var hour = numbers[3].value
        for (word, noon) in [("AM", 0), ("PM", 12)] where zone.uppercased().hasPrefix(word) {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + noon
            zone = String(zone.dropFirst(2))
        }
        // 4. The offset.
        let offset: (Int, Int, Int)
        switch (zone, numbers.count) {
        case ("Z", 6): offset = (1, 0, 0)
        case ("+", 7) where numbers[6].width == 4: offset = (1, numbers[6].value / 100, numbers[6].value % 100)
        case ("-", 7) where numbers[6].width == 4: offset = (-1, numbers[6].value / 100, numbers[6].value % 100)
        case ("+", 8) where marks[7] == ":": offset = (1, numbers[6].value, numbers[7].value)
        case ("-", 8) where marks[7] == ":": offset = (-1, numbers[6].value, numbers[7].value)
        default: return nil
        }
        return instant(
            year: numbers[0].value, month: numbers[1].value, day: numbers[2].value, hour: hour,
            minute: numbers[4].value, second: numbers[5].value, offset: offset)
    }

    private static func instant(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, offset: (Int, Int, Int)
    ) -> HealthInstant? {
        let minutes = offset.0 * (offset.1 * 60 + offset.2)
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...CivilDate.daysInMonth(year: year, month: month)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), (0...59).contains(offset.2),
            (0...14).contains(offset.1), (-840...840).contains(minutes)
        else { return nil }
        let days = CivilDate.days(year: year, month: month, day: day)
        let seconds = days * 86400 + hour * 3600 + minute * 60 + second - minutes * 60
        return HealthInstant(seconds: Int64(seconds), offsetMinutes: Int16(minutes))
    }
}
