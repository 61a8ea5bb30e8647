import Core
import Foundation
import Storage

/// An i2b2 in another database than the records: its tables follow those that stand among the records' own.
///
/// Every change is noted with the rows that it concerns (``ReplicaLog``), in their transaction, and carried over by an upload
/// (``ReplicaCarrier``). So the records never wait for the other database, and nothing is lost while it is away.
public struct WarehouseReplica: Sendable, Hashable {
    /// The other database.
    public let address: PostgreSQLAddress
    /// The schema of its facts and dimensions.
    public let data: PostgreSQLSchema
    /// The schema of its ontology.
    public let metadata: PostgreSQLSchema

    public init(address: PostgreSQLAddress, data: PostgreSQLSchema, metadata: PostgreSQLSchema) {
        (self.address, self.data, self.metadata) = (address, data, metadata)
    }

    /// The store of what must be known there: a schema of our own, beside i2b2's.
    public var store: Store {
        Store(
            at: .postgreSQL(address), migrations: ReplicaSchema.migrations,
            schema: .replica.searching(place.schemas), permissions: (0o600, 0o700))
    }

    /// A digest of where it is, as the records note it.
    var digest: String {
        let url = StoreLocation.postgreSQL(address).description
        return Hexadecimal.text(TextDigest.of(url))
    }

    /// i2b2's tables there.
    var place: WarehousePlace { .i2b2(data: data, metadata: metadata) }
}
