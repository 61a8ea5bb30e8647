import Core
import Foundation
import Logging

/// Writes each log event as one JSON object on its own line: `time` (UTC), `level`, `label`, `message` and the
/// metadata, with nested keys joined by dots.
///
/// ```swift
/// LoggingSystem.bootstrap { JSONLogHandler(label: $0) }
/// ```
///
/// Long texts are truncated: a message or a value to 1,000 characters, the metadata to 32 entries.
package struct JSONLogHandler: LogHandler {
    package var logLevel: Logger.Level = .info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let sink: @Sendable (String) -> Void
    private let now: @Sendable () -> Date

    static let maximumCharacters = 1_000
    static let maximumEntries = 32

    /// - Parameter sink: called with each line and its line feed; the default writes to standard error.
    package init(
        label: String, sink: @escaping @Sendable (String) -> Void = JSONLogHandler.writeToStandardError,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.label = label
        self.now = now
        self.sink = sink
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let time = DateTime(now()).text
        var line = "{\"time\":\(JSONLogHandler.quoted(time)),\"level\":\"\(event.level.rawValue)\""
        line += ",\"label\":\(JSONLogHandler.quoted(label))"
        line += ",\"message\":\(JSONLogHandler.quoted(event.message.description))"
        // The closer source takes precedence: the event's own metadata, then the provider's, then the handler's.
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        var entries: [(String, String)] = []
        JSONLogHandler.flatten(.dictionary(all), key: "", into: &entries)
        for (key, value) in entries {
            // A metadata key must not hide one of the line's own members.
            let name = ["time", "level", "label", "message"].contains(key) ? "metadata." + key : key
            line += ",\(JSONLogHandler.quoted(name)):\(JSONLogHandler.quoted(value))"
        }
        sink(line + "}\n")
    }

    private static func flatten(_ value: Logger.MetadataValue, key: String, into entries: inout [(String, String)]) {
        guard entries.count < maximumEntries else { return }
        switch value {
        case .string(let text): entries.append((key, text))
        case .stringConvertible(let text): entries.append((key, text.description))
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                flatten(member, key: key.isEmpty ? name : "\(key).\(name)", into: &entries)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() { flatten(element, key: "\(key).\(index)", into: &entries) }
        }
    }

    /// Returns a JSON string (RFC 8259 section 7), truncated if it is long.
    static func quoted(_ text: String) -> String {
        var out = "\""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < maximumCharacters else {
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

    /// Writes each line in one call, so that lines of several threads do not mix. An error of the write is ignored.
    package static let writeToStandardError: @Sendable (String) -> Void = { line in
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
