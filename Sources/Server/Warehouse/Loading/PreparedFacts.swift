import Foundation
import Storage

/// The facts of a resource, ready to be written: made without the database.
struct PreparedFacts: Sendable {
    /// The resource's type and id, which name its encounter.
    let ide: String
    var facts: [ObservationFact]
    let visitStatus: String
    /// Where it comes from, as the visit has it.
    let source: String
    var start: SQLValue
    var end: SQLValue
    /// The modifier that says how the time is known; nil where it is when it was measured or answered.
    let timeSource: String?
    /// The time as it was written.
    var timeText: FactValue

    init(ide: String, facts: [ObservationFact], time: FactTime, source: FactSource) {
        self.source = source.rawValue
        self.ide = ide
        self.facts = facts
        visitStatus = time.visitStatus
        start = WarehouseTime.value(time.start)
        end = time.end.map { WarehouseTime.value($0) } ?? start
        timeSource = time.source.hasModifier ? time.source.rawValue : nil
        timeText = .text(time.text ?? "@")
    }

    /// Rows of the facts, with the modifiers of their time, of what was sent and of what could not be kept.
    var rowCount: Int {
        let each = timeSource == nil ? 1 : 2
        return facts.reduce(0) { $0 + each + ($1.original == nil ? 0 : 1) + ($1.warning == nil ? 0 : 1) }
    }
}
