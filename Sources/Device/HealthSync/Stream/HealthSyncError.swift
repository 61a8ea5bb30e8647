import FHIR

/// An error of the synchronization. The message contains no health data.
public struct HealthSyncError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The saved state of a stream is malformed or truncated.
        case stateDamaged = "health-state-damaged"
        /// The saved state was written by a newer version.
        case stateNewer = "health-state-newer"
        /// The saved state belongs to another stream.
        case stateForeign = "health-state-foreign"
        /// The index of a stream is malformed or was changed.
        case indexDamaged = "health-index-damaged"
        /// The saved state or the index cannot be read or written.
        case storageFailed = "health-storage-failed"
        /// The source does not know the anchor.
        case anchorInvalid = "health-anchor-invalid"
        /// The source returned more samples than the limit.
        case sourceExceedsLimit = "health-source-exceeds-limit"
        /// The source reports more data but returns the same again.
        case sourceRepeats = "health-source-repeats"
        /// More samples end at one instant than can be recorded.
        case historyCrowded = "health-history-crowded"
        /// The quarantine has no room for another deletion; the stream waits.
        case quarantineFull = "health-quarantine-full"
        /// There is no store with this name.
        case storeUnknown = "health-store-unknown"
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
        case .stateDamaged: "The saved state of a health data stream is damaged; reset the stream to read it again."
        case .stateNewer: "The saved state of a health data stream was written by a newer version; update the app."
        case .stateForeign: "The saved state belongs to another health data stream; reset the stream to read it again."
        case .indexDamaged: "The index of a health data stream is damaged; reset the stream to read it again."
        case .storageFailed: "The progress of the synchronization cannot be read or written; is the disk full?"
        case .anchorInvalid: "The source does not know the stored anchor; reset the stream to read it again."
        case .sourceExceedsLimit: "The source returned more samples than the limit; none of them was used."
        case .sourceRepeats: "The source reports more data but returns the same again."
        case .historyCrowded: "More samples end at one instant than can be recorded; the history stops there."
        case .quarantineFull: "The store refused too many deletions and the stream waits; see their reasons."
        case .storeUnknown: "There is no store of this name; add it before its types are synchronized."
        }
    }
}
