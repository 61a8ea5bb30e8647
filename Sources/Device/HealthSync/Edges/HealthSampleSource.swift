import FHIR
import Foundation
import HealthData

/// A source of health data: HealthKit, or a journal of health data.
///
/// A source only reads and does not depend on stores. The same data may be requested again; the source returns what it
/// has at that time.
public protocol HealthSampleSource: Sendable {
    /// Returns the anchor after all present data; nil if the source has no such anchor, or no data yet. After nil, all
    /// data are read by ``changes(of:after:limit:)``, whatever their date. A journal is not ordered by date and has no
    /// such anchor.
    ///
    /// - Throws: ``HealthSourceError``.
    func position(of type: String) async throws -> HealthAnchor?

    /// Returns the samples that were added and deleted after an anchor, the oldest change first; nil begins with the
    /// first change.
    ///
    /// A sample that was added and then deleted may be returned as both or as deleted.
    /// - Parameter limit: the maximum number of added samples.
    /// - Throws: ``HealthSourceError``: `health-anchor-invalid` for an anchor of another source.
    func changes(of type: String, after anchor: HealthAnchor?, limit: Int) async throws -> HealthChanges

    /// Returns samples that end at `upTo` or before and at `since` or later, the latest end first; nil is no bound.
    /// Times are seconds since 1970.
    ///
    /// - Throws: ``HealthSourceError``.
    func history(of type: String, since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage

    /// Returns the samples with these identifiers that still exist.
    ///
    /// - Throws: ``HealthSourceError``.
    func samples(of type: String, _ uuids: [UUID]) async throws -> [HealthReading]

    /// Starts to report changes, also in the background. Each call makes new observers.
    ///
    /// - Returns: the types that cannot be observed, each with the reason (see ``HealthSourceError/delivery(_:_:)``).
    func startObserving(
        _ types: [String], _ wake: @escaping @Sendable (ObserverUpdate) -> Void
    ) async -> [String: HealthSourceError]

    /// Stops reporting changes.
    func stopObserving() async
}

/// One sample as a source returns it.
public struct HealthReading: Sendable {
    /// The content of a sample.
    public enum Content: Sendable {
        /// A sample of a type in the table of types.
        case sample(HealthSample)
        /// A record with a structure of its own.
        case special(any SpecialRecord)
        /// A sample of a type that is not in the table, for a converter of the app's own (``HealthConverter``).
        case other(JSON)
        /// A sample that cannot be read.
        case unreadable(SkipReason)
    }

    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// The end of the sample, in seconds since 1970.
    public let end: Double
    /// The content.
    public let content: Content

    /// Creates a reading.
    public init(uuid: UUID, end: Double, _ content: Content) {
        self.uuid = uuid
        self.end = end
        self.content = content
    }
}

/// The changes after an anchor.
public struct HealthChanges: Sendable {
    /// The samples that were deleted.
    public var deleted: [UUID]
    /// The samples that were added.
    public var added: [HealthReading]
    /// The anchor after these changes.
    public var anchor: HealthAnchor?
    /// Whether there are more changes after this anchor.
    public var hasMore: Bool

    /// Creates changes.
    public init(
        deleted: [UUID] = [], added: [HealthReading] = [], anchor: HealthAnchor?, hasMore: Bool = false
    ) {
        self.deleted = deleted
        self.added = added
        self.anchor = anchor
        self.hasMore = hasMore
    }
}

/// A page of the history: samples from before the stream began.
public struct HealthPage: Sendable {
    /// The samples, the latest end first.
    public var samples: [HealthReading]
    /// Whether there are older samples.
    public var hasMore: Bool

    /// Creates a page.
    public init(_ samples: [HealthReading], hasMore: Bool) {
        self.samples = samples
        self.hasMore = hasMore
    }
}

/// An observer reports a change, and waits until its completion handler is called.
public struct ObserverUpdate: Sendable {
    /// The types that changed, as they were observed; nil for all.
    public let types: Set<String>?
    /// The reason that the observer failed; nil on success.
    public let failure: HealthSourceError?
    /// HealthKit's completion handler. It is called once, whatever the result of the wake.
    public let complete: @Sendable () -> Void

    /// Creates an update.
    public init(
        types: Set<String>?, failure: HealthSourceError? = nil, complete: @escaping @Sendable () -> Void = {}
    ) {
        self.types = types
        self.failure = failure
        self.complete = complete
    }
}

/// An error of a source that cannot be read.
public struct HealthSourceError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The phone is locked, so its health data are encrypted. This is an expected state.
        case locked = "health-source-locked"
        /// The anchor belongs to another source, or to an earlier state of this one.
        case anchorInvalid = "health-anchor-invalid"
        /// The person was not asked for access yet.
        case notAuthorized = "health-not-authorized"
        /// The source does not support the type.
        case typeUnknown = "health-type-unknown"
        /// The device has no health data.
        case unavailable = "health-unavailable"
        /// The system does not wake the app for the type.
        case deliveryRefused = "health-delivery-refused"
        /// Another failure.
        case failed = "health-source-failed"
    }

    /// The kind.
    public let reason: Reason

    /// Creates an error of a kind.
    public init(_ reason: Reason) { self.reason = reason }

    /// The stable code.
    public var code: String { reason.rawValue }

    /// A sentence that a person can act on.
    public var message: String {
        switch reason {
        case .locked: "The phone is locked; health data are read when it is unlocked."
        case .anchorInvalid: "The source does not know the stored anchor; reset the stream to read it again."
        case .notAuthorized: "The person was not asked yet whether this type may be read."
        case .typeUnknown: "The source does not support this type of health data."
        case .unavailable: "This device has no health data."
        case .deliveryRefused: "The system does not wake the app for this type; it is read only in manual runs."
        case .failed: "The health data could not be read; the next wake tries again."
        }
    }

    /// Returns the error of a request for background delivery. Without success there is no delivery, even without an
    /// error.
    public static func delivery(_ success: Bool, _ error: (any Error)?) -> HealthSourceError? {
        guard !success || error != nil else { return nil }
        return error as? HealthSourceError ?? HealthSourceError(.deliveryRefused)
    }
}
