import FHIR

/// The HTML that Markdown becomes: without white space between elements, so that one text has one form.
enum MarkdownHTML {
    /// Returns text with the characters escaped that HTML reserves.
    static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): result += Array("&amp;".utf8)
            case UInt8(ascii: "<"): result += Array("&lt;".utf8)
            case UInt8(ascii: ">"): result += Array("&gt;".utf8)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the blocks of HTML in the form that Markdown becomes; nil for other HTML.
    ///
    /// The caller compares the HTML of the blocks with the original: what this function accepts need not be exact.
    static func blocks(_ html: String) -> [MarkdownBlock]? {
        var reader = MarkdownHTMLReader(bytes: Array(html.utf8))
        let blocks = reader.blocks()
        return reader.isAtEnd ? blocks : nil
    }
}

/// Reads HTML of the form that Markdown becomes.
private struct MarkdownHTMLReader {
    let bytes: [UInt8]
    var offset = 0

    var isAtEnd: Bool { offset == bytes.count }

    /// Maximum depth of elements.
    private static let maximumDepth = 24

    init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func take(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[offset...].starts(with: wanted) else { return false }
        offset += wanted.count
        return true
    }

    mutating func blocks() -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        while let block = block() { blocks.append(block) }
        return blocks
    }

    private mutating func block() -> MarkdownBlock? {
        if take("<p>") {
            let text = inlines(0)
            return take("</p>") ? .paragraph(text) : nil
        }
        if take("<hr>") { return .rule }
        if take("<h2>") { return heading(2) }
        if take("<h3>") { return heading(3) }
        if take("<h4>") { return heading(4) }
        if take("<h5>") { return heading(5) }
        if take("<h6>") { return heading(6) }
        return list(0)
    }

    private mutating func heading(_ level: Int) -> MarkdownBlock? {
        let text = inlines(0)
        guard take("</h"), offset < bytes.count else { return nil }
        offset += 1
        return take(">") ? .heading(level: level, text) : nil
    }

    private mutating func list(_ depth: Int) -> MarkdownBlock? {
        guard depth < Self.maximumDepth else { return nil }
        let isOrdered = take("<ol>")
        guard isOrdered || take("<ul>") else { return nil }
        var items: [MarkdownItem] = []
        while take("<li>") {
            var item = MarkdownItem(text: inlines(0))
            while let inner = list(depth + 1) { item.lists.append(inner) }
            guard take("</li>") else { return nil }
            items.append(item)
        }
        guard isOrdered ? take("</ol>") : take("</ul>") else { return nil }
        return .list(isOrdered: isOrdered, items)
    }

    private mutating func inlines(_ depth: Int) -> [MarkdownInline] {
        var parts: [MarkdownInline] = []
        while depth < Self.maximumDepth, offset < bytes.count {
            let text = bytes[offset...].prefix { $0 != UInt8(ascii: "<") }
            if !text.isEmpty {
                offset = text.endIndex
                parts.append(.text(Self.unescaped(text)))
            } else if take("<br>") {
                parts.append(.lineBreak)
            } else if take("<strong>") {
                parts.append(.strong(inlines(depth + 1)))
                guard take("</strong>") else { return parts }
            } else if take("<em>") {
                parts.append(.emphasis(inlines(depth + 1)))
                guard take("</em>") else { return parts }
            } else if take("<a href=\"") {
                let address = bytes[offset...].prefix { $0 != .quote }
                offset = address.endIndex
                guard take("\">") else { return parts }
                parts.append(.link(inlines(depth + 1), address: Self.unescaped(address)))
                guard take("</a>") else { return parts }
            } else {
                return parts
            }
        }
        return parts
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text, as: UTF8.self).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }
}
