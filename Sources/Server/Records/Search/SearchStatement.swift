import Foundation
import Storage
import Trust

/// The SQL of a search. Names and operators are ours; every value goes through a parameter.
struct SearchStatement {
    private(set) var condition: String
    private(set) var parameters: [SQLValue]

    /// - Parameter filter: what may be seen at all; nothing else is counted or has a place in the order.
    init(_ query: SearchQuery, showing filter: RecordFilter, in transaction: any SQLTransaction) throws {
        let terms = StoredTerms(transaction: transaction)
        var predicates = try query.conditions.map { try SearchPredicate($0, terms: terms) }
        if filter != .everything {
            let shown = try RecordFilterStatement(filter, type: query.type, in: transaction)
            predicates.append(.row(SQLCondition(shown.condition, shown.parameters)))
        }
        let found = try SearchPlan(predicates, type: query.type, in: transaction).condition
        condition = "r.type = ? AND r.deleted = 0 AND " + found.sql
        parameters = [SQLValue(query.type)] + found.parameters
    }

    /// The page behind the cursor; one row more than asked for tells whether there is another page.
    var page: String {
        RecordStore.versions + " AND v.version = r.version WHERE " + condition
            + " AND r.number > ? ORDER BY r.number LIMIT ?"
    }

    var total: String { "SELECT count(*) AS total FROM record r WHERE " + condition }
}
