import Core

/// The outcomes of a device's submissions: the response of `GET /deliveries?after=CURSOR`.
public struct DeliveriesPage: JSONMessage, Encodable, Sendable, Hashable {
    /// The latest status of one submission.
    public struct Delivery: JSONMessage, Encodable, Sendable, Hashable {
        /// The submission's id.
        public var submission: String
        /// `received`, `stored`, `held` or `refused`; text, so that a device accepts the status values of a later
        /// server.
        public var status: String
        /// Time of this status, ISO 8601, UTC.
        public var at: String
        /// A stable code that reveals nothing about the data.
        public var reason: String?

        /// Creates an entry.
        public init(submission: String, status: String, at: String, reason: String? = nil) {
            self.submission = submission
            self.status = status
            self.at = at
            self.reason = reason
        }

        public init?(json: JSON) {
            guard let submission = json["submission"]?.string, let status = json["status"]?.string,
                let at = json["at"]?.string, let reason = json.optional("reason", \.string)
            else { return nil }
            self.init(submission: submission, status: status, at: at, reason: reason)
        }
    }

    /// A range of sequence numbers of the device that were not received, although a later number was.
    public struct Missing: JSONMessage, Encodable, Sendable, Hashable {
        /// The first missing number (``SubmissionHeader/sequence``).
        public var from: Int64
        /// The last missing number.
        public var to: Int64
        /// Time at which the next number was received, ISO 8601, UTC.
        public var since: String

        /// Creates an entry.
        public init(from: Int64, to: Int64, since: String) {
            self.from = from
            self.to = to
            self.since = since
        }

        public init?(json: JSON) {
            guard let from = json["from"]?.integer, let to = json["to"]?.integer, from >= 1, from <= to,
                let since = json["since"]?.string
            else { return nil }
            self.init(from: Int64(from), to: Int64(to), since: since)
        }
    }

    /// The changes after the cursor, oldest first.
    public var deliveries: [Delivery]
    /// The cursor for the next request, opaque; the cursor of the request if there are no changes.
    public var next: String
    /// Identifies the lifetime of the server's store: it changes when the store is restored from a backup. A device
    /// that sees a change requests the pages again from the beginning. `nil` from older servers.
    public var epoch: Int64?
    /// The missing ranges, on the last page; `nil` on others and from older servers.
    public var missing: [Missing]?

    /// Creates a page.
    public init(deliveries: [Delivery], next: String, epoch: Int64? = nil, missing: [Missing]? = nil) {
        self.missing = missing
        self.deliveries = deliveries
        self.next = next
        self.epoch = epoch
    }

    public init?(json: JSON) {
        guard let rows = json["deliveries"]?.array, let next = json["next"]?.string,
            let epoch = json.optional("epoch", \.integer)
        else { return nil }
        let deliveries = rows.compactMap { Delivery(json: $0) }
        guard deliveries.count == rows.count else { return nil }
        // An unreadable entry is ignored; the page is still valid.
        let missing = json["missing"]?.array.map { $0.compactMap { Missing(json: $0) } }
        self.init(deliveries: deliveries, next: next, epoch: epoch.map(Int64.init), missing: missing)
    }
}
