import Core
import FHIR
import Storage

/// The references of a transaction that are searches, without duplicates. They find the resources that exist after all
/// entries (<https://hl7.org/fhir/R4/http.html#trules>): those that the transaction writes, and not those that it
/// deletes.
struct BundleSearches: Sendable {
    private struct Search: Sendable {
        let text: String
        let type: String
        let criteria: WriteRequest.Criteria
        let reading: CriteriaReading
        /// The index of the entry with the reference.
        let index: Int
    }

    /// Maximum number of references of one Bundle that are resolved by a search.
    private static let maximum = 200

    private let searches: [Search]

    /// - Throws: ``WriteRefusal`` where a search is invalid.
    init(in plans: [PlannedWrite], links: BundleLinks, planner: WritePlanner) throws {
        var searches: [Search] = []
        var seen: Set<String> = []
        for (index, plan) in plans.enumerated() where !plan.isSettled {
            guard let resource = plan.resource else { continue }
            try WriteRefusal.withIndex(index, of: plans.count) {
                for text in BundleReferences.searches(in: resource, links).sorted()
                where seen.insert(text).inserted {
                    guard let (type, query) = links.search(text) else { continue }
                    guard searches.count < Self.maximum else { throw WriteRefusal(.tooManyReferences, plan.target) }
                    guard let criteria = PercentEncoding.fields(query) else {
                        throw WriteRefusal(.referenceUnresolved, plan.target)
                    }
                    searches.append(
                        Search(
                            text: text, type: type, criteria: criteria,
                            reading: try planner.read(criteria, ofType: type, plan.target), index: index))
                }
            }
        }
        self.searches = searches
    }

    var isEmpty: Bool { searches.isEmpty }

    /// Looks up the targets of the references.
    ///
    /// - Returns: for each its text, `Type/id`, and the lookup to verify after the writes.
    /// - Throws: ``WriteRefusal`` where a search does not find exactly one resource.
    func lookup(
        _ plans: [PlannedWrite], overlap: TransactionOverlap, planner: WritePlanner,
        in transaction: any SQLTransaction
    ) throws -> [(text: String, address: String, reference: WriteLookup.Reference)] {
        var overlap = overlap
        return try searches.map { search in
            let target = plans[search.index].target
            return try WriteRefusal.withIndex(search.index, of: plans.count) {
                let excluded = overlap.changedIDs(ofType: search.type)
                let stored = try planner.matches(
                    search.type, search.criteria, excluding: excluded, for: target, in: transaction)
                let written = try overlap.ids(ofType: search.type, search.reading, for: plans[search.index])
                guard stored.count + written.count < 2 else { throw WriteRefusal(.severalMatches, target) }
                guard let id = stored.first ?? written.first else {
                    throw WriteRefusal(.referenceUnresolved, target)
                }
                return (
                    search.text, "\(search.type)/\(id)",
                    WriteLookup.Reference(
                        type: search.type, criteria: search.criteria, reading: search.reading, excluded: excluded,
                        found: stored, target: target)
                )
            }
        }
    }
}
