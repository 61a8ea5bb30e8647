extension I2B2Table {
    /// The tables whose rows are exported to another i2b2, in an order in which they can be inserted. The last is our
    /// own: the consent concepts of the ontology query it.
    static let carried: [I2B2Table] = {
        let order = OwnRows.ofParticipants.map(\.table) + OwnRows.ofOntology(.postgresql).map(\.table)
        let known = all(.postgresql)
        return order.compactMap { name in known.first { $0.name == name } } + [consents]
    }()

    /// The temporary table for the rows before they get the numbers of the target.
    var staged: String { "tributary_\(name)" }

    /// The exported columns. `text_search_index` is not exported: i2b2 numbers its facts for text search itself.
    var stagedColumns: [String] { columns.map(\.name).filter { $0 != "text_search_index" } }
}
