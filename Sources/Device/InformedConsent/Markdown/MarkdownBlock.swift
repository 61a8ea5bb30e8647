import FHIR

/// A block of a section's text.
indirect enum MarkdownBlock: Sendable, Hashable {
    case paragraph([MarkdownInline])
    /// A heading within a section; the level is that of HTML, 2 to 6.
    case heading(level: Int, [MarkdownInline])
    case list(isOrdered: Bool, [MarkdownItem])
    case rule
}

/// An item of a list: its text, and lists in it.
struct MarkdownItem: Sendable, Hashable {
    var text: [MarkdownInline]
    var lists: [MarkdownBlock] = []
}

extension [MarkdownBlock] {
    /// The blocks as HTML.
    var html: String { map(\.html).joined() }

    /// The blocks as Markdown, separated by blank lines.
    var markdown: String { map { $0.markdown(indentation: 0) }.joined(separator: "\n\n") }
}

extension MarkdownBlock {
    var html: String {
        switch self {
        case .paragraph(let text): return "<p>\(text.html)</p>"
        case .heading(let level, let text): return "<h\(level)>\(text.html)</h\(level)>"
        case .list(let isOrdered, let items):
            let name = isOrdered ? "ol" : "ul"
            return "<\(name)>\(items.map { "<li>\($0.text.html)\($0.lists.html)</li>" }.joined())</\(name)>"
        case .rule: return "<hr>"
        }
    }

    /// Returns Markdown that the reader reads as the block.
    func markdown(indentation: Int) -> String {
        func text(_ parts: [MarkdownInline], continued: Int) -> String {
            let lines = MarkdownInlineWriter.escapedLineStarts(MarkdownInlineWriter.bytes(parts))
                .split(separator: .lineFeed, omittingEmptySubsequences: false)
            return lines.map { String(decoding: $0, as: UTF8.self) }
                .joined(separator: "\n" + String(repeating: " ", count: continued))
        }
        switch self {
        case .paragraph(let parts): return text(parts, continued: 0)
        case .heading(let level, let parts): return String(repeating: "#", count: level) + " " + parts.markdown
        case .rule: return "***"
        case .list(let isOrdered, let items):
            return items.enumerated().map { index, item in
                let mark = isOrdered ? "\(index + 1). " : "- "
                let inner = indentation + mark.utf8.count
                let lists = item.lists.map { "\n" + $0.markdown(indentation: inner) }.joined()
                return String(repeating: " ", count: indentation) + mark + text(item.text, continued: inner) + lists
            }.joined(separator: "\n")
        }
    }
}

/// Reads the blocks of a section's text without comments: paragraphs, headings, lists and rules. Other syntax of Markdown is refused.
struct MarkdownBlockReader {
    private let lines: [MarkdownLine]
    private let sectionLevel: Int
    private var index = 0

    /// Maximum depth of lists in lists.
    static let maximumDepth = 8

    /// - Parameter sectionLevel: the number of `#` of the headings of sections.
    init(_ lines: [MarkdownLine], sectionLevel: Int = 1) {
        self.lines = lines
        self.sectionLevel = sectionLevel
    }

