import Storage

/// Our tables beside an i2b2 that is in another database than the records.
enum ReplicaSchema {
    static let migrations: [Migration] = [
        Migration(number: 900, name: "numbers of a replica") { _ in
            // i2b2 sees the ontology and the consents through views.
            I2B2Table.all(.postgresql).filter(\.isAlwaysOurs).flatMap(\.statements) + I2B2Table.consents.statements + [
                // Which number of the records' tables has which one here.
                """
                CREATE TABLE replica_number (
                    kind int NOT NULL, given bigint NOT NULL, number bigint NOT NULL, PRIMARY KEY (kind, given)
                )
                """,
                // Whose rows they are: one records' store writes here.
                "CREATE TABLE replica_source (one int PRIMARY KEY NOT NULL, source varchar(64) NOT NULL)",
            ]
        }
    ]

    /// The number of the lock that whoever carries holds until the end of the transaction.
    static let lock: Int64 = 0x7472_6962_7265_706C
}
