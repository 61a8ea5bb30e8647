import FHIR
import Foundation
import HealthData

/// The progress of the streams, for the app and for monitoring: times, counts and stable codes, no values.
public struct HealthSyncStatus: Sendable, Hashable {
    /// One stream.
    public struct Row: Sendable, Hashable {
        /// The stream.
        public let stream: HealthStream
        /// The anchor up to which its store has all changes.
        public let anchor: HealthAnchor?
        /// The end of the latest sample that the store has, in seconds since 1970.
        public let lastSample: Double?
        /// Samples that were read and are not settled.
        public let waiting: Int
        /// Whether history is left.
        public let hasHistory: Bool
        /// The number of quarantined samples, including those that are not named.
        public let quarantined: Int
        /// The code of the error that stopped the stream; nil if there is none.
        public let code: String?

        init(_ stream: HealthStream, _ state: HealthStreamState, code: String?) {
            self.stream = stream
            anchor = state.anchor
            lastSample = state.lastSample
            waiting = state.waiting
            hasHistory = !state.history.isDone
            quarantined = state.quarantine.count
            self.code = code
        }
    }

    /// One quarantined sample of a stream.
    public struct Quarantined: Sendable, Hashable {
        /// The stream.
        public let stream: HealthStream
        /// The sample and the reason.
        public let entry: HealthQuarantine.Entry
    }

    /// The streams, in order.
    public let rows: [Row]
    /// The quarantined samples.
    public let quarantine: [Quarantined]

    init(_ streams: [(stream: HealthStream, state: HealthStreamState, code: String?)]) {
        rows = streams.map { Row($0.stream, $0.state, code: $0.code) }
        quarantine = streams.flatMap { stream, state, _ in
            state.quarantine.entries.map { Quarantined(stream: stream, entry: $0) }
        }
    }

    /// Reads the status of streams from their storage, without running them. A stream that cannot be read has a code.
    public init(of streams: [HealthStream], in storage: any HealthSyncStorage) async {
        var read: [(stream: HealthStream, state: HealthStreamState, code: String?)] = []
        for stream in streams {
            do {
                let bytes = try await storage.state(of: stream)
                let state = try bytes.map { try HealthStreamState($0, of: stream) }
                read.append((stream, state ?? HealthStreamState(), nil))
            } catch {
                read.append((stream, HealthStreamState(), HealthSynchronizer.code(of: error)))
            }
        }
        self.init(read)
    }

    /// `{"streams":[{type,store,anchor,lastSample,waiting}],"quarantine":[{uuid,type,reason}]}`.
    public var json: JSON {
        let streams = rows.map { row -> JSON in
            var object = JSONObject()
            object["type"] = .string(row.stream.type)
            object["store"] = .string(row.stream.store)
            object["anchor"] = row.anchor.map { .string($0.text) }
            object["lastSample"] = row.lastSample.flatMap(Self.time)
            object["waiting"] = .number(JSONNumber(row.waiting))
            object["code"] = row.code.map { .string($0) }
            return .object(object)
        }
        let entries = quarantine.map { item -> JSON in
            [
                "uuid": .string(item.entry.uuid.uuidString), "type": .string(item.stream.type),
                "reason": .string(item.entry.reason),
            ]
        }
        return ["streams": .array(streams), "quarantine": .array(entries)]
    }

    private static func time(_ seconds: Double) -> JSON? {
        guard let whole = Int64(exactly: seconds.rounded(.down)), HealthInstant.believable.contains(whole)
        else { return nil }
        return .string(HealthInstant(seconds: whole, offsetMinutes: 0).text)
    }
}

extension HealthAnchor {
    /// The anchor as text: unchanged if it is printable ASCII, otherwise in base64.
    public var text: String {
        let isPlain = bytes.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain ? String(decoding: bytes, as: UTF8.self) : Data(bytes).base64EncodedString()
    }
}
