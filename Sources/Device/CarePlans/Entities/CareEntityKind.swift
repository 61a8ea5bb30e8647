/// The kind of an entity of a care plan. The raw value is the `type` of CareKit's JSON.
public enum CareEntityKind: String, Sendable, Hashable, CaseIterable {
    /// The person (`OCKPatient`).
    case patient
    /// A plan, which groups tasks and contacts (`OCKCarePlan`).
    case carePlan
    /// A member of the care team, a relative or a friend (`OCKContact`).
    case contact
    /// An activity with a schedule (`OCKTask`).
    case task
    /// An activity whose outcomes HealthKit has (`OCKHealthKitTask`). Its outcomes remain on the phone.
    case healthKitTask
    /// The values of one event of a task (`OCKOutcome`).
    case outcome

    /// The position of the kind in an order in which each entity follows those that it refers to.
    var rank: Int {
        switch self {
        case .patient: 0
        case .carePlan: 1
        case .contact: 2
        case .task: 3
        case .healthKitTask: 4
        case .outcome: 5
        }
    }
}
