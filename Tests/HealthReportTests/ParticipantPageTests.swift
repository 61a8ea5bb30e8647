import HealthReport
import Testing

@Suite struct ParticipantPageTests {
    @Test func whatIsShownIsEscapedAndNothingIsLoaded() {
        let words = #"<img src=x onerror="alert(1)">&"#
        let page = ParticipantPage(
            title: words, summary: [(words, words)],
            sections: [
                .init(id: "one", title: words, note: words, header: [words, "b"], rows: [[words, words], ["", ""]]),
                .init(id: "two", title: "Empty", header: ["a"], rows: []),
            ]
        ).html
        #expect(!page.contains("<img") && page.contains("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;"))
        for loading in ["<script", "<link", " src=\"", "url("] { #expect(!page.contains(loading)) }
        #expect(page.contains("default-src 'none'") || page.contains("default-src &#39;none&#39;"))
        #expect(page.contains("Nothing."))
    }
}
