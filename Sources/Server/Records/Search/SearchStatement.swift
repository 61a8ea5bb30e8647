import Foundation
import Storage
import Trust

/// The SQL of a search. Names and operators are ours; every value goes through a parameter.
struct SearchStatement {
    private(set) var condition: String
    private(set) var parameters: [SQLValue]

    /// - Parameters:
    ///   - filter: what may be seen at all; nothing else is counted or has a place in the order.
    ///   - terms: those of the store that is searched.
    /// - Throws: what the terms throw.
    init(_ query: SearchQuery, showing filter: RecordFilter, terms: any SearchConditionStatement.Terms) throws {
        condition = "r.type = ? AND r.deleted = 0"
        parameters = [SQLValue(query.type)]
        for condition in query.conditions {
            let statement = try SearchConditionStatement(condition, terms: terms)
            self.condition += " AND " + statement.condition
            parameters += statement.parameters
        }
        guard filter != .everything else { return }
        let shown = RecordFilterStatement(filter, type: query.type)
        condition += " AND " + shown.condition
        parameters += shown.parameters
    }

    /// The page behind the cursor; one row more than asked for tells whether there is another page.
    var page: String {
        RecordStore.versions + " AND v.version = r.version WHERE " + condition
            + " AND r.number > ? ORDER BY r.number LIMIT ?"
    }

    var total: String { "SELECT count(*) AS total FROM record r WHERE " + condition }
}
