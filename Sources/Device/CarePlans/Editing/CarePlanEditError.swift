import Core

/// The reason why a change of a care plan is refused before it is made.
///
/// The refusals do not apply to data that come from CareKit.
public enum CarePlanEditError: CodedError, Hashable {
    /// An entity is added with an id or a uuid that was used before, also if the entity was deleted.
    case idInUse(String)
    /// There is no entity with this id.
    case entityMissing(String)
    /// An entity is changed or deleted after its deletion.
    case updateAfterDeletion(String)
    /// The event already has a live outcome.
    case outcomeExists
    /// The event has no live outcome.
    case outcomeMissing
    /// The schedule of the task version has no event with this index.
    case occurrenceMissing(Int)
    /// A newer version of the task overshadows the event.
    case eventOvershadowed
    /// HealthKit has the outcomes of the task.
    case outcomeImpossible
    /// A new version of a task would overshadow events that have outcomes.
    case outcomesLost(String)
    /// The wall time or the day of the events would change over time; with the path of the element.
    case scheduleDrifts(String)
    /// The draft is not valid.
    case invalid(CarePlanError)

    public var code: String {
        switch self {
        case .idInUse: "id-in-use"
        case .entityMissing: "entity-missing"
        case .updateAfterDeletion: "update-after-deletion"
        case .outcomeExists: "outcome-exists"
        case .outcomeMissing: "outcome-missing"
        case .occurrenceMissing: "occurrence-missing"
        case .eventOvershadowed: "event-overshadowed"
        case .outcomeImpossible: "outcome-impossible"
        case .outcomesLost: "outcomes-lost"
        case .scheduleDrifts: "schedule-drifts"
        case .invalid(let error): error.code
        }
    }

    public var message: String {
        switch self {
        case .idInUse(let id): "The id '\(id)' was used before. A new entity needs a new id, also after a deletion."
        case .entityMissing(let id): "The plan has no entity with the id '\(id)'."
        case .updateAfterDeletion(let id): "The entity '\(id)' was deleted. Add a new one with a new id."
        case .outcomeExists: "The event already has an outcome. Update or remove it."
        case .outcomeMissing: "The event has no outcome."
        case .occurrenceMissing(let occurrence): "The task has no event with the index \(occurrence)."
        case .eventOvershadowed: "A newer version of the task overshadows the event."
        case .outcomeImpossible: "HealthKit has the outcomes of this task. They remain on the phone."
        case .outcomesLost(let id):
            "A recorded outcome of the task '\(id)' is at or after the date from which the change counts. Choose a later "
                + "effectiveDate, or remove the outcomes first."
        case .scheduleDrifts(let path):
            "Each event is computed from the one before it, so these events would drift: months and years need a start on "
                + "day 1 to 28, and the wall time must not be one that a clock change skips (\(path))."
        case .invalid(let error): error.message
        }
    }
}
