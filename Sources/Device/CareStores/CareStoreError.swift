import Core

/// An error of the copy of a care plan on a device.
public struct CareStoreError: CodedError, Hashable {
    /// The kind; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file is not the copy of a care plan, or is damaged before its end.
        case storeDamaged = "care-store-damaged"
        /// The file is the copy of another patient's plan.
        case storeForeign = "care-store-foreign"
        /// The server asked to wait (`Retry-After`), and the time has not come.
        case syncDeferred = "sync-deferred"
        /// The answer of the server is not that of a care plan.
        case answerInvalid = "care-answer-invalid"
    }

    /// The kind.
    public let reason: Reason

    /// Creates an error of this kind.
    public init(_ reason: Reason) { self.reason = reason }

    public var code: String { reason.rawValue }

    public var message: String {
        switch reason {
        case .storeDamaged:
            "The file is not the copy of a care plan, or is damaged. Remove it; the next sync reads the plan again."
        case .storeForeign: "The file is the copy of another patient's care plan."
        case .syncDeferred: "The server asked to wait before the next request."
        case .answerInvalid: "The answer of the server is not that of a care plan."
        }
    }
}
