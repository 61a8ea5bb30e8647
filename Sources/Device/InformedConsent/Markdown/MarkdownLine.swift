import FHIR

/// A line of a Markdown file, without its end.
///
/// The readers work on bytes: all syntax is ASCII, and a combining character after a mark does not hide the mark.
struct MarkdownLine: Sendable {
    /// The number of the line, counted from 1.
    let number: Int
    /// The line as UTF-8.
    let bytes: [UInt8]

    init(number: Int, bytes: some Sequence<UInt8>) {
        self.number = number
        self.bytes = Array(bytes)
    }

    /// Whether the line has only spaces.
    var isBlank: Bool { bytes.allSatisfy { $0 == .space } }
    /// The number of spaces at the start.
    var indentation: Int { bytes.prefix { $0 == .space }.count }
    /// The line as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the position of a byte of the line.
    func position(_ offset: Int = 0) -> MarkdownPosition {
        MarkdownPosition(line: number, column: bytes.prefix(offset).count { $0 & 0xC0 != 0x80 } + 1)
    }

    /// Splits a file into lines at line feeds. If every line ends with a carriage return and a line feed, the carriage
    /// returns belong to the line ends.
    ///
    /// - Throws: ``ConsentMarkdownError`` of the kinds `tooLarge` and `notText`.
    static func lines(
        of file: some Collection<UInt8>, maximumBytes: Int, maximumLines: Int
    ) throws(ConsentMarkdownError) -> [MarkdownLine] {
        guard file.count <= maximumBytes else {
            throw ConsentMarkdownError(.tooLarge, "The file has more than \(maximumBytes) bytes; shorten it.")
        }
        var bytes = Array(file)
        guard String(validUTF8: bytes) != nil else {
            throw ConsentMarkdownError(.notText, "The file is not UTF-8; save it in this encoding.")
        }
        // Some editors begin a file with a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        var parts = bytes.split(separator: .lineFeed, maxSplits: maximumLines + 1, omittingEmptySubsequences: false)
        guard parts.count <= maximumLines else {
            throw ConsentMarkdownError(.tooLarge, "The file has more than \(maximumLines) lines; shorten it.")
        }
        let last = parts.removeLast()
        if !parts.isEmpty, parts.allSatisfy({ $0.last == .carriageReturn }) { parts = parts.map { $0.dropLast() } }
        if !last.isEmpty { parts.append(last) }
        return parts.enumerated().map { MarkdownLine(number: $0 + 1, bytes: $1) }
    }

    /// Checks that the line has no control characters; they are permitted in fences only.
    ///
    /// - Throws: ``ConsentMarkdownError`` of the kind `notText`.
    func requireText() throws(ConsentMarkdownError) {
        guard let offset = bytes.firstIndex(where: { $0 < 0x20 }) else { return }
        let name =
            switch bytes[offset] {
            case .carriageReturn: "a carriage return; use one kind of line end in the whole file"
            case .tab: "a tab; write spaces"
            default: "a control character; remove it"
            }
        throw ConsentMarkdownError(.notText, "The line contains \(name).", at: position(offset))
    }
}

extension UInt8 {
    static var space: UInt8 { 0x20 }
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var backslash: UInt8 { 0x5C }
    static var backtick: UInt8 { 0x60 }
    static var quote: UInt8 { 0x22 }
    static var star: UInt8 { 0x2A }

    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    /// Whether the byte is part of a word: a letter or a digit, or any part of a character outside of ASCII.
    var isOfWord: Bool { isASCIILetter || isASCIIDigit || self >= 0x80 }
    var isASCIIPunctuation: Bool {
        (0x21...0x2F).contains(self) || (0x3A...0x40).contains(self) || (0x5B...0x60).contains(self)
            || (0x7B...0x7E).contains(self)
    }
}
