import FHIR

/// A part of a paragraph.
indirect enum MarkdownInline: Sendable, Hashable {
    case text(String)
    case strong([MarkdownInline])
    case emphasis([MarkdownInline])
    case link([MarkdownInline], address: String)
    case lineBreak
}

extension [MarkdownInline] {
    /// The text, if there are no marks; nil otherwise.
    var plainText: String? {
        guard let first else { return "" }
        guard count == 1, case .text(let text) = first else { return nil }
        return text
    }

    /// The parts as HTML.
    var html: String {
        map { part in
            switch part {
            case .text(let text): MarkdownHTML.escaped(text)
            case .strong(let parts): "<strong>\(parts.html)</strong>"
            case .emphasis(let parts): "<em>\(parts.html)</em>"
            case .link(let parts, let address): "<a href=\"\(MarkdownHTML.escaped(address))\">\(parts.html)</a>"
            case .lineBreak: "<br>"
            }
        }.joined()
    }

    /// The parts as Markdown.
    var markdown: String { String(decoding: MarkdownInlineWriter.bytes(self), as: UTF8.self) }
}

/// Reads the text of a paragraph, a list item or a heading: strong, emphasis, links, line breaks and escapes. Other
/// syntax of Markdown is refused, so that no mark appears as text by mistake. The time is linear in the text.
struct MarkdownInlineReader {
    private enum Container { case paragraph, strong, emphasis, link }

    private struct Frame {
        let container: Container
        /// The line and the offset of the beginning, of which an error makes a position.
        let start: (line: MarkdownLine, offset: Int)?
        var parts: [MarkdownInline] = []
    }

    private var frames: [Frame] = [Frame(container: .paragraph, start: nil)]
    private var text: [UInt8] = []
    private var line = MarkdownLine(number: 0, bytes: [])
    private var offset = 0

    /// Reads lines that form one text; the ends of lines are spaces.
    ///
    /// - Throws: ``ConsentMarkdownError`` of the kinds `markdown` and `notText`.
    static func read(_ lines: [MarkdownLine]) throws(ConsentMarkdownError) -> [MarkdownInline] {
        var reader = MarkdownInlineReader()
        for (index, line) in lines.enumerated() {
            try line.requireText()
            try reader.read(line, isLast: index == lines.count - 1)
        }
        if let open = reader.frames.last, open.container != .paragraph {
            throw ConsentMarkdownError(
                .markdown, "The mark that begins here has no end; write the end, or a backslash before the mark.",
                at: open.start.map { $0.line.position($0.offset) })
        }
        reader.flush()
        return reader.frames[0].parts
    }

    private mutating func read(_ line: MarkdownLine, isLast: Bool) throws(ConsentMarkdownError) {
        self.line = line
        offset = line.indentation
        var end = line.bytes.count
        while end > offset, line.bytes[end - 1] == .space { end -= 1 }
        let spaces = line.bytes.count - end
        while offset < end { try readNext(before: end, isLast: isLast) }
        guard !isLast else { return }
        if text.last == .backslash, isBreak(end) {
            text.removeLast()
            append(.lineBreak)
        } else if spaces > 1 {
            append(.lineBreak)
        } else {
            text.append(.space)
        }
    }

    /// Whether the backslash at the end of a line is not itself escaped.
    private func isBreak(_ end: Int) -> Bool {
        var count = 0
        while end - count > 0, line.bytes[end - count - 1] == .backslash { count += 1 }
        return !count.isMultiple(of: 2)
    }

    private mutating func readNext(before end: Int, isLast: Bool) throws(ConsentMarkdownError) {
        let byte = line.bytes[offset]
        let next = offset + 1 < end ? line.bytes[offset + 1] : nil
        switch byte {
        case .backslash:
            if let next, next.isASCIIPunctuation {
                text.append(next)
                offset += 2
            } else {
                text.append(byte)
                offset += 1
            }
        case .star: try readStars(before: end)
        case UInt8(ascii: "["): open(.link, length: 1)
        case UInt8(ascii: "]"): try readLinkEnd(before: end)
        case .backtick: throw unsupported("Code is not supported")
        case UInt8(ascii: "<") where next.map { $0.isASCIILetter || "/!?".utf8.contains($0) } ?? false:
            throw unsupported("HTML within Markdown is not supported; a block ```html has a section's full HTML")
        case UInt8(ascii: "!") where next == UInt8(ascii: "["):
            throw unsupported("Pictures within the text are not supported; a heading can name one: {image=NAME}")
        case UInt8(ascii: "~") where next == UInt8(ascii: "~"): throw unsupported("Deleted text is not supported")
        case UInt8(ascii: "&") where isEntity(before: end):
            throw unsupported("Character references are not supported; write the character itself")
        case UInt8(ascii: "_") where !isWithinWord(before: end):
            throw unsupported("Emphasis by _ is not supported; use *")
        default:
            text.append(byte)
            offset += 1
        }
    }

    private func unsupported(_ problem: String) -> ConsentMarkdownError {
        ConsentMarkdownError(
            .markdown, problem + ". A backslash before the character makes it text.", at: line.position(offset))
    }

    private func isWithinWord(before end: Int) -> Bool {
        offset > 0 && line.bytes[offset - 1].isOfWord && offset + 1 < end && line.bytes[offset + 1].isOfWord
    }

