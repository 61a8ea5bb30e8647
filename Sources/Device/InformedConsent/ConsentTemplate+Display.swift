import FHIR

extension ConsentTemplate {
    /// The sections as headings with paragraphs of plain text: the summary and the full text of each. A separate file
    /// with a full text is read from ``htmlFiles``.
    public var documentSections: [ConsentDocumentLayout.Section] {
        sections.map { section in
            var paragraphs = section.summary.map(HTMLText.paragraphs) ?? []
            // The full text often begins with the summary.
            for paragraph in fullText(of: section).map(HTMLText.paragraphs) ?? [] where !paragraphs.contains(paragraph)
            {
                paragraphs.append(paragraph)
            }
            return ConsentDocumentLayout.Section(heading: section.title, paragraphs: paragraphs)
        }
    }

    /// Returns the full text of a section as HTML, from the section or from its file; nil if there is none.
    func fullText(of section: ConsentSection) -> String? {
        section.htmlContent ?? section.htmlContentFile.flatMap { htmlFiles[$0] }
    }

    /// The consent as plain text, for terminals: title, version, sections, the questions and the sharing question.
    public var plainText: String {
        var blocks = [[title, subtitle].compactMap(\.self).joined(separator: "\n")]
        for section in documentSections {
            let heading = section.heading.isEmpty ? [] : ["== \(section.heading)"]
            blocks.append((heading + section.paragraphs).joined(separator: "\n\n"))
        }
        if !eligibility.criteria.isEmpty {
            let lines = eligibility.criteria.map { "- \($0.text) (\($0.mustBeMet ? "yes" : "no"))" }
            blocks.append((["== Eligibility", ""] + lines).joined(separator: "\n"))
        }
        blocks.append("== Sharing\n\n\(sharingNote)")
        if !includedHealthData.isEmpty {
            blocks.append("== Included health data\n\n\(includedHealthData.sorted().joined(separator: ", "))")
        }
        return blocks.joined(separator: "\n\n")
    }

    /// The consent as an HTML page without scripts, to read and to print. The full texts are the study's own HTML; the
    /// page's policy permits neither scripts nor requests.
    public var page: String {
        var body = "<h1>\(MarkdownHTML.escaped(title))</h1>\n"
        if let subtitle { body += "<p>\(MarkdownHTML.escaped(subtitle))</p>\n" }
        for section in sections {
            body += "<section>\n"
            if !section.title.isEmpty { body += "<h2>\(MarkdownHTML.escaped(section.title))</h2>\n" }
            if let summary = section.summary { body += "<p><strong>\(MarkdownHTML.escaped(summary))</strong></p>\n" }
            if let html = fullText(of: section) { body += html + "\n" }
            body += "</section>\n"
        }
        if !eligibility.criteria.isEmpty {
            let items = eligibility.criteria.map {
                "<li>\(MarkdownHTML.escaped($0.text)) (\($0.mustBeMet ? "yes" : "no"))</li>"
            }
            body += "<section>\n<h2>Eligibility</h2>\n<ul>\(items.joined())</ul>\n</section>\n"
        }
        body += "<section>\n<h2>Sharing</h2>\n<p>\(MarkdownHTML.escaped(sharingNote))</p>\n</section>\n"
        let isLanguage = contract.language.map(ConsentFrontMatter.isLanguage) ?? false
        let language = isLanguage ? contract.language.map { " lang=\"\($0)\"" } ?? "" : ""
        return """
            <!DOCTYPE html>
            <html\(language)>
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width">
            <title>\(MarkdownHTML.escaped(title))</title>
            <style>:root { color-scheme: light dark }
            body { font-family: sans-serif; line-height: 1.5; max-width: 40em; margin: 2em auto; padding: 0 1em }</style>
            </head>
            <body>
            \(body)</body>
            </html>

            """
    }

    /// The team and the version in one line; nil if the template has neither.
    private var subtitle: String? {
        let parts = [teamName, version.map { "version \($0)" }, contract.language].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var sharingNote: String {
        requiresSharingAnswer
            ? "The person must answer whether other researchers may use the data."
            : asksForSharing
                ? "The person is asked whether other researchers may use the data, and may leave it open."
                : "The person is not asked whether other researchers may use the data."
    }
}
