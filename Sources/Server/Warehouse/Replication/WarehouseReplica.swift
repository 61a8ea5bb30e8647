import Core
import Foundation
import Storage

/// An i2b2 in another database than the records. Its tables are copies of those among the records' own.
///
/// Every change is logged with its rows (``ReplicaLog``), in the same transaction, and copied later
/// (``ReplicaCarrier``). So the records never wait for the other database, and nothing is lost while it is
/// unavailable.
package struct WarehouseReplica: Sendable, Hashable {
    /// The other database.
    package let address: PostgreSQLAddress
    /// The schema of its facts and dimensions.
    package let data: PostgreSQLSchema
    /// The schema of its ontology.
    package let metadata: PostgreSQLSchema

    package init(address: PostgreSQLAddress, data: PostgreSQLSchema, metadata: PostgreSQLSchema) {
        (self.address, self.data, self.metadata) = (address, data, metadata)
    }

    /// The store of the replica's state: a schema of our own in the database of the i2b2.
    package var store: Store {
        Store(
            at: .postgreSQL(address), migrations: ReplicaSchema.migrations,
            schema: .replica.searching(location.schemas), permissions: (0o600, 0o700))
    }

    /// A digest of the location, as the records store it.
    var digest: String {
        let url = StoreLocation.postgreSQL(address).description
        return Hexadecimal.text(TextDigest.of(url))
    }

    /// The location of i2b2's tables there.
    var location: WarehouseLocation { .i2b2(data: data, metadata: metadata) }
}
