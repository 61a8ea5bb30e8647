import Core
import Foundation
import Storage

/// The accepted events that are not recorded yet, in the caller's transaction.
struct GatewayEvents {
    /// The state of an event.
    enum State: String, Sendable {
        /// It is processed when it is due.
        case pending
        /// Its device has no participant yet, or their consent does not allow it yet.
        case waiting
        /// It has an error; `devices retry` retries it.
        case quarantined
    }

    /// One stored event.
    struct Stored: Sendable {
        let number: Int64
        let body: Data
        /// The arrival that contains it; nil if it has a row of its own.
        var arrival: Int64?
    }

    let transaction: any SQLTransaction

    /// Maximum events and bytes in a hub. Further events are refused before they are stored.
    static let limit = (events: Int64(100_000), bytes: Int64(256 << 20))

    /// Stores the new events of a request.
    ///
    /// - Returns: false if the hub is full. Then nothing was stored.
    func add(_ new: [IncomingEvents.Event], to hub: String, at: Date) throws -> Bool {
        guard
            let load = try transaction.first(
                "SELECT event_count, byte_count FROM gateway_hub WHERE hub = ?", [SQLValue(hub)])
        else { return false }
        let bytes = new.reduce(0) { $0 + Int64($1.body.count) }
        guard try load.integer("event_count") + Int64(new.count) <= Self.limit.events,
            try load.integer("byte_count") + bytes <= Self.limit.bytes
        else { return false }
        let isNew = try transaction.inserter(SeenEvent.insertion)
            .insertEach(of: new.map { SeenEvent(hub: hub, digest: $0.digest) })
        let fresh = zip(new, isNew).filter { $1 }.map { $0.0 }
        guard !fresh.isEmpty else { return true }
        let row = try transaction.first(
            """
            UPDATE gateway_total SET last_event = last_event + ?, events = events + ? WHERE id = 1 RETURNING last_event
            """, [SQLValue(fresh.count), SQLValue(fresh.count)])
        let first = (try row?.integer("last_event") ?? 0) - Int64(fresh.count) + 1
        try GatewayArrivals(transaction: transaction).add(fresh.map(\.body), to: hub, numberedFrom: first, at: at)
        try change(hub, events: Int64(fresh.count), bytes: fresh.reduce(0) { $0 + Int64($1.body.count) })
        return true
    }

    private func change(_ hub: String, events: Int64, bytes: Int64) throws {
        try transaction.execute(
            "UPDATE gateway_hub SET event_count = event_count + ?, byte_count = byte_count + ? WHERE hub = ?",
            [SQLValue(events), SQLValue(bytes), SQLValue(hub)])
    }

    /// The position of an event in the processing order. Events with a row of their own come first.
    struct Cursor: Sendable {
        var due: Int64 = -1
        var number: Int64 = 0
        /// The number of the last arrival.
        var arrival: Int64 = 0
    }

    /// The oldest due events of one hub.
    struct Due: Sendable {
        let hub: String
        var events: [Stored]
        let last: Cursor
    }

    /// Returns the oldest due events of one hub.
    ///
    /// - Parameter cursor: the position after which to begin; nil for the first event.
    static func due(
        after cursor: Cursor?, limit: Int, bytes: Int, at now: Int64, in transaction: any SQLTransaction
    ) throws -> Due? {
        var hub: String?
        var size = 0
        var numbers: [Int64] = []
        var last = cursor ?? Cursor()
        // Only the lengths first: that many bodies could need more memory than there is.
        for row in try transaction.query(
            dueSQL, [SQLValue(now), SQLValue(last.due), SQLValue(last.number), SQLValue(limit)])
        {
            let own = try row.text("hub")
            size += Int(try row.integer("size"))
            guard hub ?? own == own, numbers.isEmpty || size <= bytes else { break }
            hub = own
            numbers.append(try row.integer("number"))
            (last.due, last.number) = (try row.integer("due_ms"), try row.integer("number"))
        }
        if let hub {
            let bodies = try transaction.queries(numbers.map { SQLQuery(bodySQL, [SQLValue($0)]) })
            let events = try zip(numbers, bodies).compactMap { number, rows in
                try rows.first.map { Stored(number: number, body: try $0.blob("body")) }
            }
            return Due(hub: hub, events: events, last: last)
        }
        guard
            let next = try GatewayArrivals(transaction: transaction).next(
                after: last.arrival, limit: limit, bytes: bytes)
        else { return nil }
        last.arrival = next.arrivals.last?.first ?? last.arrival
        return Due(hub: next.hub, events: next.arrivals.flatMap(\.events), last: last)
    }

