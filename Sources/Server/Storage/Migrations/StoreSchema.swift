/// The schema of a store: the baseline that creates it, and the migrations that follow.
package struct StoreSchema: Sendable {
    /// The name of the store. It is stored with the baseline, so that a store is not taken for another one.
    package let name: String
    /// The sections of the baseline, in the order of creation.
    package let sections: [SchemaSection]
    /// The migrations after the baseline, numbered from 2.
    private let later: [Migration]

    package init(_ name: String, sections: [SchemaSection], later: [Migration] = []) {
        self.name = name
        self.sections = sections
        self.later = later
    }

    /// The baseline, and the migrations that follow.
    package var migrations: [Migration] { [.baseline(of: name, sections)] + later }
}

extension Migration {
    /// Returns the first migration of a store, which creates all tables in one transaction.
    package static func baseline(of store: String, _ sections: [SchemaSection]) -> Migration {
        Migration(
            number: 1, name: store,
            fill: { transaction in for section in sections { try section.fill?(transaction) } },
            statements: { dialect in sections.flatMap { $0.statements(dialect).map(\.sql) } })
    }
}
