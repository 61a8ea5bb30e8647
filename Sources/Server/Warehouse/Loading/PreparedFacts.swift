import Foundation
import Storage

/// The facts of a resource, ready to be written: made without the database.
struct PreparedFacts: Sendable {
    /// The resource's type and id.
    let ide: String
    var encounter: FactEncounter
    /// The number that instances are counted from.
    let firstInstance: Int
    var facts: [ObservationFact]
    /// As the visit of a resource has it that is an encounter of its own.
    let visitStatus: String
    /// Where it comes from, as the visit has it.
    let source: FactSource
    var start: SQLValue
    var end: SQLValue
    /// The modifier that says how the time is known; nil where it is when it was measured or answered.
    let timeSource: String?
    /// The time as it was written.
    var timeText: FactValue

    init(type: String, id: String, facts: [ObservationFact], time: FactTime, source: FactSource, isOfDay: Bool) {
        self.source = source
        ide = "\(type)/\(id)"
        self.facts = facts
        encounter = isOfDay ? .day(source, time.day) : .resource(ide)
        firstInstance = isOfDay ? FactInstance.base(ofResource: id) : 1
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

    /// How many numbers of instances the facts have; 0 for those that are their encounter's alone.
    var instanceCount: Int {
        switch encounter {
        case .resource: 0
        case .day: facts.reduce(0) { max($0, $1.instance) }
        }
    }
}
