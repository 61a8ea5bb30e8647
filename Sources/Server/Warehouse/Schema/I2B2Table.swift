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
        let metadata = Set(WarehouseSchema.ontology.flatMap { $0.tables(dialect) }.map(\.name))
        return WarehouseSchema.i2b2.flatMap { $0.tables(dialect) }.map {
            I2B2Table($0, isMetadata: metadata.contains($0.name))
        }
    }

    /// Whether it is always among our own tables: i2b2 supports several ontologies in tables of their own, and expects
    /// each once in `table_access`.
    var isAlwaysOurs: Bool { name == OntologyWriter.table }

    /// The table of consents, which is not i2b2's own; the ontology queries it nevertheless.
    static let consents = I2B2Table(WarehouseSchema.consents.tables(.postgresql)[0], isMetadata: false)

    private init(_ table: SchemaTable, isMetadata: Bool) {
        name = table.name
        self.isMetadata = isMetadata
        columns = table.columns.map { Column(name: $0.name, type: $0.type) }
        key = Set(table.key)
        statements = table.statements
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
