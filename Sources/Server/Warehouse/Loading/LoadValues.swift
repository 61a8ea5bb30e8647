import Foundation

/// What the loader must know beside the resource.
public struct LoadContext: Sendable {
    /// The participant's Patient id.
    public let subject: String
    public let submissionID: String
    /// When the submission came: the time of last resort, and the facts' `update_date`.
    public let receivedAt: Date
    /// The facts' `import_date`.
    public let loadedAt: Date

    public init(subject: String, submissionID: String, receivedAt: Date, loadedAt: Date) {
        self.subject = subject
        self.submissionID = submissionID
        self.receivedAt = receivedAt
        self.loadedAt = loadedAt
    }
}

/// What loading a resource did.
public struct LoadReport: Sendable, Hashable {
    /// Facts without their modifiers.
    public let facts: Int
    /// Whether a newer version was loaded before, so that nothing was done.
    public let isOutdated: Bool
}

/// What undoing an upload removed.
public struct UndoReport: Sendable, Hashable {
    /// Facts without their modifiers.
    public let facts: Int
}
