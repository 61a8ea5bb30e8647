import Core
import Foundation
import Storage

/// The events that hubs took and that are not recorded yet, inside of the transaction of the caller.
struct GatewayEvents {
    /// What becomes of an event.
    enum State: String, Sendable {
        /// It is to be worked on when its time has come.
        case pending
        /// Its device has no participant yet, or their consent does not let it in yet.
        case waiting
        /// Something is wrong with it; `devices retry` has it tried again.
        case quarantined
    }

    /// One stored event.
    struct Stored: Sendable {
        let number: Int64
        let body: Data
    }

    let transaction: any SQLTransaction

    /// So many events and bytes stand in a hub at most: more is refused before it is taken.
    static let most = (events: Int64(100_000), bytes: Int64(256 << 20))

    /// Stores the events of a request, those that are new.
    ///
    /// - Returns: false where the hub is full: then nothing was stored.
    func add(_ new: [IncomingEvents.Event], to hub: String, at: Date) throws -> Bool {
        guard
            let load = try transaction.first(
                "SELECT event_count, byte_count FROM gateway_hub WHERE hub = ?", [SQLValue(hub)])
        else { return false }
        let bytes = new.reduce(0) { $0 + Int64($1.body.count) }
        guard try load.integer("event_count") + Int64(new.count) <= Self.most.events,
            try load.integer("byte_count") + bytes <= Self.most.bytes
        else { return false }
        let seen = try transaction.inserter(SeenEvent.insertion)
        try seen.expect(new.lazy.map { SeenEvent(hub: hub, digest: $0.digest) })
        let fresh = try new.filter { try seen.insert(SeenEvent(hub: hub, digest: $0.digest)) }
        guard !fresh.isEmpty else { return true }
        let row = try transaction.first(
            """
            UPDATE gateway_total SET last_event = last_event + ?, events = events + ? WHERE id = 1 RETURNING last_event
            """, [SQLValue(fresh.count), SQLValue(fresh.count)])
        var number = (try row?.integer("last_event") ?? 0) - Int64(fresh.count)
        var rows = try transaction.inserter(EventRow.insertion, sharing: EventReceipt(hub: hub, at: at))
        for event in fresh {
            number += 1
            try rows.add(EventRow(number: number, body: event.body))
        }
        try rows.flush()
        try change(hub, events: Int64(fresh.count), bytes: fresh.reduce(0) { $0 + Int64($1.body.count) })
        return true
    }

    private func change(_ hub: String, events: Int64, bytes: Int64) throws {
        try transaction.execute(
            "UPDATE gateway_hub SET event_count = event_count + ?, byte_count = byte_count + ? WHERE hub = ?",
            [SQLValue(events), SQLValue(bytes), SQLValue(hub)])
    }

    /// The place of an event among those that are to be worked on.
    struct Place: Sendable {
        let due: Int64
        let number: Int64

        static let beginning = Place(due: -1, number: 0)
    }

    /// The events whose time has come, those that came first, of one hub.
    ///
    /// - Parameter place: those behind it; nil begins with the first.
    static func due(
        behind place: Place?, limit: Int, bytes: Int, at now: Int64, in transaction: any SQLTransaction
    ) throws -> (hub: String, events: [Stored], last: Place?)? {
        var hub: String?
        var size = 0
        var events: [Stored] = []
        var last: Place?
        let place = place ?? .beginning
        for row in try transaction.query(
            dueSQL, [SQLValue(now), SQLValue(place.due), SQLValue(place.number), SQLValue(limit)])
        {
            let own = try row.text("hub")
            let body = try row.blob("body")
            size += body.count
            guard hub ?? own == own, events.isEmpty || size <= bytes else { break }
            hub = own
            events.append(Stored(number: try row.integer("number"), body: body))
            last = Place(due: try row.integer("due_ms"), number: try row.integer("number"))
        }
        return hub.map { ($0, events, last) }
    }

    /// When the next event is due, in milliseconds since 1970; nil where none is pending.
    static func nextDue(in transaction: any SQLTransaction) throws -> Int64? {
        try transaction.first("SELECT min(due_ms) AS due FROM gateway_event WHERE state = 'pending'")?
            .integerIfPresent("due")
    }

    /// Parameters: now, the place behind which, limit.
    static let dueSQL = """
        SELECT number, hub, due_ms, body FROM gateway_event
        WHERE state = 'pending' AND due_ms <= ? AND (due_ms, number) > (?, ?) ORDER BY due_ms, number LIMIT ?
        """

