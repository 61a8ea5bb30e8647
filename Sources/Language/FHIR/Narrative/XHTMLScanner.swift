/// Scans the XHTML of a narrative once: well-formedness, elements, attributes, and whether there is content.
///
/// It uses no XML library, because the language modules also build on platforms without one. None of the text is
/// stored.
struct XHTMLScanner {
    static let maximumDepth = 192

    private let bytes: [UInt8]
    private var position = 0
    private var open: [String] = []
    private var hasContent = false

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Scans the whole text as one `div`.
    ///
    /// - Returns: whether it contains text or an image.
    mutating func document() throws(NarrativeCheck.Problem) -> Bool {
        skipSpace()
        guard peek() == UInt8(ascii: "<") else {
            throw problem("A narrative is one div of XHTML: begin with <div xmlns=\"http://www.w3.org/1999/xhtml\">.")
        }
        try element(isRoot: true)
        while !open.isEmpty { try content() }
        while position < bytes.count {
            skipSpace()
            if position == bytes.count { break }
            guard matches("<!--") else {
                throw problem("Nothing may follow the div of a narrative: move it inside.")
            }
            try comment()
        }
        return hasContent
    }

    private mutating func content() throws(NarrativeCheck.Problem) {
        guard let byte = peek() else { throw problem("An element of the narrative is not closed: close it.") }
        if byte == UInt8(ascii: "&") {
            try entity()
            hasContent = true
        } else if byte != UInt8(ascii: "<") {
            try text()
        } else if matches("<!--") {
            try comment()
        } else if matches("</") {
            try close()
        } else if matches("<!") || matches("<?") {
            throw problem("A narrative has no declarations and no processing instructions: remove them.")
        } else {
            try element(isRoot: false)
        }
    }

    /// Scans text up to the next tag or entity.
    private mutating func text() throws(NarrativeCheck.Problem) {
        let (start, wasRead) = (position, hasContent)
        let (end, isRead, hasControl) = bytes.withUnsafeBufferPointer { bytes in
            var (offset, isRead) = (start, wasRead)
            while offset < bytes.count {
                let byte = bytes[offset]
                if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") { break }
                if byte > 0x20 {
                    isRead = true
                } else if byte < 0x20, byte != 9, byte != 10, byte != 13 {
                    return (offset, isRead, true)
                }
                offset += 1
            }
            return (offset, isRead, false)
        }
        (position, hasContent) = (end, isRead)
        if hasControl { throw problem("The narrative contains a control character: remove it.") }
    }

    private mutating func element(isRoot: Bool) throws(NarrativeCheck.Problem) {
        position += 1
        let name = self.name()
        guard !name.isEmpty else { throw problem("The narrative contains a single <: write &lt;.") }
        if isRoot, name != "div" { throw problem("A narrative is one div of XHTML: put the content into a div.") }
        guard NarrativeCheck.elements.contains(name) else {
            throw problem(
                "A narrative has only formatting; the element \(XHTMLScanner.shown(name)) is not allowed: remove it.")
        }
        guard open.count < XHTMLScanner.maximumDepth else {
            throw problem("The narrative is nested too deep: simplify it.")
        }
        if name == "img" { hasContent = true }
        let space = try attributes(of: name)
        if isRoot, let space, space != "http://www.w3.org/1999/xhtml" {
            throw problem("The div of a narrative has the namespace http://www.w3.org/1999/xhtml: correct it.")
        }
        if isRoot, space == nil {
            throw problem("The div of a narrative names its namespace: add xmlns=\"http://www.w3.org/1999/xhtml\".")
        }
        if matches("/>") {
            position += 2
        } else if peek() == UInt8(ascii: ">") {
            position += 1
            open.append(name)
        } else {
            throw problem("A tag of the narrative is not closed with >: close it.")
        }
    }