    /// Returns the blocks.
    ///
    /// - Throws: ``ConsentMarkdownError`` of the kinds `markdown` and `notText`.
    mutating func read() throws(ConsentMarkdownError) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        while index < lines.count {
            let line = lines[index]
            try line.requireText()
            if line.isBlank {
                index += 1
            } else {
                blocks.append(try block(line))
            }
        }
        return blocks
    }

    private mutating func block(_ line: MarkdownLine) throws(ConsentMarkdownError) -> MarkdownBlock {
        if line.indentation > 3 {
            throw Self.unsupported("Indented code is not supported; begin the line at the margin", line)
        }
        if Self.isRule(line) {
            index += 1
            return .rule
        }
        if let level = Self.headingLevel(line) {
            index += 1
            let text = MarkdownLine(number: line.number, bytes: Self.blanked(line, level))
            let depth = level - sectionLevel
            guard (1...5).contains(depth) else { throw Self.unsupported("The heading is too deep", line) }
            return .heading(level: depth + 1, try MarkdownInlineReader.read([text]))
        }
        if Self.marker(of: line) != nil { return try list(depth: 1) }
        if let problem = Self.unsupportedStart(line) { throw Self.unsupported(problem, line) }
        var text = [line]
        index += 1
        while index < lines.count, !lines[index].isBlank {
            let next = lines[index]
            if next.bytes.allSatisfy({ $0 == UInt8(ascii: "=") || $0 == .space })
                || next.bytes.allSatisfy({ $0 == UInt8(ascii: "-") || $0 == .space })
            {
                throw Self.unsupported("Underlined headings are not supported; write # before a heading", next)
            }
            if Self.headingLevel(next) != nil || Self.isRule(next) || Self.marker(of: next)?.interrupts == true {
                break
            }
            if let problem = Self.unsupportedStart(next) { throw Self.unsupported(problem, next) }
            text.append(next)
            index += 1
        }
        return .paragraph(try MarkdownInlineReader.read(text))
    }

    // MARK: Lists

    /// The mark at the start of a list item.
    struct Marker {
        /// The number of an ordered list; nil for a bullet.
        let number: Int?
        /// The spaces before the mark.
        let indentation: Int
        /// The offset of the item's text.
        let content: Int

        /// Whether a list can begin after a line of a paragraph.
        var interrupts: Bool { number == nil || number == 1 }
    }

    static func marker(of line: MarkdownLine) -> Marker? {
        let start = line.indentation
        let rest = line.bytes[start...]
        guard let first = rest.first else { return nil }
        var end: Int
        var number: Int?
        if first == UInt8(ascii: "-") || first == .star {
            end = start + 1
        } else {
            let digits = rest.prefix(6).prefix { $0.isASCIIDigit }
            guard !digits.isEmpty, digits.endIndex < line.bytes.count, line.bytes[digits.endIndex] == UInt8(ascii: ".")
            else { return nil }
            number = Int(String(decoding: digits, as: UTF8.self))
            end = digits.endIndex + 1
        }
        guard end < line.bytes.count, line.bytes[end] == .space else { return nil }
        end += 1
        return Marker(number: number, indentation: start, content: end)
    }

    private mutating func list(depth: Int) throws(ConsentMarkdownError) -> MarkdownBlock {
        let first = lines[index]
        guard depth <= Self.maximumDepth, let start = Self.marker(of: first) else {
            throw Self.unsupported("Lists have at most \(Self.maximumDepth) levels", first)
        }
        let isOrdered = start.number != nil
        if isOrdered, start.number != 1 {
            throw Self.unsupported("A numbered list begins with 1; to write a number as text, write 12\\.", first)
        }
        var items: [MarkdownItem] = []
        while index < lines.count, let marker = Self.marker(of: lines[index]), marker.indentation == start.indentation {
            // Another kind of mark begins another list.
            guard (marker.number != nil) == isOrdered else { break }
            items.append(try item(marker, depth: depth))
        }
        return .list(isOrdered: isOrdered, items)
    }

    private mutating func item(_ marker: Marker, depth: Int) throws(ConsentMarkdownError) -> MarkdownItem {
        let line = lines[index]
        try line.requireText()
        var text = [MarkdownLine(number: line.number, bytes: Self.blanked(line, marker.content))]
        guard !text[0].isBlank else { throw Self.unsupported("A list item needs text", line) }
        index += 1
        // 1. The lines of the item's text.
        while index < lines.count, !lines[index].isBlank, Self.marker(of: lines[index]) == nil {
            let next = lines[index]
            if let problem = Self.unsupportedStart(next) { throw Self.unsupported(problem, next) }
            if Self.headingLevel(next) != nil || Self.isRule(next) { break }
            text.append(next)
            index += 1
        }
        var item = MarkdownItem(text: try MarkdownInlineReader.read(text))
        // 2. The lists in it; blank lines between items have no meaning.
        while true {
            var next = index
            while next < lines.count, lines[next].isBlank { next += 1 }
            guard next < lines.count else { break }
            let following = lines[next]
            guard let inner = Self.marker(of: following) else {
                if next > index, following.indentation > marker.indentation {
                    throw Self.unsupported("A list item has one paragraph", following)
                }
                break
            }
            guard inner.indentation > marker.indentation else {
                if inner.indentation == marker.indentation { index = next }
                break
            }
            guard inner.indentation >= marker.content else {
                throw Self.unsupported(
                    "An inner list is indented by \(marker.content) spaces or more, as the text of its item", following)
            }
            index = next
            item.lists.append(try list(depth: depth + 1))
        }
        return item
    }

    // MARK: Starts of lines

    private static func unsupported(_ problem: String, _ line: MarkdownLine) -> ConsentMarkdownError {
        ConsentMarkdownError(.markdown, problem + ".", at: line.position(line.indentation))
    }

    /// Returns the line with spaces in the first bytes, so that columns remain those of the file.
    static func blanked(_ line: MarkdownLine, _ count: Int) -> [UInt8] {
        Array(repeating: .space, count: count) + line.bytes.dropFirst(count)
    }

    /// Returns the number of `#` of a heading; nil for other lines.
    static func headingLevel(_ line: MarkdownLine) -> Int? {
        let level = line.bytes.prefix { $0 == UInt8(ascii: "#") }.count
        guard (1...6).contains(level) else { return nil }
        return line.bytes.count == level || line.bytes[level] == .space ? level : nil
    }

    private static func isRule(_ line: MarkdownLine) -> Bool {
        let marks = line.bytes.filter { $0 != .space }
        guard marks.count > 2, let first = marks.first, "*-_".utf8.contains(first) else { return false }
        return marks.allSatisfy { $0 == first }
    }

    private static func unsupportedStart(_ line: MarkdownLine) -> String? {
        let rest = line.bytes[line.indentation...]
        if rest.starts(with: "```".utf8) {
            return "A block between ``` is `summary` or `html`, at the start of a section, and nothing follows `html`"
        }
        if rest.starts(with: "<!--".utf8) { return "A comment begins at the margin" }
        switch rest.first {
        case UInt8(ascii: ">"): return "Quotations are not supported; a backslash before > makes it text"
        case UInt8(ascii: "|"): return "Tables are not supported; a backslash before | makes it text"
        case UInt8(ascii: "+") where rest.dropFirst().first == .space: return "Items of a list begin with -"
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Returns the offset of the first occurrence of a text.
    func firstOffset(of text: String) -> Int? { firstRange(of: Array(text.utf8))?.lowerBound }
}
