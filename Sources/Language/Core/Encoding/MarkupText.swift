/// Text in HTML and XHTML, with references instead of the characters that markup reserves.
public enum MarkupText {
    /// Returns text escaped for the content of elements, and for attributes in quotation marks.
    public static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isReserved) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns text with the references of ``escaped(_:)``, and with `&apos;`, replaced by their characters. Other
    /// references are kept.
    public static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&apos;", with: "'").replacing("&amp;", with: "&")
    }

    private static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }
}
