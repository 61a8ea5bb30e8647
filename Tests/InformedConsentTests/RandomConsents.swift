import FHIR
import InformedConsent

/// Random consents as Markdown files, with all that the format permits, and as Contracts with awkward texts.
struct RandomConsents<Generator: RandomNumberGenerator> {
    var random: Generator

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

    // MARK: Markdown

    private static var words: [String] {
        [
            "data", "we", "Study", "42", "é", "日本", "naïve", "#", "a_b", "-", "+", "=", "|", ">", "x<5", "R&D", "\\*",
            "\\[",
            "\\]", "\\_", "\\`", "\\<", "\\{", "\\&amp;", "\\~~", "1.", "2)", "“so”", "it's", "\u{301}", "👩‍🔬", "C:\\dir",
            "!",
            "(x)", "\"q\"", "\\\\", "...", "---", "a\u{A0}b",
        ]
    }

    /// Returns words that read as text wherever they are, but not at the start of a line.
    mutating func phrase(_ range: ClosedRange<Int> = 1...8) -> String {
        var result = [pick(["People", "Data", "é", "You"])]
        for _ in 0..<count(range) { result.append(pick(Self.words)) }
        return (result + ["end"]).joined(separator: " ")
    }

    mutating func inline() -> String {
        var parts: [String] = []
        for _ in 0..<count(1...4) {
            switch count(0...7) {
            case 0: parts.append("**\(phrase(0...2))**")
            case 1: parts.append("*\(phrase(0...2))*")
            case 2: parts.append("***\(phrase(0...2))***")
            case 3: parts.append("**\(phrase(0...1)) *\(phrase(0...1))***")
            case 4: parts.append("[\(phrase(0...2))](https://study.example/a?b=1&c=\(count(0...9)))")
            case 5: parts.append("**[\(phrase(0...1))](mailto:team@study.example) x**")
            default: parts.append(phrase())
            }
        }
        return "Text " + parts.joined(separator: pick([" ", " ", "\n", "  \n", "\\\n", ", "]))
    }

    mutating func list(_ depth: Int, indentation: String = "") -> String {
        let isOrdered = chance(2)
        let mark = isOrdered ? "1." : pick(["-", "*"])
        return (0..<count(1...3)).map { _ in
            let margin = indentation + String(repeating: " ", count: mark.utf8.count + 1)
            var item = "\(indentation)\(mark) " + inline().split(separator: "\n").joined(separator: "\n\(margin)")
            if depth < 3, chance(3) { item += "\n" + list(depth + 1, indentation: margin) }
            return item
        }.joined(separator: chance(4) ? "\n\n" : "\n")
    }

    mutating func block(_ level: String) -> String {
        switch count(0...6) {
        case 0: "\(level)# \(phrase())"
        case 1: list(0)
        case 2: pick(["***", "- - -", "___"])
        case 3: "<!-- \(phrase()) \(chance(2) ? "\n# no heading\n" : "")-->"
        default: inline()
        }
    }

    mutating func scalar() -> String {
        let text = pick([
            "Study", "Étude", "yes", "1.10", "a: b", "a #b", "it's", "“x”", "\\", "\"q\"", "[x]", "- x", "日本",
        ])
        switch count(0...2) {
        case 0: return JSON.string(text).text()
        case 1: return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        default: return pick(["Sleep study", "2.0-beta", "Ça va", "x:y", "a#b", "Study 7 # a comment"])
        }
    }

