import Core
import Foundation
import Logging

/// Writes each log event as one JSON object on a line of its own: `time` (UTC), `level`, `label`, `message`, and the
/// metadata, nested keys joined by dots.
///
/// ```swift
/// LoggingSystem.bootstrap { JSONLogHandler(label: $0) }
/// ```
///
/// Texts are cut: a message and a value to 1,000 characters, the metadata to 32 entries.
public struct JSONLogHandler: LogHandler {
    public var logLevel: Logger.Level = .info
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let sink: @Sendable (String) -> Void
    private let now: @Sendable () -> Date

    static let mostCharacters = 1_000
    static let mostEntries = 32

    /// - Parameter sink: gets each line with its line feed; standard error unless said.
    public init(
        label: String, sink: @escaping @Sendable (String) -> Void = JSONLogHandler.writeToStandardError,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.label = label
        self.now = now
        self.sink = sink
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let time = DateTime(now()).text
        var line = "{\"time\":\(JSONLogHandler.quoted(time)),\"level\":\"\(event.level.rawValue)\""
        line += ",\"label\":\(JSONLogHandler.quoted(label))"
        line += ",\"message\":\(JSONLogHandler.quoted(event.message.description))"
        // The nearer source wins: the event's own, then the provider's, then the handler's.
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        var entries: [(String, String)] = []
        JSONLogHandler.flatten(.dictionary(all), "", &entries)
        for (key, value) in entries {
            // What an entry is called must not hide the line's own members.
            let name = ["time", "level", "label", "message"].contains(key) ? "metadata." + key : key
            line += ",\(JSONLogHandler.quoted(name)):\(JSONLogHandler.quoted(value))"
        }
        sink(line + "}\n")
    }

    private static func flatten(_ value: Logger.MetadataValue, _ key: String, _ entries: inout [(String, String)]) {
        guard entries.count < mostEntries else { return }
        switch value {
        case .string(let text): entries.append((key, text))
        case .stringConvertible(let text): entries.append((key, text.description))
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                flatten(member, key.isEmpty ? name : "\(key).\(name)", &entries)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { flatten(element, "\(key).\(index)", &entries) }
        }
    }

    /// A JSON string (RFC 8259 section 7), cut where it is long.
    static func quoted(_ text: String) -> String {
        var out = "\""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < mostCharacters else {
                out += "…"
                break
            }
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// One write for a line, so that lines of several threads do not mix. A log that nobody takes stops nothing.
    public static let writeToStandardError: @Sendable (String) -> Void = { line in
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
