import Foundation
import Storage

/// A table of i2b2 1.8: its definition if we create it, and its requirements if it already exists.
struct I2B2Table: Sendable, Hashable {
    /// A column and its type in the statement (`varchar(50)`).
    struct Column: Sendable, Hashable {
        let name: String
        let type: String
    }

    let name: String
    /// Whether it is part of the ontology (i2b2's metadata) rather than of the data mart.
    let isMetadata: Bool
    let columns: [Column]
    /// The columns of the primary key; empty if i2b2 has none.
    let key: Set<String>
    /// The statements that create the table and its indexes.
    let statements: [String]

    /// All tables, in the order of creation.
    static func all(_ dialect: SQLDialect) -> [I2B2Table] {
        let statements = WarehouseSchema.i2b2Statements(dialect)
        let metadata = Set(WarehouseSchema.ontology.compactMap { name(of: $0) })
        return statements.filter { $0.hasPrefix("CREATE TABLE") }.compactMap { statement in
            guard let name = name(of: statement), name != DimensionSelection.Table.consents.rawValue else { return nil }
            return I2B2Table(statement, in: statements, isMetadata: metadata.contains(name))
        }
    }

    /// Whether it is always among our own tables: i2b2 supports several ontologies in tables of their own, and expects
    /// each once in `table_access`.
    var isAlwaysOurs: Bool { name == OntologyWriter.table }

    /// The table of consents, which is not i2b2's own; the ontology queries it nevertheless.
    static let consents = I2B2Table(
        WarehouseSchema.dimensionsOfOntology[0], in: WarehouseSchema.dimensionsOfOntology, isMetadata: false)

    private init(_ statement: String, in statements: [String], isMetadata: Bool) {
        let name = Self.name(of: statement) ?? ""
        self.name = name
        self.isMetadata = isMetadata
        (columns, key) = Self.definitions(of: statement)
        self.statements = statements.filter { Self.name(of: $0) == name }
    }

    /// Returns the table that a statement creates, or whose index it creates.
    private static func name(of statement: String) -> String? {
        let words = statement.split { " (\n".contains($0) }
        let mark = words.first == "CREATE" && words.dropFirst().first == "TABLE" ? "TABLE" : "ON"
        return words.firstIndex { $0 == mark }.map { String(words[words.index(after: $0)]) }
    }

    private static func definitions(of statement: String) -> (columns: [Column], key: Set<String>) {
        guard let start = statement.firstIndex(of: "("), let end = statement.lastIndex(of: ")") else { return ([], []) }
        var (columns, key): ([Column], Set<String>) = ([], [])
        for part in parts(statement[statement.index(after: start)..<end]) {
            if part.hasPrefix("PRIMARY KEY"), let open = part.firstIndex(of: "("), let close = part.lastIndex(of: ")") {
                let names = part[part.index(after: open)..<close].split(separator: ",")
                key.formUnion(names.map { $0.trimmingCharacters(in: .whitespaces) })
                continue
            }
            let words = part.split(separator: " ").map(String.init)
            guard words.count > 1 else { continue }
            columns.append(Column(name: words[0], type: words[1]))
            if part.contains("PRIMARY KEY") { key.insert(words[0]) }
        }
        return (columns, key)
    }

    /// Splits a text at the commas outside of parentheses.
    private static func parts(_ text: Substring) -> [String] {
        var (parts, depth): ([String], Int) = ([""], 0)
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }
    }
}

extension I2B2Table.Column {
    /// Whether a column of an existing table can store the values of this one.
    ///
    /// - Parameter found: a row of `information_schema.columns`.
    func isHeld(by found: SQLRow) -> Bool {
        let theirs = found.textIfPresent("data_type") ?? ""
        let parts = type.split { "(,)".contains($0) }
        let size = parts.count > 1 ? Int64(parts[1]) ?? 0 : 0
        switch parts.first.map(String.init) ?? "" {
        case "varchar", "char":
            guard theirs != "text" else { return true }
            guard theirs == "character varying" || theirs == "character" else { return false }
            return found.integerIfPresent("character_maximum_length").map { $0 >= size } ?? true
        case "text":
            return theirs == "text"
                || theirs == "character varying" && found.integerIfPresent("character_maximum_length") == nil
        case "int", "serial": return ["integer", "bigint", "numeric"].contains(theirs)
        case "bigint": return ["bigint", "numeric"].contains(theirs)
        case "timestamp": return theirs == "timestamp without time zone"
        case "decimal":
            guard theirs == "numeric" else { return false }
            guard let precision = found.integerIfPresent("numeric_precision") else { return true }
            let scale = found.integerIfPresent("numeric_scale") ?? 0
            return scale >= 5 && precision - scale >= size - 5
        default: return false
        }
    }
}
