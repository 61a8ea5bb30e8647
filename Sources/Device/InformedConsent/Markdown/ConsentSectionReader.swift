import FHIR

/// Reads the sections of a consent from the lines after the front matter.
enum ConsentSectionReader {
    /// A section without its content: the heading and the lines below it.
    private struct Outline {
        let heading: MarkdownLine
        var body: [MarkdownLine] = []
    }

    /// Returns the sections. The first heading decides about the level: headings with more `#` are within a section.
    ///
    /// - Throws: ``ConsentMarkdownError``.
    static func sections(_ lines: [MarkdownLine]) throws(ConsentMarkdownError) -> [ConsentSection] {
        var outlines: [Outline] = []
        var level: Int?
        var fence: Int?
        var comment: MarkdownLine?
        for line in lines {
            var isOfComment = false
            if fence == nil {
                if comment == nil, line.bytes.starts(with: "<!--".utf8) { comment = line }
                isOfComment = comment != nil
                if !isOfComment, let own = MarkdownBlockReader.headingLevel(line) {
                    if let level, own < level {
                        throw ConsentMarkdownError(
                            .section, "The headings of all sections have \(level) #, as the first one.",
                            at: line.position())
                    }
                    if own == level ?? own {
                        level = own
                        outlines.append(Outline(heading: line))
                        continue
                    }
                }
                if !isOfComment {
                    fence = fenceLength(line)
                } else if let end = line.bytes.firstOffset(of: "-->") {
                    guard line.bytes[(end + 3)...].allSatisfy({ $0 == .space }) else {
                        throw ConsentMarkdownError(
                            .markdown, "Nothing may follow the end of a comment in its line.",
                            at: line.position(end + 3))
                    }
                    comment = nil
                }
            } else if let length = fence, isFenceEnd(line, length) {
                fence = nil
            }
            if outlines.isEmpty {
                if line.isBlank || isOfComment { continue }
                throw ConsentMarkdownError(
                    .section, "Text precedes the first section; write a heading `# Title` above it.",
                    at: line.position())
            }
            // A comment separates blocks, as a blank line does.
            outlines[outlines.count - 1].body.append(isOfComment ? MarkdownLine(number: line.number, bytes: []) : line)
        }
        if let comment {
            throw ConsentMarkdownError(.markdown, "The comment has no end: -->.", at: comment.position())
        }
        guard !outlines.isEmpty else {
            throw ConsentMarkdownError(
                .noSections, "The consent has no section; write a heading `# Title` and text below it.")
        }
        guard outlines.count <= ConsentMarkdown.maximumSections else {
            throw ConsentMarkdownError(
                .tooLarge, "The consent has more than \(ConsentMarkdown.maximumSections) sections.",
                at: outlines[ConsentMarkdown.maximumSections].heading.position())
        }
        return try sections(outlines, level: level ?? 1)
    }

    private static func sections(
        _ outlines: [Outline], level: Int
    ) throws(ConsentMarkdownError) -> [ConsentSection] {
        var seen: Set<[String]> = []
        var sections: [ConsentSection] = []
        for outline in outlines {
            let heading = try ConsentHeading(outline.heading)
            guard seen.insert([heading.kind.rawValue, heading.title]).inserted else {
                throw ConsentMarkdownError(
                    .sectionRepeated,
                    "The section \"\(heading.title)\" of the type \(heading.kind.rawValue) occurs twice; "
                        + "remove one, or give it another title.", at: outline.heading.position())
            }
            let content = try Self.content(outline.body, hasSummary: !heading.hasNoSummary, level: level)
            sections.append(
                ConsentSection(
                    kind: heading.kind, title: heading.title, summary: content.summary, htmlContent: content.html,
                    htmlContentFile: heading.file, image: heading.image, animation: heading.animation))
        }
        return sections
    }

    // MARK: Content

