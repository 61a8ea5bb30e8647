import Core
import FHIR
import Foundation
import HealthData

/// Reads the form of nearly all journal lines: one sample with a number, without metadata and members, or a deletion.
/// It reads the bytes with the same result as ``JournalLine`` from JSON, and returns nil for all other lines.
///
/// Texts that millions of lines share are created once.
struct JournalScanner {
    private var types = KnownTexts()
    private var units = KnownTexts()
    private var sources: [(bytes: [UInt8], source: HealthSource)] = []

    private static let sourceLimit = 8

    /// Reads a line; nil if it must be read as JSON.
    mutating func read(_ line: ArraySlice<UInt8>) -> JournalLine? {
        line.withUnsafeBufferPointer { read(JournalCursor($0)) }
    }

    private mutating func read(_ cursor: JournalCursor) -> JournalLine? {
        var cursor = cursor
        guard cursor.take(UInt8(ascii: "{")), let word = cursor.name() else { return nil }
        switch word {
        case JournalCursor.word("add"): return added(&cursor)
        case JournalCursor.word("delete"): return deleted(&cursor)
        default: return nil
        }
    }

    private mutating func deleted(_ cursor: inout JournalCursor) -> JournalLine? {
        var uuid: UUID?
        var type: String?
        let isWhole = cursor.members { cursor, name in
            switch name {
            case JournalCursor.word("uuid") where uuid == nil: uuid = cursor.text().flatMap { UUID(text: $0) }
            case JournalCursor.word("type") where type == nil: type = cursor.text().map { types.text($0) }
            default: return false
            }
            return true
        }
        guard isWhole, cursor.isAtEnd, let uuid, let type else { return nil }
        return JournalLine(uuid: uuid, type: type, change: .deleted)
    }

    private mutating func added(_ cursor: inout JournalCursor) -> JournalLine? {
        var uuid: UUID?
        var (type, unit, value): (String?, String?, String?) = (nil, nil, nil)
        var (start, end): (HealthInstant?, HealthInstant?) = (nil, nil)
        var source: HealthSource?
        // A duplicate name or a text that is not plain leaves the line to the JSON parser.
        let isWhole = cursor.members { cursor, name in
            switch name {
            case JournalCursor.word("uuid") where uuid == nil:
                uuid = cursor.text().flatMap { UUID(text: $0) }
                return uuid != nil
            case JournalCursor.word("type") where type == nil:
                type = cursor.text().map { types.text($0) }
                return type != nil
            case JournalCursor.word("unit") where unit == nil:
                unit = cursor.text().map { units.text($0) }
                return unit != nil
            case JournalCursor.word("value") where value == nil:
                value = cursor.number()
                return value != nil
            case JournalCursor.word("start") where start == nil:
                start = cursor.text().flatMap(Self.instant)
                return start != nil
            case JournalCursor.word("end") where end == nil:
                end = cursor.text().flatMap(Self.instant)
                return end != nil
            case JournalCursor.word("source") where source == nil:
                source = cursor.object().flatMap { self.source($0) }
                return source != nil
            default: return false
            }
        }
        guard isWhole, cursor.isAtEnd, let uuid, let type, let start else { return nil }
        let sample = HealthKitSample(
            uuid: uuid, type: type, value: value, unit: unit, start: start, end: end ?? start,
            source: source ?? HealthSource(product: .app))
        return JournalLine(uuid: uuid, type: type, change: .added(.success(sample), end: Double(sample.end.seconds)))
    }

    /// Returns the source that an object describes.
    private mutating func source(_ object: UnsafeBufferPointer<UInt8>) -> HealthSource? {
        if let index = sources.firstIndex(where: { object.isEqual(to: $0.bytes) }) {
            return sources[index].source
        }
        guard let json = JSON(reading: object), json.object != nil else { return nil }
        let source = JournalLine.source(json)
        if sources.count == Self.sourceLimit { sources.removeFirst() }
        sources.append((Array(object), source))
        return source
    }

    /// Reads a date and time of whole seconds with its offset, the form of nearly all lines; nil for other forms and
    /// for values out of range.
    private static func instant(_ text: UnsafeBufferPointer<UInt8>) -> HealthInstant? {
        func number(_ index: Int, _ digits: Int = 2) -> Int? {
            var value = 0
            for byte in text[index..<index + digits] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        func has(_ byte: UInt8, _ index: Int) -> Bool { text[index] == byte }
        let (hyphen, colon) = (UInt8(ascii: "-"), UInt8(ascii: ":"))
        let isUTC = text.count == 20 && text[19] == UInt8(ascii: "Z")
        guard isUTC || text.count == 25 && has(colon, 22), has(hyphen, 4), has(hyphen, 7), has(UInt8(ascii: "T"), 10),
            has(colon, 13), has(colon, 16), let year = number(0, 4), let month = number(5), let day = number(8),
            let hour = number(11), let minute = number(14), let second = number(17), (1900..<2100).contains(year),
            (1...12).contains(month), day >= 1, day <= CivilDate.daysInMonth(year: year, month: month), hour < 24,
            minute < 60, second < 60
        else { return nil }
        var offset = 0
        if !isUTC {
            guard let hours = number(20), let minutes = number(23), hours < 14, minutes < 60,
                has(hyphen, 19) || has(UInt8(ascii: "+"), 19)
            else { return nil }
            offset = (hours * 60 + minutes) * (has(hyphen, 19) ? -1 : 1)
        }
        let days = CivilDate.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset * 60
        return HealthInstant(seconds: Int64(seconds), offsetMinutes: Int16(offset))
    }
}

/// Texts that repeat, each created once.
private struct KnownTexts {
    private var last: (bytes: [UInt8], text: String) = ([], "")

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        if bytes.isEqual(to: last.bytes) { return last.text }
        last = (Array(bytes), String(decoding: bytes, as: UTF8.self))
        return last.text
    }
}
