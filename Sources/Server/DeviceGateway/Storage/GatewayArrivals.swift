import Foundation
import Storage

/// Accepted events, many in a row of `gateway_arrival`, in the caller's transaction. Nearly all are settled together.
/// The others get a row of their own (``GatewayEvents``).
struct GatewayArrivals {
    /// A part of the events of one request. Their numbers are consecutive.
    struct Arrival {
        /// The number of the first event.
        let first: Int64
        let events: [GatewayEvents.Stored]
    }

    let transaction: any SQLTransaction

    /// Maximum events in one row.
    static let maximumEvents = 500

    /// Inserts new events.
    ///
    /// - Parameter first: the number of the first one.
    func add(_ bodies: [Data], to hub: String, numberedFrom first: Int64, at: Date) throws {
        for start in stride(from: 0, to: bodies.count, by: Self.maximumEvents) {
            let part = bodies[start..<min(start + Self.maximumEvents, bodies.count)]
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

    /// Returns the oldest arrivals of one hub.
    ///
    /// - Parameter first: the arrival after which to begin.
    func next(after first: Int64, limit: Int, bytes: Int) throws -> (hub: String, arrivals: [Arrival])? {
        var hub: String?
        var (count, size) = (0, 0)
        var firsts: [Int64] = []
        // Only the lengths first: that many bodies could need more memory than there is.
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

    /// Parameters: the arrival after which to begin, limit.
    static let nextSQL = """
        SELECT first, hub, event_count, length(bodies) AS size FROM gateway_arrival WHERE first > ? ORDER BY first LIMIT ?
        """
    /// Parameter: the arrival.
    static let bodiesSQL = "SELECT bodies FROM gateway_arrival WHERE first = ?"

    /// Returns the time of an arrival.
    ///
    /// - Throws: ``Storage/StorageError`` if it does not exist.
    func received(_ first: Int64) throws -> Date {
        let row = try transaction.first("SELECT received_at FROM gateway_arrival WHERE first = ?", [SQLValue(first)])
        guard let row else { throw Self.corrupt }
        return try row.date("received_at")
    }

    private static let corrupt = StorageError(
        code: "storage-corrupt", message: "Events of a hub cannot be read; restore the records from a backup.")

    /// Deletes arrivals.
    func remove(_ firsts: some Sequence<Int64>) throws {
        _ = try transaction.queries(
            firsts.map { SQLQuery("DELETE FROM gateway_arrival WHERE first = ?", [SQLValue($0)]) })
    }

    /// Returns the bodies concatenated, each after its length in four bytes, big-endian.
    static func packed(_ bodies: some Collection<Data>) -> Data {
        var packed = Data(capacity: bodies.reduce(0) { $0 + $1.count + 4 })
        for body in bodies {
            withUnsafeBytes(of: UInt32(body.count).bigEndian) { packed.append(contentsOf: $0) }
            packed.append(body)
        }
        return packed
    }

    /// - Throws: ``Storage/StorageError`` if the bytes are malformed.
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
