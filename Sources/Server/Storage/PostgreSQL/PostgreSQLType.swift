import Core
import Foundation

/// Supported column types, by their OID in PostgreSQL's catalog (`pg_type.oid`), and the decoding of their binary
/// format.
enum PostgreSQLType: UInt32 {
    case bool = 16
    case bytea = 17
    case char = 18
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case float4 = 700
    case float8 = 701
    case unknown = 705
    case bpchar = 1042
    case varchar = 1043
    case date = 1082
    case timestamp = 1114
    case timestamptz = 1184
    case numeric = 1700

    /// Returns the value of a column; nil if the bytes do not have the format of the type.
    ///
    /// A numeric of scale 0 is an integer, as in SQLite. Timestamps are text, as i2b2's are in SQLite:
    /// `YYYY-MM-DD HH:MM:SS` in UTC.
    func value(of bytes: UnsafeRawBufferPointer) -> SQLValue? {
        switch self {
        case .bool: bytes.first.map { .integer($0 == 0 ? 0 : 1) }
        case .bytea: .blob(Data(bytes))
        case .char, .name, .text, .unknown, .bpchar, .varchar: .text(String(decoding: bytes, as: UTF8.self))
        case .int2: integer(bytes, Int16.self).map { .integer(Int64($0)) }
        case .int4: integer(bytes, Int32.self).map { .integer(Int64($0)) }
        case .int8: integer(bytes, Int64.self).map { .integer($0) }
        case .oid: integer(bytes, UInt32.self).map { .integer(Int64($0)) }
        case .float4: integer(bytes, UInt32.self).map { .real(Double(Float(bitPattern: $0))) }
        case .float8: integer(bytes, UInt64.self).map { .real(Double(bitPattern: $0)) }
        case .date: integer(bytes, Int32.self).map { .text(Self.day(Int64($0))) }
        case .timestamp, .timestamptz: integer(bytes, Int64.self).map { .text(Self.instant($0)) }
        case .numeric: Self.numeric(bytes)
        }
    }

    private func integer<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, _: Number.Type) -> Number? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: bytes.loadUnaligned(as: Number.self))
    }

    /// - Parameter days: days since 2000-01-01.
    private static func day(_ days: Int64) -> String {
        SQLTimestamp.day(days: days + 10_957)
    }

    /// - Parameter microseconds: microseconds since 2000-01-01T00:00:00Z.
    private static func instant(_ microseconds: Int64) -> String {
        let (seconds, part) = microseconds.flooredDivision(by: 1_000_000)
        let text = SQLTimestamp.text(seconds: seconds + 946_684_800, between: " ")
        return part == 0 ? text : text + ".\(padded(part, 6))"
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static let powers: [Double] = [1, 1e4, 1e8, 1e12]

    /// Decodes a numeric: digits of base 10,000, its weight, its sign and its scale.
    private static func numeric(_ bytes: UnsafeRawBufferPointer) -> SQLValue? {
        func word(_ index: Int) -> Int? {
            guard bytes.count >= index * 2 + 2 else { return nil }
            return Int(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)))
        }
        guard let count = word(0), let weight = word(1), let sign = word(2), let scale = word(3), count >= 0,
            bytes.count == 8 + count * 2
        else { return nil }
        switch UInt16(truncatingIfNeeded: sign) {
        case 0xC000: return .real(.nan)
        case 0xD000: return .real(.infinity)
        case 0xF000: return .real(-.infinity)
        default: break
        }
        // The first digit has the value 10,000 to the power of the weight.
        let exponent = (weight - count + 1) * 4
        // Dividing two exact Doubles rounds only once.
        if scale > 0, (1...3).contains(count), (-12...0).contains(exponent) {
            var whole = 0
            for index in 0..<count { whole = whole * 10_000 + (word(index + 4) ?? 0) }
            let number = Double(whole) / powers[-exponent / 4]
            return .real(sign == 0 ? number : -number)
        }
        var digits = ""
        for index in 0..<count { digits += padded(Int64(word(index + 4) ?? 0), 4) }
        let text = (sign == 0 ? "" : "-") + (digits.isEmpty ? "0" : digits) + "e\(digits.isEmpty ? 0 : exponent)"
        guard let number = Double(text) else { return nil }
        guard scale == 0 else { return .real(number) }
        let whole = (sign == 0 ? "" : "-") + digits + String(repeating: "0", count: max(0, min(exponent, 40)))
        return digits.isEmpty ? .integer(0) : Int64(whole).map { .integer($0) } ?? .real(number)
    }
}
