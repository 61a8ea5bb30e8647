import Core
import Crypto
import Foundation
import HealthData
import HealthSync

/// One line of a journal: `{"add":{...}}` or `{"delete":{uuid,type}}`.
struct JournalLine {
    /// The change of a line.
    enum Change {
        /// A sample was added. A failure is the reason that it cannot be read.
        case added(Result<HealthKitSample, SkipReason>, end: Double)
        /// A sample was deleted.
        case deleted
    }

    let uuid: UUID
    let type: String
    let change: Change

    /// Creates a line.
    init(uuid: UUID, type: String, change: Change) {
        self.uuid = uuid
        self.type = type
        self.change = change
    }

    /// Reads a line of a type. A damaged line becomes an unreadable sample, with its identifier if that is legible,
    /// otherwise with one derived from the line.
    init(_ line: LogFileLines.Line, named type: String) {
        if !line.isTooLong, let json = JSON(reading: line.bytes), let read = JournalLine(json) {
            self = read
            return
        }
        uuid = Self.visibleUUID(in: line.bytes) ?? UUID(SHA256.hash(data: Data(line.bytes)), version: .custom)
        self.type = type
        change = .added(.failure(.cutOff), end: 0)
    }

    private init?(_ json: JSON) {
        let isDeletion = json["delete"] != nil
        guard let members = json["add"] ?? json["delete"], let type = members["type"]?.string,
            let uuid = members["uuid"]?.string.flatMap({ UUID(text: $0) })
        else { return nil }
        self.uuid = uuid
        self.type = type
        if isDeletion {
            change = .deleted
        } else {
            let sample = Self.sample(members, uuid)
            let end = (try? sample.get()).map { Double($0.end.seconds) }
            change = .added(sample, end: end ?? 0)
        }
    }

    // MARK: - Without JSON parsing

    /// Returns the types that a line names, including those of members, found by their bytes; nil if an escape could
    /// hide one.
    static func types(in line: ArraySlice<UInt8>) -> [String]? {
        var types: [String] = []
        let isPlain = eachType(in: line) { types.append(String(decoding: $0, as: UTF8.self)) }
        return isPlain ? types : nil
    }

    /// Passes the bytes of each type that a line names to `take`.
    ///
    /// - Returns: false if an escape could hide one.
    static func eachType(in line: ArraySlice<UInt8>, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        guard !line.contains(byte: UInt8(ascii: "\\")) else { return false }
        var rest = line
        var count = 0
        while let end = rest.end(of: name), count <= HealthSample.Content.memberLimit {
            rest = rest[end...].drop(while: isBlank)
            guard rest.first == UInt8(ascii: ":") else { continue }
            rest = rest.dropFirst().drop(while: isBlank)
            guard rest.first == UInt8(ascii: "\"") else { continue }
            let text = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
            if (1...longestType).contains(text.count) {
                count += 1
                take(text)
            }
            rest = rest[text.endIndex...]
        }
        return true
    }

    private static let name = Array(#""type""#.utf8)
    private static let longestType = 200

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func visibleUUID(in line: ArraySlice<UInt8>) -> UUID? {
        guard let end = line.end(of: Array(#""uuid""#.utf8)) else { return nil }
        let text = line[end...].drop { isBlank($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\"") }.prefix(36)
        return UUID(text: String(decoding: text, as: UTF8.self))
    }

    // MARK: - The sample

    private static func sample(_ members: JSON, _ uuid: UUID) -> Result<HealthKitSample, SkipReason> {
        do throws(SkipReason) {
            var sample = try one(members, in: nil)
            sample.uuid = uuid
            for member in (members["members"]?.array ?? []).prefix(HealthSample.Content.memberLimit) {
                // An unreadable member is dropped with its part of the value.
                if let member = try? one(member, in: sample) { sample.members.append(member) }
            }
            return .success(sample)
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter whole: the sample of a member, whose times and source are the defaults of the member.
    private static func one(_ members: JSON, in whole: HealthKitSample?) throws(SkipReason) -> HealthKitSample {
        let start = try instant(members["start"]) ?? whole?.start
        guard let start, let type = members["type"]?.string else { throw .dateMissing }
        let end = try instant(members["end"]) ?? (members["start"] == nil ? whole?.end : nil) ?? start
        var sample = HealthKitSample(
            type: type, value: members["value"].flatMap(text), unit: members["unit"]?.string, start: start, end: end,
            source: members["source"].map(source) ?? whole?.source ?? HealthSource(product: .app))
        for member in (members["metadata"]?.object?.members ?? []).prefix(100) {
            sample.metadata[member.key] = text(member.value)
        }
        return sample
    }

    /// Reads a date and time with its offset (RFC 3339), truncated to seconds.
    private static func instant(_ value: JSON?) throws(SkipReason) -> HealthInstant? {
        guard let value, !value.isNull else { return nil }
        guard let time = value.string.flatMap(DateTime.init), let offset = time.offsetMinutes else {
            throw .dateInvalid
        }
        return HealthInstant(time.start(), offsetMinutes: offset)
    }

    /// Returns a number with its original digits, or a Boolean in the format of exports.
    private static func text(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "1" : "0"
        default: nil
        }
    }

    static func source(_ value: JSON) -> HealthSource {
        HealthSource(
            name: value["name"]?.string ?? "", productType: value["productType"]?.string,
            version: value["version"]?.string ?? "")
    }
}