    /// Scans the attributes of an element and returns the value of `xmlns`.
    private mutating func attributes(of element: String) throws(NarrativeCheck.Problem) -> String? {
        var seen: Set<String> = []
        var namespace: String?
        while true {
            let before = position
            skipSpace()
            guard let byte = peek() else { throw problem("A tag of the narrative is not closed with >: close it.") }
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { return namespace }
            guard position > before else { throw problem("Attributes in the narrative are separated by spaces.") }
            let name = self.name()
            let isAllowed =
                NarrativeCheck.attributes.contains(name)
                || NarrativeCheck.ownAttributes[element]?.contains(name) == true
            guard isAllowed else {
                throw problem(
                    "A narrative has no active content and no attributes such as \(XHTMLScanner.shown(name)): remove it."
                )
            }
            guard seen.insert(name).inserted else {
                throw problem("An element has the same attribute twice: remove one.")
            }
            skipSpace()
            guard peek() == UInt8(ascii: "=") else {
                throw problem("An attribute of the narrative has no value: add it in quotes.")
            }
            position += 1
            skipSpace()
            guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw problem("The value of an attribute must be in quotes.")
            }
            position += 1
            let start = position
            while let byte = peek(), byte != quote {
                if byte == UInt8(ascii: "<") { throw problem("The value of an attribute contains <: write &lt;.") }
                position += 1
            }
            guard peek() == quote else { throw problem("The value of an attribute is not closed: add the quote.") }
            let value = String(decoding: bytes[start..<position], as: UTF8.self)
            position += 1
            if name == "xmlns" { namespace = value }
            if name == "href" || name == "src" || name == "style" || name == "cite" { try check(value) }
        }
    }

    /// Refuses scripts in links and styles.
    private func check(_ value: String) throws(NarrativeCheck.Problem) {
        let plain = value.lowercased().filter { !$0.isWhitespace }
        if plain.hasPrefix("javascript:") || plain.hasPrefix("vbscript:") || plain.contains("expression(")
            || plain.contains("url(javascript:") || plain.hasPrefix("data:text/html")
        {
            throw problem("A narrative has no script: remove it from the attribute.")
        }
    }

    private mutating func close() throws(NarrativeCheck.Problem) {
        position += 2
        let name = self.name()
        skipSpace()
        guard peek() == UInt8(ascii: ">"), open.last == name else {
            throw problem("The elements of the narrative are not closed in order: correct the closing tags.")
        }
        position += 1
        open.removeLast()
    }

    private mutating func comment() throws(NarrativeCheck.Problem) {
        position += 4
        while position < bytes.count, !matches("-->") { position += 1 }
        guard matches("-->") else { throw problem("A comment in the narrative is not closed: close it.") }
        position += 3
    }

    private mutating func entity() throws(NarrativeCheck.Problem) {
        let start = position
        while let byte = peek(), byte != UInt8(ascii: ";"), position - start < 12 { position += 1 }
        let name = String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
        let isNumber =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16) != nil : name.hasPrefix("#") && UInt32(name.dropFirst()) != nil
        guard peek() == UInt8(ascii: ";"), isNumber || ["amp", "lt", "gt", "quot", "apos"].contains(name) else {
            throw problem("The narrative contains a single &: write &amp;.")
        }
        position += 1
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 9 || byte == 10 || byte == 13 { position += 1 }
    }

    private mutating func name() -> String {
        let start = position
        while let byte = peek(),
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte >= 0x80
        { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func matches(_ text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { buffer in
            for (index, byte) in buffer.enumerated() where bytes[position + index] != byte { return false }
            return true
        }
    }

    private func problem(_ message: String) -> NarrativeCheck.Problem {
        NarrativeCheck.Problem(message: message, isEmptyDiv: false)
    }

    /// Returns a name from the text, made short and harmless so that it can be shown.
    private static func shown(_ name: String) -> String {
        let plain = name.unicodeScalars.filter { $0.isASCII }.prefix(20)
        return String(String.UnicodeScalarView(plain))
    }
}
