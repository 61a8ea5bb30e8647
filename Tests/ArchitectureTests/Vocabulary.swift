/// The words that docs/glossary.md replaces, and how they are found.
enum Vocabulary {
    /// Words that are not used, in lower case.
    static let words: Set<String> = [
        "place", "places", "placed", "most", "tell", "tells", "told", "telling", "beside", "besides", "anew", "nobody",
        "whoever", "stands", "lane", "lanes", "portion", "portions", "behind", "parked", "learn", "learns", "learned",
        "learnt", "noted",
    ]

    /// Sequences of words that are plain English.
    static let plain: Set<[String]> = [["at", "most"], ["decimal", "places"], ["decimal", "place"]]

    /// Words that show that a line of a string is SQL.
    private static let ofSQL: Set<String> = [
        "SELECT", "FROM", "WHERE", "AND", "OR", "JOIN", "ON", "BY", "NULL", "INSERT", "INTO", "UPDATE", "SET", "DELETE",
        "CREATE", "DROP", "INDEX", "TABLE", "KEY", "VALUES", "TEXT", "BIGINT", "AS", "IN",
    ]

    /// Sequences of words that are not used.
    static let sequences: [[String]] = [
        ["so", "many"], ["so", "much"], ["so", "few"], ["the", "house"], ["in", "house"], ["put", "off"],
        ["puts", "off"], ["set", "aside"], ["goes", "on"], ["go", "on"], ["going", "on"], ["lets", "go"],
        ["let", "go"], ["looks", "into"], ["looked", "into"],
    ]

    /// Words that begin a relative clause where a sentence begins with them.
    static let clauses: Set<String> = ["What", "Who", "Whose", "Whom", "Whoever", "Whatever", "How"]

    /// Words that are not part of a name.
    static let ofNames = words.union(["house"])

    /// The words and sequences in a line of prose that are not used. Text in backticks is code, and so is an option of a
    /// command.
    ///
    /// - Parameter withClauses: whether the words count that begin a relative clause.
    static func found(in line: String, withClauses: Bool = false) -> [String] {
        let prose = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ` ")
        var found: [String] = []
        var former = ""
        for text in prose.split(separator: " ") where !text.hasPrefix("--") && !text.contains("://") {
            for part in text.split(whereSeparator: { !$0.isLetter && $0 != "'" && $0 != "`" }) {
                let word = part.lowercased()
                if words.contains(word), !plain.contains([former, word]) { found.append(word) }
                if sequences.contains([former, word]) { found.append("\(former) \(word)") }
                if withClauses, clauses.contains(String(part)), !line.contains("?") { found.append(String(part)) }
                former = word
            }
        }
        return found
    }

    /// Whether a string literal is prose: it has a space, and no names or keywords of SQL.
    static func isSentence(_ line: String) -> Bool {
        let words = line.split { !$0.isLetter && $0 != "_" }
        return line.contains(" ") && !line.contains("= ?")
            && !words.contains { $0.contains("_") || ofSQL.contains(String($0)) }
    }

    /// The words of the names in a line of code that are not used.
    static func found(inNamesOf line: String) -> [String] {
        line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.flatMap { name in
            let words = parts(of: name)
            return words.contains("decimal") ? [] : words.filter(ofNames.contains)
        }
    }

    /// The words of a name, in lower case: `firstPlace` has two.
    private static func parts(of name: Substring) -> [String] {
        var parts: [String] = []
        var part = ""
        for character in name {
            if character.isUppercase || character == "_" {
                if !part.isEmpty { parts.append(part) }
                part = ""
            }
            if character != "_" { part += character.lowercased() }
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }
}
