import FHIR
import Questionnaires

/// A text for people, with the renderings that the form contains. A front end shows the best one that it supports; the
/// plain text is always correct.
///
/// The renderings are those of FHIR's extensions on a text
/// (<https://hl7.org/fhir/R4/rendering-extensions.html>). They come from the form: a front end that shows `xhtml` must
/// remove active content first.
public struct RenderText: Sendable, Hashable {
    /// The text without any markup.
    public let plain: String
    /// The text in Markdown: `rendering-markdown`.
    public let markdown: String?
    /// The text in XHTML: `rendering-xhtml`.
    public let xhtml: String?
    /// A CSS style of the text: `rendering-style`.
    public let style: String?

    /// Creates a text without other renderings.
    public init(_ plain: String) { self.init(plain, rendering: nil) }

    /// Creates a text. Renderings of the whole text are used only if they belong to this text.
    init(_ plain: String, rendering: TextRendering?, isOfForm: Bool = true) {
        self.plain = plain
        markdown = isOfForm ? rendering?.markdown : nil
        xhtml = isOfForm ? rendering?.xhtml : nil
        style = rendering?.style
    }
}

/// The renderings of a text in the extensions of its element.
struct TextRendering: Sendable, Hashable {
    var markdown: String?
    var xhtml: String?
    var style: String?

    /// Nil if the element has no such extensions.
    init?(_ element: JSON?) {
        for extended in element?["extension"]?.array ?? [] {
            guard let url = extended["url"]?.string else { continue }
            switch url {
            case RenderExtension.markdown:
                markdown = extended["valueMarkdown"]?.string ?? extended["valueString"]?.string
            case RenderExtension.xhtml: xhtml = extended["valueString"]?.string
            case RenderExtension.style: style = extended["valueString"]?.string
            default: break
            }
        }
        if markdown == nil, xhtml == nil, style == nil { return nil }
    }
}