    /// Returns the summary and the full text of a section.
    ///
    /// A fence `summary` or the first paragraph is the summary. A fence `html`, or all other blocks, are the full text.
    static func content(
        _ lines: [MarkdownLine], hasSummary: Bool, level: Int
    ) throws(ConsentMarkdownError) -> (summary: String?, html: String?) {
        var rest = lines[...].drop(while: \.isBlank)
        var summary: String?
        if let literal = try fenced("summary", &rest) {
            summary = literal
            rest = rest.drop(while: \.isBlank)
        }
        if let html = try fenced("html", &rest) {
            if let line = rest.first(where: { !$0.isBlank }) {
                throw ConsentMarkdownError(
                    .markdown, "Nothing follows the block `html` in a section.", at: line.position())
            }
            return (summary, html)
        }
        // A fence `html` may follow a summary that is a paragraph.
        let fence = rest.firstIndex { fenceLength($0) != nil }
        var html: String?
        var blockLines = Array(rest)
        if let fence, rest[fence].text.trimmedOfSpaces.hasSuffix("`html") {
            var tail = rest[fence...]
            html = try fenced("html", &tail)
            if let line = tail.first(where: { !$0.isBlank }) {
                throw ConsentMarkdownError(
                    .markdown, "Nothing follows the block `html` in a section.", at: line.position())
            }
            blockLines = Array(rest[..<fence])
        }
        var reader = MarkdownBlockReader(blockLines, sectionLevel: level)
        var blocks = try reader.read()
        let start = blockLines.first { !$0.isBlank }?.position()
        if summary == nil, hasSummary, case .paragraph(let text)? = blocks.first {
            guard let plain = text.plainText else {
                throw ConsentMarkdownError(
                    .markdown,
                    "The first paragraph is the summary, and apps show it as plain text: remove its marks, or write "
                        + "{no-summary} after the heading.", at: start)
            }
            summary = plain
            blocks.removeFirst()
        }
        guard html == nil || blocks.isEmpty else {
            throw ConsentMarkdownError(
                .markdown, "A section with a block `html` has only a summary before it.", at: start)
        }
        return (summary, html ?? (blocks.isEmpty ? nil : blocks.html))
    }

    /// Returns the number of backticks if the line begins a fence.
    private static func fenceLength(_ line: MarkdownLine) -> Int? {
        let count = line.bytes.prefix { $0 == .backtick }.count
        return count >= 3 ? count : nil
    }

    private static func isFenceEnd(_ line: MarkdownLine, _ length: Int) -> Bool {
        guard let count = fenceLength(line), count >= length else { return false }
        return line.bytes.dropFirst(count).allSatisfy { $0 == .space }
    }

    /// Takes a fence with a name from the start of the lines and returns its content, byte for byte; nil if there is
    /// none.
    private static func fenced(
        _ name: String, _ lines: inout ArraySlice<MarkdownLine>
    ) throws(ConsentMarkdownError) -> String? {
        guard let first = lines.first, let length = fenceLength(first),
            String(decoding: first.bytes.dropFirst(length), as: UTF8.self).trimmedOfSpaces == name
        else { return nil }
        guard let end = lines.dropFirst().firstIndex(where: { isFenceEnd($0, length) }) else {
            throw ConsentMarkdownError(
                .markdown, "The block has no end: a line with \(length) backticks.", at: first.position())
        }
        let content = lines[(lines.startIndex + 1)..<end].map(\.bytes).joined(separator: [.lineFeed])
        lines = lines[(end + 1)...]
        return String(decoding: Array(content), as: UTF8.self)
    }
}

/// The heading of a section: its title and, in braces at the end, its type and attributes.
///
/// `# What we collect {data-gathering image=phone}`
struct ConsentHeading {
    private(set) var kind: ConsentSection.Kind = .custom
    private(set) var title = ""
    private(set) var hasNoSummary = false
    private(set) var file: String?
    private(set) var image: String?
    private(set) var animation: String?

    /// - Throws: ``ConsentMarkdownError`` of the kinds `section`, `markdown` and `notText`.
    init(_ line: MarkdownLine) throws(ConsentMarkdownError) {
        try line.requireText()
        let level = line.bytes.prefix { $0 == UInt8(ascii: "#") }.count
        let brace = Self.brace(in: line)
        let written = MarkdownLine(
            number: line.number,
            bytes: MarkdownBlockReader.blanked(
                MarkdownLine(number: line.number, bytes: line.bytes[..<(brace ?? line.bytes.count)]), level))
        guard let text = try MarkdownInlineReader.read([written]).plainText else {
            throw ConsentMarkdownError(
                .section, "The heading of a section is plain text; write a backslash before a mark.",
                at: line.position())
        }
        title = text
        var kind: ConsentSection.Kind?
        var givenTitle: String?
        if let brace {
            var attributes = ConsentHeadingAttributes(line: line, offset: brace + 1)
            var names: Set<String> = []
            while let (name, value, position) = try attributes.next() {
                guard names.insert(value == nil && name != "no-summary" ? "type" : name).inserted else {
                    throw ConsentMarkdownError(.section, "The heading has \(name) twice.", at: position)
                }
                switch (name, value) {
                case ("no-summary", nil): hasNoSummary = true
                case (_, nil):
                    guard let named = Self.kind(named: name) else {
                        throw ConsentMarkdownError(
                            .section,
                            "\(name) is no type of a section; the types are "
                                + ConsentSection.Kind.allCases.map(\.markdownName).joined(separator: ", ") + ".",
                            at: position)
                    }
                    kind = named
                case ("title", let value?): givenTitle = value
                case ("file", let value?): file = value
                case ("image", let value?): image = value
                case ("animation", let value?): animation = value
                default:
                    throw ConsentMarkdownError(
                        .section, "\(name) is unknown; the attributes are title, file, image, animation.", at: position)
                }
            }
        }
        if let givenTitle {
            guard title.isEmpty else {
                throw ConsentMarkdownError(.section, "The heading has two titles; remove one.", at: line.position())
            }
            title = givenTitle
        }
        self.kind = kind ?? Self.kind(named: title) ?? .custom
        if title.isEmpty, givenTitle == nil { title = self.kind.title }
    }

