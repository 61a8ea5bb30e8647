/// Converts HTML to plain paragraphs, for drawn documents and terminals.
public enum HTMLText {
    /// Returns the paragraphs in their order. Tags are removed, block elements separate paragraphs, list items begin
    /// with a bullet, scripts and styles are omitted. Broken HTML never fails: anything that is not a tag is text.
    public static func paragraphs(_ html: String) -> [String] {
        var result: [String] = []
        var current = ""
        var skipping: String?
        func finish() {
            let text = decoded(current).split(whereSeparator: { $0.isWhitespace && $0 != "\u{A0}" })
                .joined(separator: " ")
            if !text.isEmpty, text != "•" { result.append(text) }
            current = ""
        }
        var rest = html[...]
        while let open = rest.firstIndex(of: "<") {
            if skipping == nil { current += rest[..<open] }
            rest = rest[open...]
            if rest.hasPrefix("<!--") {
                guard let end = rest.firstRange(of: "-->") else { break }
                rest = rest[end.upperBound...]
                continue
            }
            let next = rest.dropFirst().first
            guard let next, next.isLetter || next == "/" || next == "!" || next == "?" else {
                if skipping == nil { current += "<" }
                rest = rest.dropFirst()
                continue
            }
            guard let close = rest.firstIndex(of: ">") else { break }
            let tag = rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: close)...]
            let isEnd = tag.hasPrefix("/")
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
            if let inside = skipping {
                if isEnd, name == inside { skipping = nil }
                continue
            }
            if invisible.contains(name), !isEnd, !tag.hasSuffix("/") {
                skipping = name
            } else if blocks.contains(name) {
                finish()
                if name == "li", !isEnd { current = "• " }
            }
        }
        if skipping == nil, !rest.hasPrefix("<") || rest.count == 1 { current += rest }
        finish()
        return result
    }

    private static let invisible: Set<String> = ["script", "style", "head", "title", "template"]

    private static let blocks: Set<String> = [
        "p", "div", "br", "hr", "li", "ul", "ol", "table", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section",
        "article", "blockquote", "pre", "dl", "dt", "dd", "body", "html", "header", "footer",
    ]

    private static let names: [Substring: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "–", "mdash": "—",
        "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "bull": "•", "copy": "©", "reg": "®",
        "trade": "™", "deg": "°", "times": "×", "eacute": "é", "auml": "ä", "ouml": "ö", "uuml": "ü", "szlig": "ß",
    ]

    private static func decoded(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            let name = rest.dropFirst().prefix(12).prefix { $0.isLetter || $0.isNumber || $0 == "#" }
            let end = rest.index(start, offsetBy: name.count + 1)
            guard end < rest.endIndex, rest[end] == ";", let character = character(name) else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result += character
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return names[name] }
        let digits = name.dropFirst()
        let number =
            digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
