import Core
import Foundation
import Storage

/// What became of the events that hubs took.
public struct GatewayStatus: Sendable, Hashable {
    /// An event that is set aside, or waits.
    public struct Event: Sendable, Hashable {
        /// Its number, by which it is tried again.
        public let id: Int64
        public let hub: String
        /// The device's id, where the event says it.
        public let device: String?
        public let code: String
        public let message: String
        /// When it came.
        public let received: Date

        init(_ row: SQLRow) throws {
            id = try row.integer("number")
            hub = try row.text("hub")
            device = row.textIfPresent("device")
            code = row.textIfPresent("code") ?? ""
            message = row.textIfPresent("message") ?? ""
            received = try row.date("received_at")
        }
    }

    /// Events that were taken, each once.
    public let messages: Int64
    /// Readings that were recorded.
    public let measurements: Int64
    /// Observations that were made of them.
    public let observations: Int64
    /// Events that were not kept, as their participants' consent does not let them in.
    public let refused: Int64
    /// Events that are to be worked on.
    public let pending: Int64
    /// Those that wait for a device to be registered or for a consent, by devices: the first of each.
    public let waiting: [Event]
    /// Those that are set aside.
    public let quarantined: [Event]

    /// So many of a kind are listed at most.
    public static let mostListed = 1_000

    /// Reads it.
    ///
    /// - Throws: ``Storage/StorageError``.
    public init(in transaction: any SQLTransaction) throws {
        let total = try transaction.first("SELECT * FROM gateway_total WHERE id = 1")
        messages = total?.integerIfPresent("events") ?? 0
        measurements = total?.integerIfPresent("measurements") ?? 0
        observations = total?.integerIfPresent("observations") ?? 0
        refused = total?.integerIfPresent("refused") ?? 0
        pending =
            try transaction.first(
                """
                SELECT (SELECT count(*) FROM gateway_event WHERE state = 'pending')
                    + CAST((SELECT coalesce(sum(event_count), 0) FROM gateway_arrival) AS bigint) AS events
                """)?.integer("events") ?? 0
        func events(_ state: String) throws -> [Event] {
            try transaction.query(
                """
                SELECT number, hub, device, code, message, received_at FROM gateway_event WHERE state = ?
                ORDER BY number LIMIT ?
                """, [SQLValue(state), SQLValue(Self.mostListed)]
            ).map { try Event($0) }
        }
        waiting = try events("waiting")
        quarantined = try events("quarantined")
    }

    /// `{"messages", "measurements", "observations", "refused", "pending", "waiting": […], "quarantined": […]}`
    public var json: JSON {
        func list(_ events: [Event]) -> JSON {
            .array(
                events.map { event in
                    [
                        "id": .number(JSONNumber(event.id)), "hub": .string(event.hub),
                        "device": event.device.map { .string($0) } ?? .null, "code": .string(event.code),
                        "message": .string(event.message),
                    ]
                })
        }
        func number(_ value: Int64) -> JSON { .number(JSONNumber(value)) }
        return [
            "messages": number(messages), "measurements": number(measurements), "observations": number(observations),
            "refused": number(refused), "pending": number(pending), "waiting": list(waiting),
            "quarantined": list(quarantined),
        ]
    }

    /// Has quarantined events worked on once more.
    ///
    /// - Parameter id: the number of one; nil for all.
    /// - Returns: how many.
    /// - Throws: ``GatewayError`` `event-unknown`.
    public static func retry(_ id: Int64?, in transaction: any SQLTransaction) throws -> Int {
        let count = try GatewayEvents(transaction: transaction).retry(id)
        guard count > 0 || id == nil else {
            throw GatewayError("event-unknown", "No event of that number is set aside; see `tributary devices status`.")
        }
        return count
    }
}
