import Core

/// The outcomes of a device's submissions: the answer of `GET /deliveries?after=CURSOR`.
public struct DeliveriesPage: JSONMessage, Encodable, Sendable, Hashable {
    /// One submission at its newest change.
    public struct Delivery: JSONMessage, Encodable, Sendable, Hashable {
        /// The submission's id.
        public var submission: String
        /// `received`, `stored`, `held` or `refused`; text, so that a later server's word does not break a device.
        public var status: String
        /// When it became so, ISO 8601, UTC.
        public var at: String
        /// A stable code that reveals nothing about the data.
        public var reason: String?

        /// Makes one entry.
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

    /// Numbers of the device that never came, though a later one did.
    public struct Missing: JSONMessage, Encodable, Sendable, Hashable {
        /// The first of them (``SubmissionHeader/sequence``).
        public var from: Int64
        /// The last.
        public var to: Int64
        /// When what followed came, ISO 8601, UTC.
        public var since: String

        /// Makes one entry.
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
    /// The cursor for the next request, opaque; the same as the one sent when there is nothing new.
    public var next: String
    /// Which life of the server's store this is: another number after it was restored from a backup. A device that
    /// sees it change asks again from the beginning. `nil` from older servers.
    public var epoch: Int64?
    /// What never came, on the last page; `nil` on others and from older servers.
    public var missing: [Missing]?

    /// Makes a page.
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
        // What cannot be read of it tells nothing, and the page is good all the same.
        let missing = json["missing"]?.array.map { $0.compactMap { Missing(json: $0) } }
        self.init(deliveries: deliveries, next: next, epoch: epoch.map(Int64.init), missing: missing)
    }
}
