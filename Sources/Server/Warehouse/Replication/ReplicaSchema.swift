import Storage

/// Our tables in addition to an i2b2 in another database than the records.
package enum ReplicaSchema {
    /// The store. i2b2 reads the ontology and the consents through views.
    package static let store = StoreSchema(
        "replica", sections: [WarehouseSchema.concepts, WarehouseSchema.consents, numbers])

    static var migrations: [Migration] { store.migrations }

    private static let numbers = SchemaSection("Numbers of the replica") { _ in
        """
        -- The number here for a number of the records' tables.
        CREATE TABLE replica_number (
            -- 1 for an encounter, 2 for a patient, 3 for an upload.
            kind int NOT NULL,
            given bigint NOT NULL,
            number bigint NOT NULL,
            PRIMARY KEY (kind, given)
        );

        -- One row: the records' store that the rows belong to. Only one store writes here.
        CREATE TABLE replica_source (
            one int PRIMARY KEY NOT NULL,
            source varchar(64) NOT NULL
        );
        """
    }

    /// The number of the lock that a copying process holds until the end of the transaction.
    static let lock: Int64 = 0x7472_6962_7265_706C
}
