import Core
import Foundation
import Storage

/// The status of the events that hubs accepted.
package struct GatewayStatus: Sendable, Hashable {
    /// A quarantined or waiting event.
    package struct Event: Sendable, Hashable {
        /// The event's number, by which it is retried.
        package let id: Int64
        package let hub: String
        /// The device's id, if the event names it.
        package let device: String?
        package let code: String
        package let message: String
        /// The time of arrival.
        package let received: Date

        init(_ row: SQLRow) throws {
            id = try row.integer("number")
            hub = try row.text("hub")
            device = row.textIfPresent("device")
            code = row.textIfPresent("code") ?? ""
            message = row.textIfPresent("message") ?? ""
            received = try row.date("received_at")
        }
    }

    /// The number of accepted events, without repetitions.
    package let messages: Int64
    /// The number of recorded readings.
    package let measurements: Int64
    /// The number of Observations that were made of them.
    package let observations: Int64
    /// The number of events that were not stored, because the participant's consent does not allow it.
    package let refused: Int64
    /// The number of events to be processed.
    package let pending: Int64
    /// The events that wait for the registration of a device or for a consent, the first of each device.
    package let waiting: [Event]
    /// The quarantined events.
    package let quarantined: [Event]

    /// Maximum events listed of a kind.
    package static let maximumListed = 1_000

    /// Reads the status.
    ///
    /// - Throws: ``Storage/StorageError``.
    package init(in transaction: any SQLTransaction) throws {
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
                """, [SQLValue(state), SQLValue(Self.maximumListed)]
            ).map { try Event($0) }
        }
        waiting = try events("waiting")
        quarantined = try events("quarantined")
    }

    /// `{"messages", "measurements", "observations", "refused", "pending", "waiting": […], "quarantined": […]}`
    package var json: JSON {
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

    /// Retries quarantined events.
    ///
    /// - Parameter id: the number of one event; nil for all.
    /// - Returns: the number of events.
    /// - Throws: ``GatewayError`` `event-unknown`.
    package static func retry(_ id: Int64?, in transaction: any SQLTransaction) throws -> Int {
        let count = try GatewayEvents(transaction: transaction).retry(id)
        guard count > 0 || id == nil else {
            throw GatewayError("event-unknown", "No such event is quarantined; see `tributary gateway status`.")
        }
        return count
    }
}