    /// Parameters: now, the position after which to begin, limit.
    static let dueSQL = """
        SELECT number, hub, due_ms, length(body) AS size FROM gateway_event
        WHERE state = 'pending' AND due_ms <= ? AND (due_ms, number) > (?, ?) ORDER BY due_ms, number LIMIT ?
        """

    /// Returns the time at which the next deferred event is due, in milliseconds since 1970; nil if there is none.
    func nextDue(after now: Int64) throws -> Int64? {
        try transaction.first(Self.nextDueSQL, [SQLValue(now)])?.integer("due_ms")
    }

    /// Parameter: now.
    static let nextDueSQL =
        "SELECT due_ms FROM gateway_event WHERE state = 'pending' AND due_ms > ? ORDER BY due_ms LIMIT 1"
    private static let bodySQL = "SELECT body FROM gateway_event WHERE number = ?"

    /// Whether all these events are still pending.
    func arePending(_ events: [Stored]) throws -> Bool {
        let arrivals = Set(events.compactMap(\.arrival)).sorted()
        let there = try transaction.queries(
            arrivals.map { SQLQuery("SELECT 1 AS n FROM gateway_arrival WHERE first = ?", [SQLValue($0)]) })
        guard there.allSatisfy({ !$0.isEmpty }) else { return false }
        let runs = Self.runs(of: events.filter { $0.arrival == nil }.map(\.number))
        let counts = try transaction.queries(
            runs.map {
                SQLQuery(
                    "SELECT count(*) AS n FROM gateway_event WHERE number >= ? AND number <= ? AND state = 'pending'",
                    [SQLValue($0.lowerBound), SQLValue($0.upperBound)])
            })
        return try zip(runs, counts).allSatisfy { try $1.first?.integer("n") == Int64($0.count) }
    }

    /// Returns ranges of consecutive numbers. Nearly all numbers of one batch are consecutive.
    private static func runs(of numbers: [Int64]) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for number in numbers.sorted() {
            if let last = runs.last, number <= last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs
    }

    /// Sets the outcomes of events, and deletes those that are done. All events of an arrival are settled together.
    func settle(_ settlements: [(event: Stored, settlement: EventSettlement)], of hub: String) throws {
        var done: [Stored] = []
        var statements: [SQLQuery] = []
        var received: [Int64: Date] = [:]
        let arrivals = GatewayArrivals(transaction: transaction)
        for (event, settlement) in settlements {
            guard let state = settlement.state else {
                done.append(event)
                continue
            }
            let values = [
                SQLValue(state.rawValue), SQLValue(settlement.due), SQLValue(settlement.device),
                SQLValue(settlement.reason?.code), SQLValue(settlement.reason?.message),
            ]
            guard let arrival = event.arrival else {
                statements.append(SQLQuery(Self.stateSQL, values + [SQLValue(event.number)]))
                continue
            }
            let came = try received[arrival] ?? arrivals.received(arrival)
            received[arrival] = came
            statements.append(
                SQLQuery(
                    Self.ownRowSQL,
                    values + [SQLValue(event.number), SQLValue(hub), SQLValue(came), SQLValue(event.body)]))
        }
        for run in Self.runs(of: done.filter { $0.arrival == nil }.map(\.number)) {
            statements.append(
                SQLQuery(
                    "DELETE FROM gateway_event WHERE number >= ? AND number <= ?",
                    [SQLValue(run.lowerBound), SQLValue(run.upperBound)]))
        }
        _ = try transaction.queries(statements)
        try arrivals.remove(Set(settlements.compactMap(\.event.arrival)).sorted())
        guard !done.isEmpty else { return }
        try change(hub, events: -Int64(done.count), bytes: -done.reduce(0) { $0 + Int64($1.body.count) })
    }

