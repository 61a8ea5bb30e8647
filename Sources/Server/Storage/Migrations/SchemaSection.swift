/// A group of tables in the baseline of a store, as SQL with comments.
///
/// A line that begins with `--` is a comment about the following table, column or index. The first comment describes
/// the section if a blank line follows it. Each statement ends with `;` at the end of a line.
package struct SchemaSection: Sendable {
    /// The title in the documentation; it is unique in a store.
    package let title: String
    private let text: @Sendable (SQLDialect) -> String
    /// Inserts the first rows that SQL cannot state; nil if there are none.
    let fill: (@Sendable (any SQLTransaction) throws -> Void)?

    /// - Parameters:
    ///   - fill: inserts the first rows, in the transaction that creates the tables.
    ///   - text: the SQL for an engine.
    package init(
        _ title: String, fill: (@Sendable (any SQLTransaction) throws -> Void)? = nil,
        text: @escaping @Sendable (SQLDialect) -> String
    ) {
        self.title = title
        self.fill = fill
        self.text = text
    }

    /// The comment about the section; empty if there is none.
    package var about: String {
        let lines = text(.sqlite).split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.prefix { SchemaStatement.comment(in: $0) != nil }
        guard first.count < lines.count, lines[first.count].isEmpty else { return "" }
        return first.compactMap(SchemaStatement.comment).joined(separator: " ")
    }

    /// Returns the statements, in order.
    package func statements(_ dialect: SQLDialect) -> [SchemaStatement] {
        var statements: [SchemaStatement] = []
        var (comments, lines): ([String], [Substring]) = ([], [])
        for line in text(dialect).split(separator: "\n", omittingEmptySubsequences: false) {
            let isBlank = line.allSatisfy(\.isWhitespace)
            if lines.isEmpty, isBlank {
                comments = []
            } else if lines.isEmpty, let comment = SchemaStatement.comment(in: line) {
                comments.append(comment)
            } else if line.hasSuffix(";") {
                statements.append(SchemaStatement(comments: comments, lines: lines + [line.dropLast()]))
                (comments, lines) = ([], [])
            } else if !isBlank {
                lines.append(line)
            }
        }
        return statements
    }

    /// Returns the tables, in order, with their indexes.
    package func tables(_ dialect: SQLDialect) -> [SchemaTable] {
        let statements = statements(dialect)
        return statements.compactMap { SchemaTable($0, among: statements) }
    }
}

/// One statement of a section.
package struct SchemaStatement: Sendable, Hashable {
    /// The comment about the statement; empty if there is none.
    package let comment: String
    /// The lines of the statement, with the comments inside of it.
    let lines: [String]

    init(comments: [String], lines: [Substring]) {
        comment = comments.joined(separator: " ")
        self.lines = lines.map(String.init)
    }

    /// The statement without comments.
    package var sql: String {
        lines.filter { Self.comment(in: $0[...]) == nil }.joined(separator: "\n")
    }

    /// Returns the text of a line that is a comment; nil for other lines.
    static func comment(in line: Substring) -> String? {
        let text = line.drop(while: \.isWhitespace)
        return text.hasPrefix("--") ? String(text.dropFirst(2).drop(while: \.isWhitespace)) : nil
    }

    /// The name of the table that the statement creates, or whose index it creates; nil for other statements.
    package var table: String? {
        let words = sql.split { " (\n".contains($0) }
        guard words.first == "CREATE" else { return nil }
        if words.dropFirst().first == "TABLE" { return words.dropFirst(2).first.map(String.init) }
        guard words.prefix(3).contains("INDEX"), let mark = words.firstIndex(of: "ON") else { return nil }
        return words.dropFirst(mark + 1).first.map(String.init)
    }

    /// Whether the statement creates a table.
    package var isTable: Bool { sql.hasPrefix("CREATE TABLE ") }
}
