import Core

/// Checks that the XHTML of a narrative is what FHIR allows: well-formed, only formatting, no active content
/// (<https://hl7.org/fhir/R4/narrative.html#Narrative>).
public enum NarrativeCheck {
    /// A fault of a narrative. It never contains text of the narrative.
    public struct Problem: CodedError, Hashable {
        /// A sentence that describes the fault and its correction.
        public let message: String
        /// Whether the narrative has no content.
        public let isEmptyDiv: Bool

        /// The constraint that the narrative violates: `txt-2` if it has no content, otherwise `txt-1`.
        public var code: String { isEmptyDiv ? "txt-2" : "txt-1" }
    }

    /// Returns the first problem in a `div`; nil if there is none.
    public static func problem(in xhtml: String) -> Problem? {
        var scanner = XHTMLScanner(xhtml)
        do {
            let hasContent = try scanner.document()
            return hasContent
                ? nil
                : Problem(
                    message: "The narrative has nothing to read: write text or an image into its div.", isEmptyDiv: true
                )
        } catch {
            return error
        }
    }

    /// Elements of HTML 4.0 chapters 7 to 11 and 15, as listed by FHIR.
    static let elements: Set<String> = [
        "p", "br", "div", "h1", "h2", "h3", "h4", "h5", "h6", "a", "span", "b", "em", "i", "strong", "small", "big",
        "tt", "dfn", "q", "var", "abbr", "acronym", "cite", "blockquote", "hr", "address", "bdo", "kbd", "sub", "sup",
        "ul", "ol", "li", "dl", "dt", "dd", "pre", "table", "caption", "colgroup", "col", "thead", "tr", "tfoot",
        "tbody", "th", "td", "code", "samp", "img", "map", "area", "ins", "del", "u", "s", "strike", "center", "font",
    ]

    /// Attributes that are allowed in any element.
    static let attributes: Set<String> = [
        "title", "style", "class", "id", "lang", "xml:lang", "dir", "accesskey", "tabindex", "span", "width", "height",
        "align", "valign", "char", "charoff", "abbr", "axis", "headers", "scope", "rowspan", "colspan", "xmlns",
        "xml:space", "type", "start", "value", "compact", "nowrap", "bgcolor", "color", "face", "size", "clear",
        "noshade", "cite", "datetime", "xml:base",
    ]

    /// Attributes that are allowed in one element only.
    static let ownAttributes: [String: Set<String>] = [
        "a": ["href", "name", "charset", "hreflang", "rel", "rev", "shape", "coords", "target"],
        "img": ["src", "alt", "longdesc", "usemap", "ismap", "border", "hspace", "vspace", "name"],
        "map": ["name"],
        "area": ["shape", "coords", "href", "nohref", "alt"],
        "table": ["summary", "border", "frame", "rules", "cellspacing", "cellpadding"],
    ]
}
