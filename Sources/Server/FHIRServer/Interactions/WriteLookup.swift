import AccessPolicy
import FHIR
import Foundation
import RecordStorage
import Storage

/// The resources of a request's writes, looked up without the lock of the writer. Under the lock only counters are
/// compared, and only a lookup that takes almost no time is repeated, so that no caller waits for a search of another
/// one.
struct WriteLookup: Sendable {
    /// A reference that is a search.
    struct Reference: Sendable {
        let type: String
        let criteria: WriteRequest.Criteria
        let reading: CriteriaReading
        /// The ids of resources that the same transaction writes or deletes; the search excludes them.
        let excluded: Set<String>
        /// The ids of the stored resources that it found.
        let found: [String]
        let target: Target
    }

    /// The plans in the order of the requests.
    var plans: [PlannedWrite]
    /// The counters before the lookup.
    let changes: RecordTypeChanges
    var references: [Reference] = []
    /// The duration of the searches.
    var duration: Duration

    let limits: Limits

    /// Limits on lookups that are repeated under the lock of the writer.
    struct Limits: Sendable {
        /// Searches that took longer are not repeated.
        var maximumRepeated: Duration = .milliseconds(10)
        /// Maximum time to repeat them.
        var repeatingTime: Duration = .milliseconds(50)
    }

    /// Verifies that the result of the lookup is still valid.
    ///
    /// - Throws: ``OutdatedPlan`` where relevant records were written since.
    func verify(_ planner: WritePlanner, in transaction: any SQLTransaction) throws {
        var types = references.reduce(into: Set(plans.map(\.request.type))) { $0.formUnion($1.reading.types) }
        for plan in plans { types.formUnion(plan.criteria?.types ?? []) }
        guard try !changes.areCurrent(for: types, in: transaction) else { return }
        // 1. Other resources of the types were written; perhaps not these.
        for plan in plans where !plan.isNew && !plan.isHidden {
            let version = try planner.store.presentVersion(
                ofType: plan.request.type, id: plan.id, in: transaction)
            guard version == plan.present?.record.version else { throw OutdatedPlan() }
        }
        // 2. The searches again, where they are quick.
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
                        plan.request.type, criteria, excluding: excluded, for: plan.target, in: transaction)
                    guard found == plan.matches else { throw OutdatedPlan() }
                }
                for reference in references {
                    let found = try planner.matches(
                        reference.type, reference.criteria, excluding: reference.excluded, for: reference.target,
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
    /// Returns the number of the current version; nil where there is no such record.
    fileprivate func presentVersion(
        ofType type: String, id: String, in transaction: any SQLTransaction
    ) throws -> Int64? {
        try transaction.first(
            "SELECT r.version FROM record r WHERE \(RecordKey.condition)", [RecordKey.value(type: type, id: id)]
        )?.integerIfPresent("version")
    }
}
