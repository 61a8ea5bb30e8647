import Foundation

/// The context of a load, which the loader needs beside the resource.
public struct LoadContext: Sendable {
    /// The participant's Patient id.
    public let subject: String
    public let submissionID: String
    /// When the submission came: the time of last resort, and the facts' `update_date`.
    public let receivedAt: Date
    /// The facts' `import_date`.
    public let loadedAt: Date
    /// The participant's name in i2b2.
    private(set) var name: String
    /// By so many days all dates of the participant are moved in i2b2.
    private(set) var shiftDays = 0
    private(set) var freeText = Deidentification.FreeText.kept

    public init(subject: String, submissionID: String, receivedAt: Date, loadedAt: Date) {
        self.subject = subject
        self.submissionID = submissionID
        self.receivedAt = receivedAt
        self.loadedAt = loadedAt
        name = subject
    }

    /// The same by the rules of the store that is loaded into.
    func applying(_ rules: AppliedDeidentification) -> LoadContext {
        var context = self
        context.name = rules.name(of: subject)
        context.shiftDays = rules.shift(of: subject)
        context.freeText = rules.rules.freeText
        return context
    }

    /// When the submission came, as i2b2's tables have it.
    var receipt: Date { receivedAt.addingTimeInterval(Double(shiftDays) * 86_400) }
    /// When it is loaded, as i2b2's tables have it: it tells nearly as much.
    var load: Date { loadedAt.addingTimeInterval(Double(shiftDays) * 86_400) }
}

/// A warning that something could not be kept as it should be. The raw value is a stable code.
public enum LoadWarning: String, Sendable, Hashable, CaseIterable {
    /// A number does not fit i2b2's column, decimal(18,5); it is kept as text, which no number query finds.
    case numberOutOfRange = "number-out-of-range"
    /// A number's unit cannot be brought into that of its concept; it is kept with its unit as text.
    case unitNotConvertible = "unit-not-convertible"
}

/// The result of loading a resource.
public struct LoadReport: Sendable, Hashable {
    /// Facts without their modifiers.
    public let facts: Int
    /// Whether something else is the present of the resource, so that no fact was written.
    public let isOutdated: Bool
    /// In the order of their codes.
    public let warnings: [LoadWarning]

    init(facts: Int = 0, isOutdated: Bool = false, warnings: Set<LoadWarning> = []) {
        self.facts = facts
        self.isOutdated = isOutdated
        self.warnings = warnings.sorted { $0.rawValue < $1.rawValue }
    }
}

/// The result of undoing an upload: the facts that were removed.
public struct UndoReport: Sendable, Hashable {
    /// Facts without their modifiers.
    public let facts: Int
}
