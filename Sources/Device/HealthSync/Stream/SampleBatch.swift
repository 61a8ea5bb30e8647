import Foundation

/// One sample that may be sent to a store, without its content: the input of the rules.
public struct SampleCandidate: Sendable, Hashable {
    /// The result of the conversion of a sample.
    public enum Form: Sendable, Hashable {
        /// The resource, and the length of its JSON in bytes.
        case resource(target: HealthTarget, bytes: Int)
        /// The sample cannot be converted, for the reason in the stable code.
        case unconvertible(reason: String)
        /// The study does not ask for the sample.
        case unwanted
    }

    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// The end of the sample, in seconds since 1970.
    public let end: Double
    /// The result of its conversion.
    public let form: Form

    /// Creates a candidate. An end that is not finite is replaced by the earliest time.
    public init(uuid: UUID, end: Double, form: Form) {
        self.uuid = uuid
        self.end = end.isFinite ? end : -.greatestFiniteMagnitude
        self.form = form
    }

    var target: HealthTarget? { if case .resource(let target, _) = form { target } else { nil } }
    var bytes: Int { if case .resource(_, let bytes) = form { max(bytes, 0) } else { 0 } }
}

/// A batch of a source's changes or of its history.
public struct SampleBatch: Sendable, Hashable {
    /// The samples that were deleted.
    public var deleted: [UUID]
    /// The samples that were added.
    public var added: [SampleCandidate]
    /// The anchor after the batch; nil if the batch is not one of changes.
    public var anchor: HealthAnchor?
    /// Whether the source has more after the batch.
    public var hasMore: Bool

    /// Creates a batch.
    public init(
        deleted: [UUID] = [], added: [SampleCandidate] = [], anchor: HealthAnchor? = nil, hasMore: Bool = false
    ) {
        self.deleted = deleted
        self.added = added
        self.anchor = anchor
        self.hasMore = hasMore
    }
}

/// The resource of a sample, as recorded in the index of a stream.
public struct IndexEntry: Sendable, Hashable {
    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// The resource of the sample.
    public let target: HealthTarget

    /// Creates an entry.
    public init(uuid: UUID, target: HealthTarget) {
        self.uuid = uuid
        self.target = target
    }
}

/// The index entry of a sample.
public struct IndexedSample: Sendable, Hashable {
    /// The resource of the sample.
    public let target: HealthTarget
    /// The number of samples in the index that are this resource, including this one.
    public let count: Int

    /// Creates an entry.
    public init(target: HealthTarget, count: Int) {
        self.target = target
        self.count = count
    }
}

/// The remaining budget of a wake, in samples and in bytes of JSON.
public struct WakeBudget: Sendable, Hashable {
    /// Samples and deletions.
    public var samples: Int
    /// Bytes.
    public var bytes: Int
    /// Whether nothing was taken yet. A sample that is larger than the whole budget is then sent alone.
    public var isWhole: Bool

    /// Creates a budget of at least one sample and one byte.
    public init(samples: Int, bytes: Int, isWhole: Bool = true) {
        self.samples = max(samples, 1)
        self.bytes = max(bytes, 1)
        self.isWhole = isWhole
    }

    var isUsedUp: Bool { samples <= 0 || (bytes <= 0 && !isWhole) }

    mutating func take(samples: Int, bytes: Int) {
        self.samples -= samples
        self.bytes -= bytes
        if samples > 0 { isWhole = false }
    }
}
