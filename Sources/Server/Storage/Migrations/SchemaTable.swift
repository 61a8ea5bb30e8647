/// A table of a section, with its columns and indexes.
package struct SchemaTable: Sendable, Hashable {
    /// A column and its definition.
    package struct Column: Sendable, Hashable {
        package let name: String
        /// The type, such as `varchar(50)`.
        package let type: String
        /// The type with the constraints and the default.
        package let definition: String
        /// The comment about the column; empty if there is none.
        package let comment: String
    }

    package let name: String
    /// The comment about the table; empty if there is none.
    package let comment: String
    package let columns: [Column]
    /// The constraints of several columns, such as `PRIMARY KEY (day, client)`.
    package let constraints: [String]
    /// The text after the columns, such as `WITHOUT ROWID`.
    package let options: String
    /// The statements that create the indexes.
    package let indexes: [SchemaStatement]
    /// The statement that creates the table.
    package let statement: SchemaStatement

    /// Reads a statement that creates a table; nil for another one.
    init?(_ statement: SchemaStatement, among statements: [SchemaStatement]) {
        guard statement.isTable, let name = statement.table else { return nil }
        self.name = name
        self.statement = statement
        comment = statement.comment
        indexes = statements.filter { $0.table == name && !$0.isTable }
        let sql = statement.sql
        options = sql.lastIndex(of: ")").map { Self.joined(sql[sql.index(after: $0)...]) } ?? ""
        let parts = Self.parts(of: statement)
        let isConstraint = { (text: String) in text.hasPrefix("PRIMARY KEY (") || text.hasPrefix("UNIQUE (") }
        constraints = parts.map(\.text).filter(isConstraint)
        columns = parts.filter { !isConstraint($0.text) }.map { part in
            let words = part.text.split(separator: " ", maxSplits: 1).map(String.init)
            let definition = words.count > 1 ? words[1] : ""
            return Column(
                name: words[0], type: definition.split(separator: " ").first.map(String.init) ?? "",
                definition: definition, comment: part.comment)
        }
    }

    /// The statements that create the table and its indexes.
    package var statements: [String] { [statement.sql] + indexes.map(\.sql) }

    /// The columns of the primary key; empty if there is none.
    package var key: [String] {
        let own = columns.filter { $0.definition.contains("PRIMARY KEY") }.map(\.name)
        guard own.isEmpty, let constraint = constraints.first(where: { $0.hasPrefix("PRIMARY KEY (") }) else {
            return own
        }
        let names = constraint.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
        return names.split(separator: ",").map { Self.joined($0) }
    }

    /// Splits the text between the outer parentheses at the commas outside of inner ones. A comment belongs to the
    /// text that follows it.
    private static func parts(of statement: SchemaStatement) -> [(text: String, comment: String)] {
        var parts: [(text: String, comment: String)] = []
        var (text, comments, depth) = ("", [String](), 0)
        func end() {
            if !joined(text[...]).isEmpty { parts.append((joined(text[...]), comments.joined(separator: " "))) }
            (text, comments) = ("", [])
        }
        for line in statement.lines {
            if let comment = SchemaStatement.comment(in: line[...]) {
                comments.append(comment)
                continue
            }
            for character in line {
                if character == ")" { depth -= 1 }
                if character == ",", depth == 1 {
                    end()
                } else if depth > 0 {
                    text.append(character)
                }
                if character == "(" { depth += 1 }
                if depth == 0, character == ")" { end() }
            }
            text.append(" ")
        }
        return parts
    }

    private static func joined(_ text: Substring) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
