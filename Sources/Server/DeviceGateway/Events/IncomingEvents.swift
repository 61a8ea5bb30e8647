import Core
import Foundation
import Wire

/// The events in the body of one request.
struct IncomingEvents: Sendable {
    /// One event in its stored form: `{"Body": …, "Properties": …, "SystemProperties": …}`.
    struct Event: Sendable {
        let body: Data
        /// The key by which a repeated event is detected.
        let digest: Data

        init(_ json: JSON) {
            body = json.data()
            digest = EventDigest.digest(of: body)
        }
    }

    let events: [Event]

    /// Maximum bytes of a body, as in Event Hubs.
    static let maximumBytes = 1 << 20
    /// Maximum events in one body.
    static let maximumEvents = 10_000

    /// Parses a body.
    ///
    /// - Parameter isBatch: whether its media type is that of several messages: an array of `{"Body",
    ///   "UserProperties", "BrokerProperties"}`. Any other body is one event.
    /// - Throws: ``GatewayError`` `events-malformed`, `too-many-events`.
    init(_ bytes: Data, isBatch: Bool) throws(GatewayError) {
        guard isBatch else {
            events = [Event(Self.event(body: Self.content(of: bytes), [:]))]
            return
        }
        guard let list = JSON(reading: bytes)?.array else { throw Self.malformed }
        guard list.count <= Self.maximumEvents else {
            throw GatewayError("too-many-events", "A request has at most \(Self.maximumEvents) events.")
        }
        var events: [Event] = []
        for message in list {
            guard let object = message.object, let body = object["Body"] else { throw Self.malformed }
            let content = if let text = body.string { Self.content(of: Data(text.utf8)) } else { body }
            var properties: [(String, JSON)] = []
            for (theirs, ours) in [("UserProperties", "Properties"), ("BrokerProperties", "SystemProperties")] {
                guard let value = object[theirs] ?? object[ours], !value.isNull else { continue }
                guard value.object != nil else { throw Self.malformed }
                properties.append((ours, value))
            }
            events.append(Event(Self.event(body: content, Dictionary(properties) { first, _ in first })))
        }
        self.events = events
    }

    /// Returns the body of an event: JSON if it is valid, otherwise its text.
    private static func content(of bytes: Data) -> JSON {
        JSON(reading: bytes) ?? .string(String(validUTF8: bytes) ?? bytes.base64EncodedString())
    }

    private static func event(body: JSON, _ properties: [String: JSON]) -> JSON {
        var members: [JSONObject.Member] = [.init(key: "Body", value: body)]
        for name in ["Properties", "SystemProperties"] {
            members.append(.init(key: name, value: properties[name] ?? [:]))
        }
        return .object(JSONObject(keepingFirst: members))
    }

    private static let malformed = GatewayError(
        "events-malformed",
        "Several events are an array of {\"Body\": ..., \"UserProperties\": {...}}, of the media type "
            + "\(EventHubName.batchMediaType).")
}
