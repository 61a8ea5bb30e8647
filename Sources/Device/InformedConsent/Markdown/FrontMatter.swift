import FHIR

/// The front matter of a Markdown file: a strict part of YAML 1.2 (<https://yaml.org/spec/1.2.2/>).
///
/// It has members with texts, lists of texts, and lists of members with texts. Texts are plain, in single quotation
/// marks, or in double quotation marks with the escapes of JSON. Comments are permitted. Everything else is refused with
/// its position: other structures, tabs, anchors, tags, texts of several lines, repeated names.
struct FrontMatter: Sendable {
    /// A text with its position.
    struct Text: Sendable, Hashable {
        let value: String
        let position: MarkdownPosition
        /// Whether the text is in quotation marks, so that it is neither a truth value nor nothing.
        let isQuoted: Bool
    }

    /// A named value.
    struct Member: Sendable {
        let name: Text
        let value: Value
    }

    /// The value of a member.
    enum Value: Sendable {
        case text(Text)
        case texts([Text])
        case records([[Member]])
    }

    /// The members in their order; names are unique.
    let members: [Member]
    /// The number of lines, with those of the marks `---`.
    let lineCount: Int

    /// Maximum number of lines.
    static let maximumLines = 1_000

    /// Reads the front matter at the start of a file.
    ///
    /// - Throws: ``ConsentMarkdownError`` of the kinds `frontMatter`, `memberRepeated` and `tooLarge`.
    init(_ lines: [MarkdownLine]) throws(ConsentMarkdownError) {
        guard let first = lines.first, Self.isMark(first) else {
            throw ConsentMarkdownError(
                .frontMatter, "The file begins with a line --- and the members of the consent; see docs/consent.md.",
                at: lines.first?.position())
        }
        guard let end = lines.dropFirst().firstIndex(where: Self.isMark) else {
            throw ConsentMarkdownError(
                .frontMatter, "The front matter has no end; write a line --- after its members.", at: first.position())
        }
        guard end <= Self.maximumLines else {
            throw ConsentMarkdownError(.tooLarge, "The front matter has more than \(Self.maximumLines) lines.")
        }
        var reader = FrontMatterReader(Array(lines[1..<end]))
        members = try reader.read()
        lineCount = end + 1
    }

    private static func isMark(_ line: MarkdownLine) -> Bool {
        line.bytes.starts(with: "---".utf8) && line.bytes.dropFirst(3).allSatisfy { $0 == .space }
    }

    /// Returns the value of a member.
    func value(_ name: String) -> Member? { members.first { $0.name.value == name } }

    /// Returns a text as YAML: plain if possible, otherwise in quotation marks.
    static func written(_ text: String) -> String {
        let bytes = Array(text.utf8)
        // Bytes, because a combining character after a mark does not hide the mark.
        let hasSyntax = bytes.indices.contains { index in
            let next = index + 1 < bytes.count ? bytes[index + 1] : .space
            return bytes[index] == UInt8(ascii: ":") && next == .space
                || bytes[index] == .space && (next == UInt8(ascii: "#") || index + 1 == bytes.count)
        }
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x20..<0x7F: true
            case 0..<0xA0, 0x2028, 0x2029, 0xFEFF: false
            default: true
            }
        }
        guard let first = bytes.first, first.isOfWord, isPrintable, !hasSyntax, !reserved.contains(text.lowercased())
        else { return JSON.string(text).text() }
        return text
    }

    /// Plain texts that have another meaning.
    static let reserved: Set<String> = ["yes", "no", "true", "false", "null", "~", "on", "off"]
}

/// Reads the lines between the marks.
private struct FrontMatterReader {
    let lines: [MarkdownLine]
    var index = 0

    init(_ lines: [MarkdownLine]) { self.lines = lines }

    mutating func read() throws(ConsentMarkdownError) -> [FrontMatter.Member] {
        var members: [FrontMatter.Member] = []
        var names: Set<String> = []
        while let line = try nextLine() {
            guard line.indentation == 0 else {
                throw error("A member begins at the margin", in: line, at: line.indentation)
            }
            guard let (name, rest) = try memberName(line, from: 0) else {
                throw error("A member has the form `name: value`", in: line, at: 0)
            }
            guard names.insert(name.value).inserted else { throw repeated(name) }
            index += 1
            let value: FrontMatter.Value
            if isEmpty(line, from: rest) {
                value = try list(of: line)
            } else {
                value = try inlineValue(line, from: rest)
            }
            members.append(FrontMatter.Member(name: name, value: value))
        }
        return members
    }

