import Foundation
import Storage

/// The facts of a resource, ready to be written, made without the database.
struct PreparedFacts: Sendable {
    /// The resource's type and id.
    let ide: String
    var encounter: FactEncounter
    /// The number from which instances are counted.
    let firstInstance: Int
    var facts: [ObservationFact]
    /// The status of the visit of a resource that is an encounter of its own.
    let visitStatus: String
    /// The source of the resource, for the visit.
    let source: FactSource
    var start: SQLValue
    var end: SQLValue
    /// The modifier for the source of the time; nil if it is the time of measurement or of answering.
    let timeSource: String?
    /// The time as written.
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

    /// The number of rows: the facts, with the modifiers of their time, of values as sent, and of warnings.
    var rowCount: Int {
        let each = timeSource == nil ? 1 : 2
        return facts.reduce(0) { $0 + each + ($1.original == nil ? 0 : 1) + ($1.warning == nil ? 0 : 1) }
    }

    /// The number of instance numbers of the facts; 0 if the encounter contains only these facts.
    var instanceCount: Int {
        switch encounter {
        case .resource: 0
        case .day: facts.reduce(0) { max($0, $1.instance) }
        }
    }
}
