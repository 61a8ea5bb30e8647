import FHIR
import Foundation
import HealthData

/// Where health data come from: HealthKit, or a journal of the same.
///
/// A source reads and knows nothing of stores. It may be asked for the same again, and gives what it has then.
public protocol HealthSampleSource: Sendable {
    /// Whether changes may be read before their turn, while others go to their store: a file can be read at any time, HealthKit
    /// gives one answer after the other. Not, unless the source says so.
    var canBeReadAhead: Bool { get }

    /// The place behind everything that is there now; nil where the source has no such place, or nothing yet: then
    /// everything comes by ``changes(of:after:limit:)``, whatever its date. A journal, which has no order by date, has none.
    ///
    /// - Throws: ``HealthSourceError``.
    func position(of type: String) async throws -> HealthAnchor?

    /// What was added and deleted after an anchor, the oldest change first; nil begins with the first.
    ///
    /// What was added and deleted again may be told as both or as deleted.
    /// - Parameter limit: as many samples are added at most.
    /// - Throws: ``HealthSourceError``: `health-anchor-invalid` for an anchor that is not of this source.
    func changes(of type: String, after anchor: HealthAnchor?, limit: Int) async throws -> HealthChanges

    /// Samples that end at `upTo` or before and at `since` or later, the latest end first; nil is no bound. Times are
    /// seconds since 1970.
    ///
    /// - Throws: ``HealthSourceError``.
    func history(of type: String, since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage

    /// The samples of these identifiers that are still there.
    ///
    /// - Throws: ``HealthSourceError``.
    func samples(of type: String, _ uuids: [UUID]) async throws -> [HealthReading]

    /// Begins to tell of changes, also in the background, each time with new observers.
    ///
    /// - Returns: the types that cannot be observed, each with the reason (see ``HealthSourceError/delivery(_:_:)``).
    func startObserving(
        _ types: [String], _ wake: @escaping @Sendable (HealthWake) -> Void
    ) async -> [String: HealthSourceError]

    /// Tells of no changes any more.
    func stopObserving() async
}

extension HealthSampleSource {
    public var canBeReadAhead: Bool { false }
}

/// One sample as a source gives it.
public struct HealthReading: Sendable {
    /// The content of a sample.
    public enum Content: Sendable {
        /// A sample of the table of types.
        case sample(HealthSample)
        /// A record with a structure of its own.
        case special(any SpecialRecord)
        /// A sample of a type that the table does not know, for a converter of the app's own (``HealthConverter``).
        case other(JSON)
        /// A sample that cannot be read.
        case unreadable(SkipReason)
    }

    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// When it ended, in seconds since 1970.
    public let end: Double
    /// The content.
    public let content: Content

    /// Makes a reading of its parts.
    public init(uuid: UUID, end: Double, _ content: Content) {
        self.uuid = uuid
        self.end = end
        self.content = content
    }
}

/// What changed after an anchor.
public struct HealthChanges: Sendable {
    /// The samples that were deleted.
    public var deleted: [UUID]
    /// The samples that were added.
    public var added: [HealthReading]
    /// The place behind all of it.
    public var anchor: HealthAnchor?
    /// Whether there is more behind it.
    public var hasMore: Bool

    /// Makes changes of their parts.
    public init(
        deleted: [UUID] = [], added: [HealthReading] = [], anchor: HealthAnchor?, hasMore: Bool = false
    ) {
        self.deleted = deleted
        self.added = added
        self.anchor = anchor
        self.hasMore = hasMore
    }
}

/// A part of what was there before.
public struct HealthPage: Sendable {
    /// The samples, the latest end first.
    public var samples: [HealthReading]
    /// Whether there are older ones.
    public var hasMore: Bool

    /// Makes a page of its parts.
    public init(_ samples: [HealthReading], hasMore: Bool) {
        self.samples = samples
        self.hasMore = hasMore
    }
}

/// A wake: an observer tells that something changed, and waits for its completion handler to be called.
public struct HealthWake: Sendable {
    /// The types that changed, as they were observed; nil for all.
    public let types: Set<String>?
    /// Why the observer failed; nil where it did not.
    public let failure: HealthSourceError?
    /// HealthKit's completion handler. It is called once, whatever comes of the wake.
    public let complete: @Sendable () -> Void

    /// Makes a wake of its parts.
    public init(
        types: Set<String>?, failure: HealthSourceError? = nil, complete: @escaping @Sendable () -> Void = {}
    ) {
        self.types = types
        self.failure = failure
        self.complete = complete
    }
}

/// Why a source cannot be read.
public struct HealthSourceError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The phone is locked: its health data are encrypted. This is no fault.
        case locked = "health-source-locked"
        /// The anchor is not of this source, or of what it was before.
        case anchorInvalid = "health-anchor-invalid"
        /// The person was not asked yet.
        case notAuthorized = "health-not-authorized"
        /// The source does not know the type.
        case typeUnknown = "health-type-unknown"
        /// The device has no health data.
        case unavailable = "health-unavailable"
        /// The system will not wake the app for the type.
        case deliveryRefused = "health-delivery-refused"
        /// Another failure.
        case failed = "health-source-failed"
    }

    /// The kind.
    public let reason: Reason

    /// Makes an error of a kind.
    public init(_ reason: Reason) { self.reason = reason }

    /// The stable code.
    public var code: String { reason.rawValue }

    /// A sentence that a person can act on.
    public var message: String {
        switch reason {
        case .locked: "The phone is locked; health data are read when it is unlocked."
        case .anchorInvalid: "The source does not know the place where it stopped; reset the stream to read it anew."
        case .notAuthorized: "The person was not asked yet whether this type may be read."
        case .typeUnknown: "The source knows no such type of health data."
        case .unavailable: "This device has no health data."
        case .deliveryRefused: "The system will not wake the app for this type; runs by hand read it."
        case .failed: "The health data could not be read; the next wake tries again."
        }
    }

    /// What an answer to asking for background delivery means: without success there is none, with an error or without.
    public static func delivery(_ success: Bool, _ error: (any Error)?) -> HealthSourceError? {
        guard !success || error != nil else { return nil }
        return error as? HealthSourceError ?? HealthSourceError(.deliveryRefused)
    }
}
