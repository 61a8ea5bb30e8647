import FHIR

/// An error of the synchronisation. The message holds no health data.
public struct HealthSyncError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The kept state of a stream is no such state, or was cut.
        case stateDamaged = "health-state-damaged"
        /// The kept state was written by a newer version.
        case stateNewer = "health-state-newer"
        /// The kept state is that of another stream.
        case stateForeign = "health-state-foreign"
        /// The index of a stream is no such file, or was changed.
        case indexDamaged = "health-index-damaged"
        /// What is kept cannot be read or written.
        case storageFailed = "health-storage-failed"
        /// The source does not know the anchor.
        case anchorInvalid = "health-anchor-invalid"
        /// The source gave more than it was asked for.
        case sourceExceedsLimit = "health-source-exceeds-limit"
        /// The source says that there is more and gives the same again.
        case sourceRepeats = "health-source-repeats"
        /// More samples end at one instant than can be noted.
        case historyCrowded = "health-history-crowded"
        /// No further deletion can be set aside; the stream waits.
        case quarantineFull = "health-quarantine-full"
        /// There is no store of the name.
        case storeUnknown = "health-store-unknown"
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
        case .stateDamaged: "What was kept of a stream of health data is damaged; reset the stream to read it anew."
        case .stateNewer: "What was kept of a stream of health data was written by a newer version; update the app."
        case .stateForeign: "What was kept is that of another stream of health data; reset the stream to read it anew."
        case .indexDamaged: "The index of a stream of health data is damaged; reset the stream to read it anew."
        case .storageFailed: "The progress of the synchronisation cannot be read or written; is the disk full?"
        case .anchorInvalid: "The source does not know the place where it stopped; reset the stream to read it anew."
        case .sourceExceedsLimit: "The source gave more samples than it was asked for; nothing of them was taken."
        case .sourceRepeats: "The source says that there is more, and gives the same again."
        case .historyCrowded: "More samples end at one instant than can be told apart; the history stands there."
        case .quarantineFull: "The store refuses so many deletions that the stream waits; see what it says of them."
        case .storeUnknown: "There is no store of this name; add it before its types are synchronised."
        }
    }
}