    /// Returns the offset of the brace that begins the attributes: the first one without a backslash.
    private static func brace(in line: MarkdownLine) -> Int? {
        var offset = 0
        while offset < line.bytes.count, line.bytes[offset] != UInt8(ascii: "{") {
            offset += line.bytes[offset] == .backslash ? 2 : 1
        }
        return offset < line.bytes.count ? offset : nil
    }

    /// Returns the type with a name. Case, spaces and hyphens have no meaning, and the default title is a name too.
    static func kind(named name: String) -> ConsentSection.Kind? {
        let key = key(name)
        return ConsentSection.Kind.allCases.first { self.key($0.rawValue) == key || self.key($0.title) == key }
    }

    private static func key(_ name: String) -> String {
        // A type without a default title is found by its name alone.
        let key = name.lowercased().filter { $0 != " " && $0 != "-" }
        return key.isEmpty ? "custom" : key
    }
}

extension ConsentSection.Kind {
    /// The name in Markdown: that of ResearchKit in lower case, with hyphens.
    public var markdownName: String {
        rawValue.reduce(into: "") { name, character in
            if character.isUppercase, !name.isEmpty { name += "-" }
            name += character.lowercased()
        }
    }
}

/// Reads the attributes in the braces of a heading: names, and names with values.
struct ConsentHeadingAttributes {
    let line: MarkdownLine
    var offset: Int

    /// Returns the next attribute; nil at the end.
    mutating func next() throws(ConsentMarkdownError) -> (name: String, value: String?, position: MarkdownPosition)? {
        while offset < line.bytes.count, line.bytes[offset] == .space { offset += 1 }
        let start = offset
        guard offset < line.bytes.count else { throw invalid("The braces have no end: }", at: start) }
        if line.bytes[offset] == UInt8(ascii: "}") {
            guard line.bytes[(offset + 1)...].allSatisfy({ $0 == .space }) else {
                throw invalid("Nothing follows the braces; a backslash before { makes it text", at: offset + 1)
            }
            return nil
        }
        let name = word()
        guard !name.isEmpty else { throw invalid("A type or an attribute is expected", at: start) }
        guard offset < line.bytes.count, line.bytes[offset] == UInt8(ascii: "=") else {
            return (name, nil, line.position(start))
        }
        offset += 1
        guard offset < line.bytes.count, line.bytes[offset] == .quote else {
            let value = word()
            guard !value.isEmpty else { throw invalid("The attribute needs a value", at: start) }
            return (name, value, line.position(start))
        }
        var end = offset + 1
        while end < line.bytes.count, line.bytes[end] != .quote { end += line.bytes[end] == .backslash ? 2 : 1 }
        guard end < line.bytes.count, let value = (try? JSON(Array(line.bytes[offset...end])))?.string else {
            throw invalid("The value in quotation marks has no end, or other escapes than JSON", at: offset)
        }
        offset = end + 1
        return (name, value, line.position(start))
    }

    private mutating func word() -> String {
        let bytes = line.bytes[offset...].prefix { $0.isOfWord || "-_.@".utf8.contains($0) }
        offset = bytes.endIndex
        return String(decoding: bytes, as: UTF8.self)
    }

    private func invalid(_ problem: String, at offset: Int) -> ConsentMarkdownError {
        ConsentMarkdownError(.section, problem + ".", at: line.position(offset))
    }

    /// Returns a value as it is written: a word, or a text in quotation marks.
    static func written(_ value: String) -> String {
        let isWord =
            !value.isEmpty && value.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.@".utf8.contains($0) }
        return isWord ? value : JSON.string(value).text()
    }
}

extension String {
    /// The text without the spaces at its ends.
    fileprivate var trimmedOfSpaces: String {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