    private static let stateSQL = """
        UPDATE gateway_event SET state = ?, due_ms = ?, device = ?, code = ?, message = ? WHERE number = ?
        """
    private static let ownRowSQL = """
        INSERT INTO gateway_event (state, due_ms, device, code, message, number, hub, received_at, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Returns the names of devices with waiting events, after one of them.
    static func waitingDevices(
        after last: String, limit: Int, in transaction: any SQLTransaction
    ) throws -> [String] {
        try transaction.query(
            waitingSQL, [SQLValue(last), SQLValue(limit)]
        ).map { try $0.text("device") }
    }

    /// Parameters: the device after which to begin, limit.
    static let waitingSQL = """
        SELECT DISTINCT device FROM gateway_event WHERE state = 'waiting' AND device > ? ORDER BY device LIMIT ?
        """

    /// Releases the waiting events of a device.
    func release(device: String) throws {
        try transaction.execute(
            "UPDATE gateway_event SET state = 'pending', due_ms = 0 WHERE state = 'waiting' AND device = ?",
            [SQLValue(device)])
    }

    /// Retries quarantined events.
    ///
    /// - Parameter number: the number of one event; nil for all.
    /// - Returns: the number of events.
    func retry(_ number: Int64?) throws -> Int {
        let sql = "UPDATE gateway_event SET state = 'pending', due_ms = 0 WHERE state = 'quarantined'"
        guard let number else { return try transaction.execute(sql, []) }
        return try transaction.execute(sql + " AND number = ?", [SQLValue(number)])
    }
}

/// The outcome of an event.
enum EventSettlement: Sendable, Hashable {
    /// All its readings are recorded.
    case recorded
    /// The participant's consent does not allow it: it is not stored.
    case refused
    /// It is processed later, at this time in milliseconds since 1970.
    case deferred(until: Int64)
    case waiting(device: String, GatewayReason)
    case quarantined(device: String?, GatewayReason)

    /// Returns the outcome of a whole event from those of two parts: the one with more weight.
    func orMore(_ other: EventSettlement) -> EventSettlement { other.weight > weight ? other : self }

    /// The state that the event gets; nil if it is done.
    var state: GatewayEvents.State? {
        switch self {
        case .recorded, .refused: nil
        case .deferred: .pending
        case .waiting: .waiting
        case .quarantined: .quarantined
        }
    }

    /// The time at which it is processed again, in milliseconds since 1970; 0 if it is not pending.
    var due: Int64 { if case .deferred(let due) = self { due } else { 0 } }

    var device: String? {
        switch self {
        case .waiting(let device, _): device
        case .quarantined(let device, _): device
        default: nil
        }
    }

    var reason: GatewayReason? {
        switch self {
        case .waiting(_, let reason), .quarantined(_, let reason): reason
        default: nil
        }
    }

    private var weight: Int {
        switch self {
        case .recorded: 0
        case .refused: 1
        case .waiting: 2
        case .quarantined: 3
        case .deferred: 4
        }
    }
}

/// The reason that an event is not recorded. It repeats no content.
struct GatewayReason: Sendable, Hashable {
    let code: String
    let message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: any CodedError) { self.init(error.code, error.message) }
}

private struct SeenEvent {
    let hub: String
    let digest: Data

    static let insertion = SQLInsertion<SeenEvent, Void>(
        into: "gateway_seen", onConflict: .keepsPresent(key: ["digest", "hub"]),
        columns: [SQLColumn("digest") { SQLValue($0.digest) }, SQLColumn("hub") { SQLValue($0.hub) }])
}
