import Foundation

/// The values of a load that the loader needs in addition to the resource.
package struct LoadContext: Sendable {
    /// The participant's Patient id.
    package let subject: String
    package let submissionID: String
    /// The time of receipt of the submission. It is the fallback for a fact's time, and the facts' `update_date`.
    package let receivedAt: Date
    /// The facts' `import_date`.
    package let loadedAt: Date
    /// The participant's name in i2b2.
    private(set) var name: String
    /// The number of days by which all dates of the participant are moved in i2b2.
    private(set) var shiftDays = 0
    private(set) var freeText = Deidentification.FreeText.kept

    package init(subject: String, submissionID: String, receivedAt: Date, loadedAt: Date) {
        self.subject = subject
        self.submissionID = submissionID
        self.receivedAt = receivedAt
        self.loadedAt = loadedAt
        name = subject
    }

    /// Returns the context with the rules of the target store.
    func applying(_ rules: AppliedDeidentification) -> LoadContext {
        var context = self
        context.name = rules.name(of: subject)
        context.shiftDays = rules.shift(of: subject)
        context.freeText = rules.rules.freeText
        return context
    }

    /// The time of receipt in i2b2's tables.
    var receipt: Date { receivedAt.addingTimeInterval(Double(shiftDays) * 86_400) }
    /// The time of loading in i2b2's tables. It is moved too, because it is close to the time of receipt.
    var load: Date { loadedAt.addingTimeInterval(Double(shiftDays) * 86_400) }
}

/// A warning that a value could not be stored as intended. The raw value is a stable code.
package enum LoadWarning: String, Sendable, Hashable, CaseIterable {
    /// A number does not fit i2b2's column, decimal(18,5). It is stored as text, which no numeric query finds.
    case numberOutOfRange = "number-out-of-range"
    /// A number's unit cannot be converted to that of its concept. It is stored with its unit as text.
    case unitNotConvertible = "unit-not-convertible"
}

/// The result of loading a resource.
package struct LoadReport: Sendable, Hashable {
    /// The number of facts, without their modifiers.
    package let facts: Int
    /// Whether another version of the resource is the present one, so that no fact was written.
    package let isOutdated: Bool
    /// The warnings, sorted by code.
    package let warnings: [LoadWarning]

    init(facts: Int = 0, isOutdated: Bool = false, warnings: Set<LoadWarning> = []) {
        self.facts = facts
        self.isOutdated = isOutdated
        self.warnings = warnings.sorted { $0.rawValue < $1.rawValue }
    }
}

/// The result of undoing an upload: the facts that were removed.
package struct UndoReport: Sendable, Hashable {
    /// The number of facts, without their modifiers.
    package let facts: Int
}
