import FHIR

/// The result of a run, for the app and for monitoring: counts and stable codes, no health data.
public struct HealthSyncReport: Sendable, Hashable {
    /// The result of one stream.
    public struct Row: Sendable, Hashable {
        /// The stream.
        public let stream: HealthStream
        /// Samples that the store stored and did not have before.
        public var added = 0
        /// Samples that the store stored and had before.
        public var updated = 0
        /// Deleted samples. Their resources are deleted in the store, unless another sample is the same resource.
        public var deleted = 0
        /// Samples that were quarantined in this run.
        public var quarantined = 0
        /// Samples that the app declined, or that the study does not ask for.
        public var declined = 0
        /// Samples that were read and are not settled. Samples that were not read are not counted.
        public var waiting = 0
        /// The stable code of the reason that the store deferred samples or that the stream is stopped; nil if there is
        /// none.
        public var code: String?
    }

    /// The streams with a result, in order.
    public internal(set) var rows: [Row] = []
    /// Whether there is more to do, now or when the store can take it.
    public internal(set) var hasMore = false
    /// Whether the source could not be read because the phone was locked. This is no error.
    public internal(set) var isLocked = false
    /// The reason that the run was not performed or not completed: `time-over`, `stopped`, `abandoned`; nil if it
    /// completed.
    public internal(set) var code: String?

    init(code: String? = nil) { self.code = code }

    /// Whether a store failed or a stream is stopped by an error.
    public var hasFailed: Bool { rows.contains { $0.code != nil } }

    mutating func change(_ stream: HealthStream, _ change: (inout Row) -> Void) {
        if let index = rows.firstIndex(where: { $0.stream == stream }) {
            change(&rows[index])
        } else {
            var row = Row(stream: stream)
            change(&row)
            let index = rows.firstIndex { $0.stream > stream } ?? rows.count
            rows.insert(row, at: index)
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

    /// `{"streams":[{type,store,added,updated,deleted,quarantined,waiting}],"more":bool}`; a stream with an error also
    /// has its `code`.
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
