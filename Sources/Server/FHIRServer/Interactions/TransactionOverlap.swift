import FHIR
import FHIRSearch

/// The resources that a transaction writes, compared with its searches: no two entries may identify the same resource
/// (<https://hl7.org/fhir/R4/http.html#trules>).
struct TransactionOverlap {
    private let plans: [PlannedWrite]
    private let planner: WritePlanner
    /// Indices of the plans that write a resource, by its type.
    private let written: [String: [Int]]
    /// The search values of the resources, computed when needed.
    private var values: [Int: SearchValues] = [:]

    init(_ plans: [PlannedWrite], _ planner: WritePlanner) {
        self.plans = plans
        self.planner = planner
        written = Dictionary(
            grouping: plans.indices.filter { plans[$0].resource != nil && !plans[$0].isSettled },
            by: { plans[$0].request.type })
    }

    /// Returns the ids of a type's resources that the transaction writes or deletes: their stored versions are
    /// outdated.
    func changedIDs(ofType type: String) -> Set<String> {
        Set(
            plans.lazy.filter { plan in
                plan.request.type == type && (plan.request.isDeletion || plan.resource != nil && !plan.isSettled)
            }.map(\.id))
    }

    /// Returns the ids of the resources that the transaction writes and that match criteria.
    ///
    /// - Parameter skipped: the index of a plan to skip.
    /// - Throws: ``WriteRefusal`` where the resources alone cannot decide it.
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
        let made = SearchValues(indexing: resource)
        values[index] = made
        return made
    }

    /// - Throws: ``WriteRefusal`` where two entries identify the same resource.
    mutating func requireDistinct() throws {
        var seen: Set<String> = []
        for (index, plan) in plans.enumerated() {
            try WriteRefusal.withIndex(index, of: plans.count) {
                if let criteria = plan.request.criteria {
                    // Nothing is written where the resource exists already, or there is none to delete.
                    if plan.isSettled { return }
                    if plan.matches?.isEmpty == true {
                        // Neither search finds the resource of the other entry, so their criteria are compared.
                        let text = criteria.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
                        guard seen.insert("\(plan.request.type)?\(text)").inserted else {
                            throw WriteRefusal(.namedTwice, plan.target)
                        }
                    }
                    if !plan.request.isDeletion, let reading = plan.criteria {
                        let others = try ids(ofType: plan.request.type, reading, for: plan, skipping: index)
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
