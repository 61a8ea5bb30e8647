import Core
import HealthData

/// A fragment of HTML under construction. Text and attributes are escaped only here; markup is written by the functions
/// and never comes from data.
package struct HTML {
    /// The HTML so far.
    package private(set) var text = ""

    /// Creates an empty fragment.
    package init() {}

    /// Adds text.
    package mutating func text(_ text: String) { self.text += Self.escaped(text) }

    /// Adds an element with the content that the body adds.
    package mutating func element(
        _ name: StaticString, attributes: KeyValuePairs<StaticString, String>, _ body: (inout HTML) -> Void
    ) {
        open(name, attributes)
        text += ">"
        body(&self)
        text += "</\(name)>"
    }

    /// Adds an element without attributes.
    package mutating func element(_ name: StaticString, _ body: (inout HTML) -> Void) {
        element(name, attributes: [:], body)
    }

    /// Adds an element that contains text.
    package mutating func element(
        _ name: StaticString, attributes: KeyValuePairs<StaticString, String>, _ text: String
    ) {
        element(name, attributes: attributes) { $0.text(text) }
    }

    /// Adds an element without attributes that contains text.
    package mutating func element(_ name: StaticString, _ text: String) { element(name, attributes: [:], text) }

    /// Adds a void element of HTML: `meta`, `br`.
    package mutating func void(_ name: StaticString, attributes: KeyValuePairs<StaticString, String> = [:]) {
        open(name, attributes)
        text += ">"
    }

    /// Adds a line feed, so that the page is readable in an editor.
    package mutating func line() { text += "\n" }

    /// Adds a constant text without escaping: the style sheet, the document type.
    package mutating func verbatim(_ text: StaticString) { self.text += "\(text)" }

    private mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) {
        text += "<\(name)"
        for (key, value) in attributes { text += " \(key)=\"\(Self.escaped(value))\"" }
    }

    /// Returns escaped text, with replaced characters where HTML forbids them.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isForbidden) else { return MarkupText.escaped(text) }
        var allowed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t": allowed.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": allowed.append("\u{FFFD}")
            default: allowed.append(scalar)
            }
        }
        return MarkupText.escaped(String(allowed))
    }

    /// Whether a byte is a control character, or the first byte of some.
    private static func isForbidden(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F || byte == 0xC2 }
}
