import FHIR

/// Completes dates and times that older apps wrote without seconds or without a time zone.
enum PrimitiveRepair {
    /// The text as R4 writes it; nil where it need not or cannot be changed.
    static func repaired(_ text: String, type: String) -> String? {
        switch type {
        case "dateTime", "instant", "date": DateTime(text) == nil ? completed(text) : nil
        case "time": TimeOfDay(text) == nil && TimeOfDay(text + ":00") != nil ? text + ":00" : nil
        default: nil
        }
    }

    private static func completed(_ text: String) -> String? {
        let offsetStart = text.dropFirst(11).firstIndex { $0 == "Z" || $0 == "+" || $0 == "-" }
        var body = String(offsetStart.map { text[..<$0] } ?? text[...])
        var offset = offsetStart.map { String(text[$0...]) } ?? "Z"
        // `+0100`, as some date formatters write it.
        if offset.count == 5, !offset.contains(":") {
            offset.insert(":", at: offset.index(offset.endIndex, offsetBy: -2))
        }
        // The separator was a space in texts of some date formatters.
        if body.count > 10, body[body.index(body.startIndex, offsetBy: 10)] == " " {
            body.replaceSubrange(
                body.index(body.startIndex, offsetBy: 10)...body.index(body.startIndex, offsetBy: 10), with: "T")
        }
        if body.count == 16 { body += ":00" }
        let result = body + offset
        return DateTime(result) == nil ? nil : result
    }

    /// The value as an `instant`: a date alone begins at midnight UTC.
    static func instant(_ text: String) -> String? {
        let written = DateTime(text) == nil ? completed(text) ?? text : text
        guard let date = DateTime(written) else { return nil }
        if date.precision >= .second { return written }
        return DateTime(date.start(), milliseconds: false).text
    }
}
