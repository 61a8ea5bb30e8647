import Core
import Foundation

/// One entry of the index log.
struct IndexLogEntry {
    let uuid: UUID
    /// The resource of the sample; nil if the sample is removed.
    let target: HealthTarget?
}

/// The frames of the index log.
enum IndexFrame {
    static let heading = "tributary-ids-01"
    /// Maximum number of entries in a frame.
    static let entryLimit = 500
    /// Maximum length in bytes of a target that is not an Observation with a UUID. No longer ones occur.
    private static let targetLimit = 1_000

    static func content(_ entries: ArraySlice<IndexLogEntry>) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(entries.count * 33)
        for entry in entries { write(entry, to: &content) }
        return content
    }

    private static func write(_ entry: IndexLogEntry, to content: inout [UInt8]) {
        guard let target = entry.target else {
            content.append(3)
            append(entry.uuid, to: &content)
            return
        }
        switch target {
        case .observation(let id):
            content.append(1)
            append(entry.uuid, to: &content)
            append(id, to: &content)
        case .other(let text):
            content.append(2)
            append(entry.uuid, to: &content)
            let bytes = text.utf8.prefix(targetLimit)
            withUnsafeBytes(of: UInt16(bytes.count).littleEndian) { content.append(contentsOf: $0) }
            content += bytes
        }
    }

    private static func append(_ uuid: UUID, to content: inout [UInt8]) {
        withUnsafeBytes(of: uuid.uuid) { content.append(contentsOf: $0) }
    }

    /// Reads the content of a frame. Returns false if it is damaged.
    static func read(_ content: ArraySlice<UInt8>, _ take: (IndexLogEntry) -> Void) -> Bool {
        guard !content.isEmpty else { return false }
        var rest = content
        while let kind = rest.popFirst() {
            guard let uuid = uuid(&rest) else { return false }
            switch kind {
            case 1:
                guard let id = Self.uuid(&rest) else { return false }
                take(IndexLogEntry(uuid: uuid, target: .observation(id)))
            case 2:
                let length = Int(number(rest.prefix(2)))
                rest = rest.dropFirst(2)
                guard rest.count >= length, length > 0 else { return false }
                take(IndexLogEntry(uuid: uuid, target: .other(String(decoding: rest.prefix(length), as: UTF8.self))))
                rest = rest.dropFirst(length)
            case 3: take(IndexLogEntry(uuid: uuid, target: nil))
            default: return false
            }
        }
        return true
    }

    private static func uuid(_ rest: inout ArraySlice<UInt8>) -> UUID? {
        guard rest.count >= 16 else { return nil }
        defer { rest = rest.dropFirst(16) }
        return rest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for byte in bytes.reversed() { number = number << 8 | UInt64(byte) }
        return number
    }
}
