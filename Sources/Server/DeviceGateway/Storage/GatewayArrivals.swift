import Foundation
import Storage

/// Events as hubs took them, many in a row of `gateway_arrival`, inside of the transaction of the caller: nearly all are done with
/// together. Those that are not get a row of their own (``GatewayEvents``).
struct GatewayArrivals {
    /// A part of what came with one request. Its events' numbers follow each other.
    struct Arrival {
        /// The number of the first event.
        let first: Int64
        let events: [GatewayEvents.Stored]
    }

    let transaction: any SQLTransaction

    /// So many events are in one row at most.
    static let most = 500

    /// Stores events that are new.
    ///
    /// - Parameter first: the number of the first.
    func add(_ bodies: [Data], to hub: String, numberedFrom first: Int64, at: Date) throws {
        for start in stride(from: 0, to: bodies.count, by: Self.most) {
            let part = bodies[start..<min(start + Self.most, bodies.count)]
            try transaction.execute(
                """
                INSERT INTO gateway_arrival (first, hub, received_at, event_count, bodies) VALUES (?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(first + Int64(start)), SQLValue(hub), SQLValue(at), SQLValue(part.count),
                    SQLValue(Self.packed(part)),
                ])
        }
    }

    /// What came first of one hub.
    ///
    /// - Parameter first: the arrival behind which.
    func next(behind first: Int64, limit: Int, bytes: Int) throws -> (hub: String, arrivals: [Arrival])? {
        var hub: String?
        var (count, size) = (0, 0)
        var firsts: [Int64] = []
        // Their lengths first: the bodies of as many could be more than memory has.
        for row in try transaction.query(Self.nextSQL, [SQLValue(first), SQLValue(limit)]) {
            let own = try row.text("hub")
            count += Int(try row.integer("event_count"))
            size += Int(try row.integer("size"))
            guard hub ?? own == own, firsts.isEmpty || count <= limit && size <= bytes else { break }
            hub = own
            firsts.append(try row.integer("first"))
        }
        guard let hub else { return nil }
        let arrivals = try firsts.compactMap { first -> Arrival? in
            guard let row = try transaction.first(Self.bodiesSQL, [SQLValue(first)]) else { return nil }
            let bodies = try Self.unpacked(row.blob("bodies"))
            return Arrival(
                first: first,
                events: bodies.enumerated().map {
                    GatewayEvents.Stored(number: first + Int64($0), body: $1, arrival: first)
                })
        }
        return arrivals.isEmpty ? nil : (hub, arrivals)
    }

    /// Parameters: the arrival behind which, limit.
    static let nextSQL = """
        SELECT first, hub, event_count, length(bodies) AS size FROM gateway_arrival WHERE first > ? ORDER BY first LIMIT ?
        """
    /// Parameter: the arrival.
    static let bodiesSQL = "SELECT bodies FROM gateway_arrival WHERE first = ?"

    /// When an arrival came.
    ///
    /// - Throws: ``Storage/StorageError`` where it is not there.
    func received(_ first: Int64) throws -> Date {
        let row = try transaction.first("SELECT received_at FROM gateway_arrival WHERE first = ?", [SQLValue(first)])
        guard let row else { throw Self.corrupt }
        return try row.date("received_at")
    }

    private static let corrupt = StorageError(
        code: "storage-corrupt", message: "Events of a hub cannot be read; restore the records from a backup.")

    /// Takes arrivals away.
    func remove(_ firsts: some Sequence<Int64>) throws {
        _ = try transaction.queries(
            firsts.map { SQLQuery("DELETE FROM gateway_arrival WHERE first = ?", [SQLValue($0)]) })
    }

    /// Bodies one after the other, each behind its length in four bytes, the highest first.
    static func packed(_ bodies: some Collection<Data>) -> Data {
        var packed = Data(capacity: bodies.reduce(0) { $0 + $1.count + 4 })
        for body in bodies {
            withUnsafeBytes(of: UInt32(body.count).bigEndian) { packed.append(contentsOf: $0) }
            packed.append(body)
        }
        return packed
    }

    /// - Throws: ``Storage/StorageError`` where they are no such bodies.
    static func unpacked(_ packed: Data) throws -> [Data] {
        var bodies: [Data] = []
        var rest = packed[...]
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 4 + length else { throw corrupt }
            bodies.append(Data(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return bodies
    }
}