    mutating func section(_ number: Int, level: String) -> String {
        var attributes: [String] = []
        let kind = pick(ConsentSection.Kind.allCases)
        if chance(2) { attributes.append(chance(2) ? kind.rawValue : kind.markdownName) }
        if chance(4) { attributes.append("image=\(pick(["phone", "\"a b\"", "00_Blank", "\"\\u0007\\\"\""]))") }
        if chance(4) { attributes.append("animation=film@2x") }
        if chance(6) { attributes.append("file=1_overview") }
        var blocks: [String] = []
        if chance(8) {
            blocks.append("````summary\n\(phrase())\n\n  \(phrase())\n````")
        } else if chance(5) {
            attributes.append("no-summary")
        } else {
            blocks.append(phrase())
        }
        if chance(6) {
            blocks = Array(blocks.filter { _ in !attributes.contains("no-summary") })
            blocks.append("```html\n<div>\(phrase())\n# \(phrase())\n\n\t</div>\n```")
        } else {
            for _ in 0..<count(0...4) { blocks.append(block(level)) }
        }
        let title = chance(9) && !attributes.isEmpty ? "title=\"T \\u00e9 \(number)\"" : nil
        let heading = title == nil ? " \(number) \(phrase(0...2))" : ""
        let braces = (attributes + [title].compactMap(\.self)).joined(separator: " ")
        return "\(level)\(heading)\(braces.isEmpty ? "" : " {\(braces)}")\n\n" + blocks.joined(separator: "\n\n") + "\n"
    }

    /// Returns a Markdown file that the reader accepts.
    mutating func file() -> String {
        var lines = ["---", "title: \(scalar())"]
        if chance(2) { lines.append("version: \(scalar())") }
        if chance(2) { lines.append("language: \(pick(["en", "de-CH", "\"fr\""]))") }
        if chance(2) { lines += ["", "# A comment", "url: https://study.example/consent#\(count(0...9))"] }
        if chance(2) {
            lines.append("team: \(scalar())")
            if chance(2) { lines.append("contact: [team@study.example, '+1 555 0100', https://study.example/x]") }
        }
        if chance(3) { lines.append("id: consent-\(count(0...9))") }
        if chance(3) { lines.append("issued: 2026-0\(count(1...9))") }
        if chance(2) { lines.append("asks-for-data-sharing: \(pick(["yes", "no", "true", "No"]))") }
        if chance(2) { lines.append("status: \(pick(["current", "accepted", "retired"]))") }
        if chance(2) { lines.append("change: \(pick(["major", "minor", "editorial"]))") }
        if chance(2) {
            lines.append(pick(["health-data: [routes, notes]", "health-data:\n- notes", "health-data: routes"]))
        }
        if chance(2) {
            lines.append("eligibility:")
            for number in 0..<count(1...4) {
                let question = "\"\(number) \\\"x\\\" \(count(0...9)): é?\""
                lines += ["  - question: \(question)", "    answer: \(pick(["yes", "no"]))"]
            }
        }
        lines.append("---")
        let level = pick(["#", "#", "##"])
        var text = lines.joined(separator: "\n") + "\n\n"
        for number in 0..<count(1...6) { text += section(number, level: level) + "\n" }
        return chance(5)
            ? String(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")) : text
    }

    /// Returns the bytes of a file with some removed, repeated or replaced by syntax.
    mutating func damaged() -> [UInt8] {
        let pieces = [
            "\n", "#", "```", "{", "}", "\"", "\\", "*", "- ", "<!--", "-->", "[", "](", ":", " ", "---\n", "\r", "\t",
        ]
        var bytes = Array(file().utf8)
        for _ in 0..<count(1...6) {
            let index = count(0...bytes.count)
            let end = min(bytes.count, index + count(0...30))
            bytes.replaceSubrange(
                index..<(chance(2) ? index : end), with: chance(3) ? [0xC3] : Array(pick(pieces).utf8))
        }
        return bytes
    }

    // MARK: Contracts

    /// Returns a text that has what Markdown, YAML, HTML and JSON treat as syntax.
    mutating func awkward() -> String {
        let parts = [
            "<p>", "</p>", "<ul><li>", "</li></ul>", "<em>", "</em>", "<strong>", "</strong>", "<br>",
            "<a href=\"https://x.y\">",
            "</a>", "&amp;", "&lt;", "&nbsp;", "*", "**", "_", "`", "```", "````", "\n", "\r\n", "\r", "\t", " ", "  ",
            "#", "# ",
            "## ", "- ", "1. ", "{", "}", "\\", "[", "]", "(", ")", "!", "<", ">", "<!--", "-->", "---", "===", ": ",
            " #", "\"", "'",
            "words", "more words", "é", "e\u{301}", "\u{301}", "日本", "\u{0}", "\u{7}", "\u{2028}", "\u{FEFF}",
            "Privacy", "custom",
        ]
        return (0..<count(0...9)).map { _ in pick(parts) }.joined()
    }

    /// Returns HTML that Markdown can mostly write: paragraphs and lists with words.
    mutating func html() -> String {
        chance(2)
            ? awkward()
            : (0..<count(1...3)).map { _ in
                pick([
                    "<p>words</p>", "<p>1. x</p>", "<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>", "<h2>x</h2>",
                    "<hr>",
                    "<p>- <strong>a</strong>&amp;<em>b</em></p>", "<p>a<br>b</p>",
                ])
            }.joined()
    }

    /// Returns a Contract whose sections differ in type or title.
    mutating func contract() -> Contract {
        var contract = Contract(id: "c")
        contract.status = .executable
        contract.title = "T" + awkward()
        if chance(2) { contract.version = "1" + awkward() }
        var seen: Set<[UInt8]> = []
        for _ in 0..<count(1...4) {
            let kind = pick(ConsentSection.Kind.allCases)
            let title = chance(3) ? nil : awkward()
            guard seen.insert(Array((kind.rawValue + "/" + (title ?? kind.title)).utf8)).inserted else { continue }
            var parts: [Extension] = []
            func add(_ name: String, _ value: String?) {
                if let value { parts.append(Extension(url: name, value: .string(value))) }
            }
            add("title", title)
            add("htmlContent", chance(4) ? nil : html())
            add("htmlContentFile", chance(4) ? awkward() : nil)
            add("image", chance(4) ? awkward() : nil)
            var details = Extension(url: ConsentVocabulary.section)
            details.extension = parts
            var term = Contract.Term(JSONObject())
            term.extension = [details]
            term.object["type"] = [
                "coding": [["system": .string(ConsentVocabulary.sectionType), "code": .string(kind.rawValue)]]
            ]
            term.text = chance(4) ? nil : awkward()
            contract.term += [term]
        }
        return contract
    }
}
