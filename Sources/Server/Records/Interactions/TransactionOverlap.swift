import FHIR

/// The resources that a transaction writes, compared with what its searches ask for: no resource may be meant by two entries
/// (<https://hl7.org/fhir/R4/http.html#trules>).
struct TransactionOverlap {
    private let plans: [PlannedWrite]
    private let planner: WritePlanner
    /// Indices of the plans that write a resource, by its type.
    private let written: [String: [Int]]
    /// What searches find the resources by, as far as it was asked.
    private var values: [Int: SearchValues] = [:]

    init(_ plans: [PlannedWrite], _ planner: WritePlanner) {
        self.plans = plans
        self.planner = planner
        written = Dictionary(
            grouping: plans.indices.filter { plans[$0].resource != nil && !plans[$0].isSettled },
            by: { plans[$0].request.type })
    }

    /// The ids of a type's resources that the transaction writes or deletes: what is stored of them is not what will be.
    func changedIDs(ofType type: String) -> Set<String> {
        Set(
            plans.lazy.filter { plan in
                plan.request.type == type && (plan.request.isDeletion || plan.resource != nil && !plan.isSettled)
            }.map(\.id))
    }

    /// The ids of the resources that the transaction writes and that criteria find.
    ///
    /// - Parameter skipped: the index of a plan that is not looked at.
    /// - Throws: ``WriteRefusal`` where that cannot be decided by the resources alone.
    mutating func ids(
        ofType type: String, _ criteria: CriteriaReading, for plan: PlannedWrite, skipping skipped: Int? = nil
    ) throws -> [String] {
        var ids: [String] = []
        for index in written[type] ?? [] where index != skipped {
            guard let resource = plans[index].resource, let values = values(of: resource, at: index) else { continue }
            let matches = criteria.matches(values)
            guard matches != false, planner.isFound(resource, as: plans[index].id) else { continue }
            guard matches == true else { throw WriteRefusal(.criteriaUndecidable, plan.target) }
            ids.append(plans[index].id)
        }
        return ids
    }

    private mutating func values(of resource: Resource, at index: Int) -> SearchValues? {
        if let known = values[index] { return known }
        let made = SearchValues(of: resource)
        values[index] = made
        return made
    }

    /// - Throws: ``WriteRefusal`` where two entries mean one resource.
    mutating func requireDistinct() throws {
        var seen: Set<String> = []
        for (place, plan) in plans.enumerated() {
            try WriteRefusal.placed(place, of: plans.count) {
                if let criteria = plan.request.criteria {
                    // Nothing is written where a resource is there already, or none to delete.
                    if plan.isSettled { return }
                    if plan.matches?.isEmpty == true {
                        // Neither finds what the other one makes.
                        let text = criteria.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
                        guard seen.insert("\(plan.request.type)?\(text)").inserted else {
                            throw WriteRefusal(.namedTwice, plan.target)
                        }
                    }
                    if !plan.request.isDeletion, let reading = plan.criteria {
                        let others = try ids(ofType: plan.request.type, reading, for: plan, skipping: place)
                        guard others.isEmpty else { throw WriteRefusal(.namedTwice, plan.target) }
                    }
                }
                guard seen.insert("\(plan.request.type)/\(plan.id)").inserted else {
                    throw WriteRefusal(.namedTwice, plan.target)
                }
            }
        }
    }
}