    private func isEntity(before end: Int) -> Bool {
        let name = line.bytes[(offset + 1)..<end].prefix(32).prefix {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "#")
        }
        return !name.isEmpty && name.endIndex < end && line.bytes[name.endIndex] == UInt8(ascii: ";")
    }

    // MARK: Marks

    private mutating func readStars(before end: Int) throws(ConsentMarkdownError) {
        let run = line.bytes[offset..<end].prefix { $0 == .star }.count
        let open = frames.map(\.container)
        let steps: [(container: Container, length: Int)]
        switch run {
        case 1: steps = [(.emphasis, 1)]
        case 2: steps = [(.strong, 2)]
        case 3:
            // The inner one ends first; if neither is open, strong contains emphasis.
            let innermost = open.last(where: { $0 == .strong || $0 == .emphasis })
            steps = innermost == .emphasis ? [(.emphasis, 1), (.strong, 2)] : [(.strong, 2), (.emphasis, 1)]
        default: throw unsupported("More than three asterisks in a row are not supported")
        }
        let isSpaceBefore = offset == line.indentation || line.bytes[offset - 1] == .space
        let isSpaceAfter = offset + run >= end || line.bytes[offset + run] == .space
        for (container, length) in steps {
            if open.contains(container) {
                guard frames.last?.container == container else {
                    throw unsupported("Marks must end in the reverse order of their beginnings")
                }
                guard !isSpaceBefore else { throw unsupported("No space may precede the end of a mark") }
                try close { container == .strong ? .strong($0) : .emphasis($0) }
                offset += length
            } else {
                guard !isSpaceAfter else { throw unsupported("No space may follow the beginning of a mark") }
                self.open(container, length: length)
            }
        }
    }

    private mutating func open(_ container: Container, length: Int) {
        flush()
        frames.append(Frame(container: container, start: (line, offset)))
        offset += length
    }

    /// Ends the innermost mark.
    private mutating func close(_ make: ([MarkdownInline]) -> MarkdownInline) throws(ConsentMarkdownError) {
        flush()
        let frame = frames.removeLast()
        guard !frame.parts.isEmpty else {
            throw ConsentMarkdownError(
                .markdown, "A mark needs text between its beginning and its end.", at: line.position(offset))
        }
        append(make(frame.parts))
    }

    private mutating func readLinkEnd(before end: Int) throws(ConsentMarkdownError) {
        guard frames.last?.container == .link, offset + 1 < end, line.bytes[offset + 1] == UInt8(ascii: "(") else {
            throw unsupported("A link has the form [text](address)")
        }
        guard !frames.dropLast().contains(where: { $0.container == .link }) else {
            throw unsupported("A link must not contain a link")
        }
        let rest = line.bytes[(offset + 2)..<end]
        let address = rest.prefix { $0 > 0x20 && !"()<>\\\"".utf8.contains($0) }
        guard !address.isEmpty, address.endIndex < end, line.bytes[address.endIndex] == UInt8(ascii: ")") else {
            throw unsupported("The address of a link has no spaces, quotation marks, backslashes, <, > or brackets")
        }
        let text = String(decoding: address, as: UTF8.self)
        guard Self.isSafe(text) else {
            throw unsupported("The address of a link begins with https:, http:, mailto: or tel:")
        }
        try close { .link($0, address: text) }
        offset = address.endIndex + 1
    }

    /// Whether an address has one of the schemes that a consent may open.
    static func isSafe(_ address: String) -> Bool {
        ["https:", "http:", "mailto:", "tel:"].contains { address.lowercased().hasPrefix($0) }
    }

    // MARK: Text

    private mutating func append(_ part: MarkdownInline) {
        flush()
        frames[frames.count - 1].parts.append(part)
    }

    private mutating func flush() {
        guard !text.isEmpty else { return }
        frames[frames.count - 1].parts.append(.text(String(decoding: text, as: UTF8.self)))
        text = []
    }
}

/// Writes the parts of a paragraph as Markdown.
enum MarkdownInlineWriter {
    /// Returns Markdown without the escapes that the start of a line needs.
    static func bytes(_ parts: [MarkdownInline]) -> [UInt8] {
        parts.reduce(into: []) { result, part in
            switch part {
            case .text(let text): result += escaped(Array(text.utf8))
            case .strong(let parts): result += Array("**".utf8) + bytes(parts) + Array("**".utf8)
            case .emphasis(let parts): result += [.star] + bytes(parts) + [.star]
            case .link(let parts, let address): result += Array("[".utf8) + bytes(parts) + Array("](\(address))".utf8)
            case .lineBreak: result += [.backslash, .lineFeed]
            }
        }
    }

    /// Returns text with a backslash before each character that the reader would take for syntax.
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for (index, byte) in text.enumerated() {
            let next = index + 1 < text.count ? text[index + 1] : nil
            let isSyntax =
                switch byte {
                case .backslash, .star, .backtick, UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "<"),
                    UInt8(ascii: "{"):
                    true
                case UInt8(ascii: "_"): !(index > 0 && text[index - 1].isOfWord && next?.isOfWord ?? false)
                case UInt8(ascii: "&"): next.map { $0.isASCIILetter || $0 == UInt8(ascii: "#") } ?? false
                case UInt8(ascii: "~"): next == UInt8(ascii: "~")
                default: false
                }
            if isSyntax { result.append(.backslash) }
            result.append(byte)
        }
        return result
    }

    /// Returns lines with a backslash where a line's start would begin another block.
    static func escapedLineStarts(_ bytes: [UInt8]) -> [UInt8] {
        let lines = bytes.split(separator: .lineFeed, omittingEmptySubsequences: false).map { line -> [UInt8] in
            guard let first = line.first else { return [] }
            if "#-+>=|~".utf8.contains(first) { return [.backslash] + line }
            let digits = line.prefix { $0.isASCIIDigit }
            if !digits.isEmpty, digits.endIndex < line.endIndex, ".)".utf8.contains(line[digits.endIndex]) {
                return Array(digits) + [.backslash] + line[digits.endIndex...]
            }
            return Array(line)
        }
        return Array(lines.joined(separator: [.lineFeed]))
    }
}
