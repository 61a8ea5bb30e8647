import Core
import Foundation
import Wire

/// The events in the body of one request.
struct IncomingEvents: Sendable {
    /// One event, as it is stored: `{"Body": …, "Properties": …, "SystemProperties": …}`.
    struct Event: Sendable {
        let body: Data
        /// By what an event that comes again is known.
        let digest: Data

        init(_ json: JSON) {
            body = json.data()
            digest = EventDigest.digest(of: body)
        }
    }

    let events: [Event]

    /// Bytes of a body beyond which nothing is read, as Event Hubs has it.
    static let maximumBytes = 1 << 20
    /// So many events in one body at most.
    static let most = 10_000

    /// Reads a body.
    ///
    /// - Parameter isBatch: whether its media type is that of several messages: an array of `{"Body", "UserProperties",
    ///   "BrokerProperties"}`; any other body is one event.
    /// - Throws: ``GatewayError`` `events-malformed`, `too-many-events`.
    init(_ bytes: Data, isBatch: Bool) throws(GatewayError) {
        guard isBatch else {
            events = [Event(Self.event(body: Self.content(of: bytes), [:]))]
            return
        }
        guard let list = JSON(reading: bytes)?.array else { throw Self.malformed }
        guard list.count <= Self.most else {
            throw GatewayError("too-many-events", "A request has at most \(Self.most) events.")
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

    /// The body of an event: JSON where it is some, else its text.
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
