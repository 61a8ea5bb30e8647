import Storage

/// Our tables in addition to an i2b2 in another database than the records.
enum ReplicaSchema {
    static let migrations: [Migration] = [
        Migration(number: 900, name: "numbers of a replica") { _ in
            // i2b2 reads the ontology and the consents through views.
            I2B2Table.all(.postgresql).filter(\.isAlwaysOurs).flatMap(\.statements) + I2B2Table.consents.statements + [
                // The number here for each number of the records' tables.
                """
                CREATE TABLE replica_number (
                    kind int NOT NULL, given bigint NOT NULL, number bigint NOT NULL, PRIMARY KEY (kind, given)
                )
                """,
                // The records' store that the rows belong to: only one store writes here.
                "CREATE TABLE replica_source (one int PRIMARY KEY NOT NULL, source varchar(64) NOT NULL)",
            ]
        }
    ]

    /// The number of the lock that a copying process holds until the end of the transaction.
    static let lock: Int64 = 0x7472_6962_7265_706C
}
