extension I2B2Table {
    /// The tables whose rows are carried to another i2b2, in an order in which they can be inserted. The last is ours: the
    /// ontology's consents ask it.
    static let carried: [I2B2Table] = {
        let order = OwnRows.ofParticipants.map(\.table) + OwnRows.ofOntology(.postgresql).map(\.table)
        let known = all(.postgresql)
        return order.compactMap { name in known.first { $0.name == name } } + [consents]
    }()

    /// The table that its rows come into before they have numbers of their new place.
    var staged: String { "tributary_\(name)" }

    /// The columns that are carried: i2b2 numbers its facts for its text search itself.
    var stagedColumns: [String] { columns.map(\.name).filter { $0 != "text_search_index" } }
}