    /// Whether all of these events are still to be worked on.
    func arePending(_ numbers: [Int64]) throws -> Bool {
        let runs = Self.runs(of: numbers)
        let counts = try transaction.queries(
            runs.map {
                SQLQuery(
                    "SELECT count(*) AS n FROM gateway_event WHERE number >= ? AND number <= ? AND state = 'pending'",
                    [SQLValue($0.lowerBound), SQLValue($0.upperBound)])
            })
        return try zip(runs, counts).allSatisfy { try $1.first?.integer("n") == Int64($0.count) }
    }

    /// Numbers that follow each other, as those of one batch nearly all do.
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

    /// Has events be as they were settled, and takes away those that are done.
    func settle(_ settlements: [(event: Stored, settlement: EventSettlement)], of hub: String) throws {
        var done: [Stored] = []
        var statements: [SQLQuery] = []
        func note(_ state: State, _ number: Int64, device: String?, _ reason: GatewayReason) {
            statements.append(
                SQLQuery(
                    "UPDATE gateway_event SET state = ?, device = ?, code = ?, message = ? WHERE number = ?",
                    [
                        SQLValue(state.rawValue), SQLValue(device), SQLValue(reason.code), SQLValue(reason.message),
                        SQLValue(number),
                    ]))
        }
        for (event, settlement) in settlements {
            switch settlement {
            case .recorded, .refused:
                done.append(event)
            case .deferred(let due):
                statements.append(
                    SQLQuery(
                        "UPDATE gateway_event SET due_ms = ? WHERE number = ?", [SQLValue(due), SQLValue(event.number)])
                )
            case .waiting(let device, let reason): note(.waiting, event.number, device: device, reason)
            case .quarantined(let device, let reason): note(.quarantined, event.number, device: device, reason)
            }
        }
        for run in Self.runs(of: done.map(\.number)) {
            statements.append(
                SQLQuery(
                    "DELETE FROM gateway_event WHERE number >= ? AND number <= ?",
                    [SQLValue(run.lowerBound), SQLValue(run.upperBound)]))
        }
        _ = try transaction.queries(statements)
        guard !done.isEmpty else { return }
        try change(hub, events: -Int64(done.count), bytes: -done.reduce(0) { $0 + Int64($1.body.count) })
    }

    /// The devices of which events wait, by their names, behind one of them.
    static func waitingDevices(
        behind last: String, limit: Int, in transaction: any SQLTransaction
    ) throws -> [String] {
        try transaction.query(
            waitingSQL, [SQLValue(last), SQLValue(limit)]
        ).map { try $0.text("device") }
    }

    /// Parameters: the device behind which, limit.
    static let waitingSQL = """
        SELECT DISTINCT device FROM gateway_event WHERE state = 'waiting' AND device > ? ORDER BY device LIMIT ?
        """

    /// Has the waiting events of a device worked on.
    func release(device: String) throws {
        try transaction.execute(
            "UPDATE gateway_event SET state = 'pending', due_ms = 0 WHERE state = 'waiting' AND device = ?",
            [SQLValue(device)])
    }

    /// Has a quarantined event worked on once more.
    ///
    /// - Parameter number: nil for all.
    /// - Returns: how many.
    func retry(_ number: Int64?) throws -> Int {
        let sql = "UPDATE gateway_event SET state = 'pending', due_ms = 0 WHERE state = 'quarantined'"
        guard let number else { return try transaction.execute(sql, []) }
        return try transaction.execute(sql + " AND number = ?", [SQLValue(number)])
    }
}

/// What became of an event.
enum EventSettlement: Sendable, Hashable {
    /// All of it is recorded.
    case recorded
    /// The participant's consent does not let it in: it is not kept.
    case refused
    /// It is worked on later, at this time in milliseconds since 1970.
    case deferred(until: Int64)
    case waiting(device: String, GatewayReason)
    case quarantined(device: String?, GatewayReason)

    /// Of what becomes of the parts of an event the one that decides about the whole.
    func orMore(_ other: EventSettlement) -> EventSettlement { other.weight > weight ? other : self }

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

/// Why an event is not recorded; nothing of what stands in it.
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

private struct EventReceipt {
    let hub: String
    let at: Date
}

private struct EventRow {
    let number: Int64
    let body: Data

    static let insertion = SQLInsertion<EventRow, EventReceipt>(
        into: "gateway_event",
        columns: [SQLColumn("number") { SQLValue($0.number) }, SQLColumn("body") { SQLValue($0.body) }],
        shared: [
            SQLColumn("hub") { SQLValue($0.hub) }, SQLColumn("received_at") { SQLValue($0.at) },
            SQLColumn("state") { _ in SQLValue(GatewayEvents.State.pending.rawValue) },
            SQLColumn("due_ms") { _ in .integer(0) },
        ])
}
