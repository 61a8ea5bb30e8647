import FHIR

extension ConsentMarkdown {
    /// The consent as a Markdown file.
    public var text: String {
        var lines = ["---"]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append("\(name): \(FrontMatter.written(value))") }
        }
        func addList(_ name: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            lines.append("\(name):")
            lines += values.map { "  - \(FrontMatter.written($0))" }
        }
        add("title", title)
        add("version", version)
        add("language", language)
        add("url", url)
        add("id", id)
        add("name", name)
        add("issued", issued)
        add("team", team)
        addList("contact", contact)
        add("status", status?.rawValue)
        add("change", change?.rawValue)
        if let asksForSharing { lines.append("asks-for-data-sharing: \(asksForSharing ? "yes" : "no")") }
        addList("health-data", healthData)
        if !eligibility.isEmpty {
            lines.append("eligibility:")
            for criterion in eligibility {
                lines.append("  - question: \(FrontMatter.written(criterion.text))")
                lines.append("    answer: \(criterion.mustBeMet ? "yes" : "no")")
            }
        }
        lines.append("---")
        return lines.joined(separator: "\n") + "\n" + sections.map { "\n" + $0.markdown + "\n" }.joined()
    }
}

extension ConsentSection {
    /// The section as Markdown: the heading and the content.
    fileprivate var markdown: String {
        let body = content
        return heading(hasNoSummary: body.hasNoSummary) + (body.text.isEmpty ? "" : "\n\n" + body.text)
    }

    private func heading(hasNoSummary: Bool) -> String {
        var attributes: [String] = []
        let plain = [MarkdownInline.text(title)].markdown
        let isPlain = ConsentSection.isLine(title) && ConsentSection.isRead(plain, as: title)
        if (ConsentHeading.kind(named: title) ?? .custom) != kind || title.isEmpty {
            attributes.append(kind.markdownName)
        }
        if !isPlain, title != kind.title || title.isEmpty && !kind.title.isEmpty {
            attributes.append("title=\(JSON.string(title).text())")
        }
        if hasNoSummary { attributes.append("no-summary") }
        for (name, value) in [("file", htmlContentFile), ("image", image), ("animation", animation)] {
            if let value { attributes.append("\(name)=\(ConsentHeadingAttributes.written(value))") }
        }
        let braces = attributes.isEmpty ? "" : "{\(attributes.joined(separator: " "))}"
        return (["#"] + [isPlain ? plain : "", braces].filter { !$0.isEmpty }).joined(separator: " ")
    }

    /// Whether a text is not empty, and fits in a line as it is.
    private static func isLine(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.contains { $0 < 0x20 }
    }

    /// Whether the reader returns a text from its Markdown.
    private static func isRead(_ markdown: String, as text: String) -> Bool {
        let line = MarkdownLine(number: 1, bytes: markdown.utf8)
        return (try? MarkdownInlineReader.read([line]))?.plainText.map { $0.utf8.elementsEqual(text.utf8) } ?? false
    }

    /// The content below the heading: readable Markdown if it gives the same text again, otherwise the text in fences.
    private var content: (text: String, hasNoSummary: Bool) {
        // 1. Readable in both parts.
        let blocks = htmlContent.map(MarkdownHTML.blocks) ?? []
        let paragraph = summary.map { MarkdownBlock.paragraph([.text($0)]).markdown(indentation: 0) }
        let startsWithParagraph = if case .paragraph? = blocks?.first { true } else { false }
        if let blocks {
            let hasNoSummary = summary == nil && startsWithParagraph
            let text = ([paragraph] + (blocks.isEmpty ? [] : [blocks.markdown])).compactMap(\.self)
                .joined(separator: "\n\n")
            if isContent(text, hasNoSummary: hasNoSummary) { return (text, hasNoSummary) }
        }
        // 2. Fences for one part or both.
        let html = htmlContent.map { ConsentSection.fence("html", $0) }
        let fenced = summary.map { ConsentSection.fence("summary", $0) }
        let markdown = blocks.flatMap { $0.isEmpty ? nil : $0.markdown }
        for parts in [[paragraph, html], [fenced, markdown]] {
            let text = parts.compactMap(\.self).joined(separator: "\n\n")
            if isContent(text, hasNoSummary: false) { return (text, false) }
        }
        return ([fenced, html].compactMap(\.self).joined(separator: "\n\n"), false)
    }

    /// Whether the reader returns this section's summary and full text.
    private func isContent(_ text: String, hasNoSummary: Bool) -> Bool {
        let lines = text.utf8.split(separator: .lineFeed, omittingEmptySubsequences: false).enumerated().map {
            MarkdownLine(number: $0 + 1, bytes: $1)
        }
        guard
            let read = try? ConsentSectionReader.content(lines, hasSummary: !hasNoSummary, level: 1),
            !lines.contains(where: { MarkdownBlockReader.headingLevel($0) == 1 })
        else { return false }
        return ConsentSection.isSame(read.summary, summary) && ConsentSection.isSame(read.html, htmlContent)
    }

    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    /// Returns a text between lines of backticks, more than the text has in a row.
    private static func fence(_ name: String, _ text: String) -> String {
        var longest = 2
        var run = 0
        for byte in text.utf8 {
            run = byte == .backtick ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        return "\(fence)\(name)\n\(text)\n\(fence)"
    }
}
