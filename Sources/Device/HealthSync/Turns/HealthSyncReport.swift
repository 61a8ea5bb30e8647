import FHIR

/// What came of a run, for the app and for whoever watches: counts and stable codes, no health data.
public struct HealthSyncReport: Sendable, Hashable {
    /// What came of one stream.
    public struct Row: Sendable, Hashable {
        /// The stream.
        public let stream: HealthStream
        /// Samples that the store took and did not have.
        public var added = 0
        /// Samples that the store took and had.
        public var updated = 0
        /// Samples that are deleted; the store has their resources no more, unless another sample is the same.
        public var deleted = 0
        /// Samples that were set aside in this run.
        public var quarantined = 0
        /// Samples that the app said no to, or the study does not ask for.
        public var declined = 0
        /// Samples that were read and are not settled. Nobody counts what was not read.
        public var waiting = 0
        /// The stable code that says why the store keeps some of it, or the stream stands; nil where nothing is wrong.
        public var code: String?
    }

    /// The streams that something came of, in order.
    public internal(set) var rows: [Row] = []
    /// Whether there is more to do, now or when the store can take it.
    public internal(set) var hasMore = false
    /// Whether the source could not be read, as the phone was locked. This is no error.
    public internal(set) var isLocked = false
    /// Why there was no run, or not all of it: `time-over`, `stopped`, `abandoned`; nil where it came to its end.
    public internal(set) var code: String?

    init(code: String? = nil) { self.code = code }

    /// Whether a store failed or a stream stands.
    public var hasFailed: Bool { rows.contains { $0.code != nil } }

    mutating func change(_ stream: HealthStream, _ change: (inout Row) -> Void) {
        if let place = rows.firstIndex(where: { $0.stream == stream }) {
            change(&rows[place])
        } else {
            var row = Row(stream: stream)
            change(&row)
            let place = rows.firstIndex { $0.stream > stream } ?? rows.count
            rows.insert(row, at: place)
        }
    }

    mutating func count(_ step: HealthStepReport) {
        change(step.stream) { row in
            row.added += step.added
            row.updated += step.updated
            row.deleted += step.deleted
            row.quarantined += step.quarantined
            row.declined += step.declined
            row.waiting = step.state.waiting
            switch step.ending {
            case .held(let code, _), .failed(let code): row.code = code
            case .idle, .more, .full, .locked: break
            }
        }
    }

    /// `{"streams":[{type,store,added,updated,deleted,quarantined,waiting}],"more":bool}`; a stream that stands has its
    /// `code` besides.
    public var json: JSON {
        let streams = rows.map { row -> JSON in
            var object = JSONObject()
            object["type"] = .string(row.stream.type)
            object["store"] = .string(row.stream.store)
            for (name, count) in [
                ("added", row.added), ("updated", row.updated), ("deleted", row.deleted),
                ("quarantined", row.quarantined), ("waiting", row.waiting),
            ] {
                object[name] = .number(JSONNumber(count))
            }
            object["code"] = row.code.map { .string($0) }
            return .object(object)
        }
        return ["streams": .array(streams), "more": .bool(hasMore)]
    }
}
