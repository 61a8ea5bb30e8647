import Core
import Testing

struct MarkupTextTests {
    @Test func reservedCharactersBecomeReferencesAndReturn() {
        let text = "a < b && \"c\" > 'd' é \u{1F600}"
        let escaped = MarkupText.escaped(text)
        #expect(escaped == "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39; é \u{1F600}")
        #expect(MarkupText.unescaped(escaped) == text)
        #expect(MarkupText.unescaped("&apos;") == "'")
    }

    @Test func anEscapedReferenceStaysText() {
        #expect(MarkupText.escaped("&lt;") == "&amp;lt;")
        #expect(MarkupText.unescaped("&amp;lt; &eacute; &") == "&lt; &eacute; &")
    }

    @Test func otherTextIsUnchanged() {
        for text in ["", "plain", "zwölf\u{301}"] {
            #expect(Array(MarkupText.escaped(text).utf8) == Array(text.utf8))
            #expect(Array(MarkupText.unescaped(text).utf8) == Array(text.utf8))
        }
    }
}
