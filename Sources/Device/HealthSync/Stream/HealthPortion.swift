import Foundation

/// One sample that could go to a store, without its content: what the rules decide by.
public struct HealthOffer: Sendable, Hashable {
    /// What conversion made of the sample.
    public enum Form: Sendable, Hashable {
        /// The resource that it is, and the length of its JSON in bytes.
        case resource(target: HealthTarget, bytes: Int)
        /// It cannot be converted; the stable code says why.
        case unconvertible(reason: String)
        /// It is none of what the study asks for.
        case unwanted
    }

    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// When it ended, in seconds since 1970.
    public let end: Double
    /// What conversion made of it.
    public let form: Form

    /// Makes an offer of its parts. An end that is no number is taken for the earliest of all.
    public init(uuid: UUID, end: Double, form: Form) {
        self.uuid = uuid
        self.end = end.isFinite ? end : -.greatestFiniteMagnitude
        self.form = form
    }

    var target: HealthTarget? { if case .resource(let target, _) = form { target } else { nil } }
    var bytes: Int { if case .resource(_, let bytes) = form { max(bytes, 0) } else { 0 } }
}

/// A part of a source's changes or of its history.
public struct HealthPortion: Sendable, Hashable {
    /// The samples that were deleted.
    public var deleted: [UUID]
    /// The samples that were added.
    public var added: [HealthOffer]
    /// The place behind it; nil where the portion is none of changes.
    public var anchor: HealthAnchor?
    /// Whether the source has more behind it.
    public var hasMore: Bool

    /// Makes a portion of its parts.
    public init(
        deleted: [UUID] = [], added: [HealthOffer] = [], anchor: HealthAnchor? = nil, hasMore: Bool = false
    ) {
        self.deleted = deleted
        self.added = added
        self.anchor = anchor
        self.hasMore = hasMore
    }
}

/// Which resource a sample is: what the index of a stream notes of it.
public struct HealthNote: Sendable, Hashable {
    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// The resource that it is.
    public let target: HealthTarget

    /// Makes a note.
    public init(uuid: UUID, target: HealthTarget) {
        self.uuid = uuid
        self.target = target
    }
}

/// What the index of a stream knows of a sample.
public struct IndexedSample: Sendable, Hashable {
    /// The resource that it is.
    public let target: HealthTarget
    /// How many samples of the index are this resource, with this one.
    public let count: Int

    /// Makes an entry.
    public init(target: HealthTarget, count: Int) {
        self.target = target
        self.count = count
    }
}

/// The work that is left of a wake, in samples and in bytes of JSON.
public struct HealthRoom: Sendable, Hashable {
    /// Samples and deletions.
    public var samples: Int
    /// Bytes.
    public var bytes: Int
    /// Whether nothing was done yet: a sample that is larger than all the room goes alone then.
    public var isWhole: Bool

    /// Makes room; at least one sample fits.
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
