import FHIR
import Foundation
import Storage
import Trust

/// What the writes of a request mean, looked up without the lock of the writer. Inside of it only counters are compared, and
/// only a lookup that takes almost no time is repeated: no caller waits for a search of another one.
struct WriteLookup: Sendable {
    /// A reference that is a search.
    struct Reference: Sendable {
        let type: String
        let criteria: WriteRequest.Criteria
        let reading: CriteriaReading
        /// Ids that it does not find: those of what the same transaction writes or deletes.
        let excluded: Set<String>
        /// What it found of what is stored.
        let found: [String]
        let target: Target
    }

    /// The plans in the order of the requests.
    var plans: [PlannedWrite]
    /// The counters before anything was looked up.
    let changes: RecordTypeChanges
    var references: [Reference] = []
    /// How long the searches took.
    var duration: Duration

    let limits: Limits

    /// Limits on what is repeated inside of the lock of the writer.
    struct Limits: Sendable {
        /// Searches that took longer than this are not repeated.
        var maximumRepeated: Duration = .milliseconds(10)
        /// Time for repeating them.
        var repeatingTime: Duration = .milliseconds(50)
    }

    /// Sees that everything is as it was looked up.
    ///
    /// - Throws: ``OutdatedPlan`` where something relevant was written since.
    func verify(_ planner: WritePlanner, in transaction: any SQLTransaction) throws {
        var types = references.reduce(into: Set(plans.map(\.request.type))) { $0.formUnion($1.reading.types) }
        for plan in plans { types.formUnion(plan.criteria?.types ?? []) }
        guard try !changes.areCurrent(for: types, in: transaction) else { return }
        // 1. Others wrote resources of the types: perhaps not these.
        for plan in plans where !plan.isNew && !plan.isHidden {
            let version = try planner.store.presentVersion(
                ofType: plan.request.type, id: plan.id, in: transaction)
            guard version == plan.present?.record.version else { throw OutdatedPlan() }
        }
        // 2. What the searches find now, where that is quick.
        let searches = plans.filter { $0.criteria != nil }
        guard !searches.isEmpty || !references.isEmpty else { return }
        guard duration < limits.maximumRepeated else { throw OutdatedPlan() }
        let deleted = Dictionary(grouping: plans.filter(\.request.isDeletion), by: \.request.type)
            .mapValues { Set($0.map(\.id)) }
        do {
            try transaction.limited(until: .now + limits.repeatingTime) {
                for plan in searches {
                    guard let criteria = plan.request.criteria else { continue }
                    let excluded = plan.request.isDeletion ? [] : deleted[plan.request.type] ?? []
                    let found = try planner.matches(
                        plan.request.type, criteria, excluding: excluded, plan.target, in: transaction)
                    guard found == plan.matches else { throw OutdatedPlan() }
                }
                for reference in references {
                    let found = try planner.matches(
                        reference.type, reference.criteria, excluding: reference.excluded, reference.target,
                        in: transaction)
                    guard found == reference.found else { throw OutdatedPlan() }
                }
            }
        } catch let error as StorageError where error.isOfTimeLimit {
            throw OutdatedPlan()
        }
    }
}

extension RecordStore {
    /// The number of the present version; nil where there is no such record.
    fileprivate func presentVersion(
        ofType type: String, id: String, in transaction: any SQLTransaction
    ) throws -> Int64? {
        try transaction.first(
            "SELECT r.version FROM record r WHERE \(RecordAddress.condition)", [RecordAddress.value(type: type, id: id)]
        )?.integerIfPresent("version")
    }
}