    /// Skips blank lines and comments.
    private mutating func nextLine() throws(ConsentMarkdownError) -> MarkdownLine? {
        while index < lines.count {
            let line = lines[index]
            try line.requireText()
            if !line.isBlank, line.bytes[line.indentation] != UInt8(ascii: "#") { return line }
            index += 1
        }
        return nil
    }

    private func error(_ problem: String, in line: MarkdownLine, at offset: Int) -> ConsentMarkdownError {
        ConsentMarkdownError(.frontMatter, problem + ".", at: line.position(offset))
    }

    private func repeated(_ name: FrontMatter.Text) -> ConsentMarkdownError {
        ConsentMarkdownError(.memberRepeated, "\(name.value) occurs twice; remove one.", at: name.position)
    }

    /// Returns a member's name and the offset after its colon; nil if there is no name.
    private func memberName(
        _ line: MarkdownLine, from start: Int
    ) throws(ConsentMarkdownError) -> (FrontMatter.Text, Int)? {
        let bytes = line.bytes[start...].prefix { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        let colon = bytes.endIndex
        guard let first = bytes.first, first.isASCIILetter, colon < line.bytes.count,
            line.bytes[colon] == UInt8(ascii: ":"), colon + 1 == line.bytes.count || line.bytes[colon + 1] == .space
        else { return nil }
        let text = FrontMatter.Text(
            value: String(decoding: bytes, as: UTF8.self), position: line.position(start), isQuoted: false)
        return (text, colon + 1)
    }

    /// Whether only spaces or a comment follow.
    private func isEmpty(_ line: MarkdownLine, from start: Int) -> Bool {
        let rest = line.bytes[start...].drop { $0 == .space }
        return rest.isEmpty || rest.first == UInt8(ascii: "#") && rest.startIndex > start
    }

    // MARK: Values

    private func inlineValue(_ line: MarkdownLine, from start: Int) throws(ConsentMarkdownError) -> FrontMatter.Value {
        let offset = line.bytes[start...].prefix { $0 == .space }.endIndex
        guard line.bytes[offset] == UInt8(ascii: "[") else { return .text(try text(line, from: offset)) }
        return .texts(try flowList(line, from: offset))
    }

    /// Reads a list in the lines after a member's name.
    private mutating func list(of owner: MarkdownLine) throws(ConsentMarkdownError) -> FrontMatter.Value {
        var texts: [FrontMatter.Text] = []
        var records: [[FrontMatter.Member]] = []
        var margin: Int?
        while let line = try nextLine(), line.bytes[line.indentation] == UInt8(ascii: "-"), isItem(line) {
            let indentation = line.indentation
            guard margin == nil || margin == indentation else {
                throw error("The items of a list have the same indentation", in: line, at: indentation)
            }
            margin = indentation
            let start = line.bytes[(indentation + 1)...].prefix { $0 == .space }.endIndex
            guard start < line.bytes.count else {
                throw error("An item of a list needs a value", in: line, at: indentation)
            }
            if try memberName(line, from: start) != nil {
                records.append(try record(line, from: start))
            } else {
                texts.append(try text(line, from: start))
                index += 1
            }
            guard texts.isEmpty || records.isEmpty else {
                throw error("The items of a list are all texts, or all have members", in: line, at: indentation)
            }
        }
        guard margin != nil else {
            throw error("The member has no value; write one, or leave the member out", in: owner, at: owner.bytes.count)
        }
        return records.isEmpty ? .texts(texts) : .records(records)
    }

    private func isItem(_ line: MarkdownLine) -> Bool {
        let after = line.indentation + 1
        return after == line.bytes.count || line.bytes[after] == .space
    }

    /// Reads an item that has members.
    private mutating func record(
        _ line: MarkdownLine, from start: Int
    ) throws(ConsentMarkdownError) -> [FrontMatter.Member] {
        var members: [FrontMatter.Member] = []
        var current: MarkdownLine? = line
        while let line = current, let (name, rest) = try memberName(line, from: start) {
            guard !members.contains(where: { $0.name.value == name.value }) else { throw repeated(name) }
            guard !isEmpty(line, from: rest) else { throw error("The member has no value", in: line, at: rest) }
            let offset = line.bytes[rest...].prefix { $0 == .space }.endIndex
            members.append(FrontMatter.Member(name: name, value: .text(try text(line, from: offset))))
            index += 1
            guard let next = try nextLine(), next.indentation == start else { break }
            current = next
        }
        return members
    }

    /// Reads a text to the end of the line.
    private func text(_ line: MarkdownLine, from start: Int) throws(ConsentMarkdownError) -> FrontMatter.Text {
        let (text, end) = try scalar(line, from: start, endsAt: [])
        guard isEmpty(line, from: end) else { throw error("Nothing may follow the quoted text", in: line, at: end) }
        return text
    }

    private func flowList(_ line: MarkdownLine, from start: Int) throws(ConsentMarkdownError) -> [FrontMatter.Text] {
        var texts: [FrontMatter.Text] = []
        var offset = start + 1
        func skipSpaces() { while offset < line.bytes.count, line.bytes[offset] == .space { offset += 1 } }
        while true {
            skipSpaces()
            guard offset < line.bytes.count else { throw error("The list has no end: ]", in: line, at: start) }
            if line.bytes[offset] == UInt8(ascii: "]"), texts.isEmpty || line.bytes[offset - 1] != UInt8(ascii: ",") {
                break
            }
            let (text, end) = try scalar(line, from: offset, endsAt: Array(",]".utf8))
            texts.append(text)
            // Each position costs the length of the line.
            guard texts.count <= ConsentMarkdown.maximumValues else {
                throw ConsentMarkdownError(
                    .tooLarge, "The list has more than \(ConsentMarkdown.maximumValues) values.", at: line.position())
            }
            offset = end
            skipSpaces()
            guard offset < line.bytes.count, ",]".utf8.contains(line.bytes[offset]) else {
                throw error("A comma or ] follows an item of the list", in: line, at: min(offset, line.bytes.count))
            }
            if line.bytes[offset] == UInt8(ascii: "]") { break }
            offset += 1
        }
        guard isEmpty(line, from: offset + 1) else {
            throw error("Nothing may follow the list", in: line, at: offset + 1)
        }
        return texts
    }

    /// Reads a text, and returns it with the offset after it.
    private func scalar(
        _ line: MarkdownLine, from start: Int, endsAt ends: [UInt8]
    ) throws(ConsentMarkdownError) -> (FrontMatter.Text, Int) {
        let position = line.position(start)
        switch line.bytes[start] {
        case .quote:
            var end = start + 1
            while end < line.bytes.count, line.bytes[end] != .quote {
                end += line.bytes[end] == .backslash ? 2 : 1
            }
            guard end < line.bytes.count else {
                throw error("The quotation mark has no end in this line", in: line, at: start)
            }
            guard let value = (try? JSON(Array(line.bytes[start...end])))?.string else {
                throw error("A text in double quotation marks has the escapes of JSON only", in: line, at: start)
            }
            return (FrontMatter.Text(value: value, position: position, isQuoted: true), end + 1)
        case UInt8(ascii: "'"):
            var value: [UInt8] = []
            var end = start + 1
            while end < line.bytes.count {
                if line.bytes[end] == UInt8(ascii: "'") {
                    guard end + 1 < line.bytes.count, line.bytes[end + 1] == UInt8(ascii: "'") else { break }
                    end += 1
                }
                value.append(line.bytes[end])
                end += 1
            }
            guard end < line.bytes.count else {
                throw error("The quotation mark has no end in this line", in: line, at: start)
            }
            let text = String(decoding: value, as: UTF8.self)
            return (FrontMatter.Text(value: text, position: position, isQuoted: true), end + 1)
        default: return try plain(line, from: start, endsAt: ends)
        }
    }

    private func plain(
        _ line: MarkdownLine, from start: Int, endsAt ends: [UInt8]
    ) throws(ConsentMarkdownError) -> (FrontMatter.Text, Int) {
        let bytes = line.bytes
        if "!&*|>%@`{}[],?:-#=~".utf8.contains(bytes[start]) {
            throw error("A text that begins with this character needs quotation marks", in: line, at: start)
        }
        var end = start
        while end < bytes.count, !ends.contains(bytes[end]) {
            if bytes[end] == UInt8(ascii: "#"), bytes[end - 1] == .space { break }
            if bytes[end] == UInt8(ascii: ":"), end + 1 == bytes.count || bytes[end + 1] == .space {
                throw error("A text with a colon before a space needs quotation marks", in: line, at: end)
            }
            end += 1
        }
        while end > start, bytes[end - 1] == .space { end -= 1 }
        let value = String(decoding: bytes[start..<end], as: UTF8.self)
        guard value.lowercased() != "null" else {
            throw error("The member has no value; write one, or leave the member out", in: line, at: start)
        }
        return (FrontMatter.Text(value: value, position: line.position(start), isQuoted: false), end)
    }
}
