import Foundation
import Storage
import Trust

/// The SQL of a search. Names and operators are ours; every value goes through a parameter.
struct SearchStatement {
    private(set) var condition: String
    private(set) var parameters: [SQLValue]

    /// - Parameter filter: what may be seen at all; nothing else is counted or has a place in the order.
    init(_ query: SearchQuery, showing filter: RecordFilter) {
        condition = "r.type = ? AND r.deleted = 0"
        parameters = [SQLValue(query.type)]
        for condition in query.conditions {
            let alternatives = condition.values.map { alternative($0, condition.parameter, type: query.type) }
            self.condition += " AND (" + alternatives.joined(separator: " OR ") + ")"
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

    private mutating func alternative(
        _ value: SearchQuery.Condition.Value, _ parameter: SearchParameter, type: String
    ) -> String {
        switch value {
        case .id(let id):
            parameters.append(SQLValue(id))
            return "r.id = ?"
        case .subject(let id):
            parameters.append(SQLValue(id))
            return "r.subject = ?"
        case .token(let system, let code):
            return SearchIndex.Token.isOfItsOwn(parameter.rawValue)
                ? identifier(system, code, parameter, type) : coded(system, code, parameter, type)
        case .date(let prefix, let low, let high):
            if parameter == .lastUpdated { return comparison(prefix, low, high, of: .update) }
            return "r.number IN (" + dated(prefix, low, high, type) + ")"
        }
    }

    /// A code of a vocabulary: few are numbered, and each number has its resources.
    private mutating func coded(
        _ system: String?, _ code: String?, _ parameter: SearchParameter, _ type: String
    ) -> String {
        parameters += [SQLValue(type), SQLValue(parameter.rawValue)]
        var sql = """
            r.number IN (SELECT t.number FROM search_code c JOIN record_code t ON t.code = c.number
            WHERE c.type = ? AND c.parameter = ?
            """
        if let code {
            sql += " AND c.code = ?"
            parameters.append(SQLValue(SearchIndex.indexed(code)))
        }
        if let system {
            sql += " AND c.system = ?"
            parameters.append(SQLValue(SearchIndex.indexed(system)))
        }
        return sql + ")"
    }

    /// A value of a resource's own, whose system alone is numbered.
    private mutating func identifier(
        _ system: String?, _ value: String?, _ parameter: SearchParameter, _ type: String
    ) -> String {
        var sql = "r.number IN (SELECT i.number FROM search_code c JOIN record_identifier i ON i.system = c.number"
        if let value {
            // SQLite's index has the whole of it, PostgreSQL's the beginning.
            let print = SearchIndex.print(of: value)
            sql += " AND substr(i.value, 1, \(SearchIndex.printStart)) = ? AND i.value = ?"
            parameters += [SQLValue(Data(SearchIndex.start(ofPrint: print))), SQLValue(Data(print))]
        }
        sql += " WHERE c.type = ? AND c.parameter = ?"
        parameters += [SQLValue(type), SQLValue(parameter.rawValue)]
        if let system {
            sql += " AND c.system = ?"
            parameters.append(SQLValue(SearchIndex.indexed(system)))
        }
        return sql + ")"
    }

    /// The numbers of the resources whose time compares so: of those that last a day at most, which are found by when they
    /// begin, and of the few others, which have an index by when they end.
    private mutating func dated(
        _ prefix: SearchPrefix, _ low: Int64, _ high: Int64, _ type: String
    ) -> String {
        [(SearchedTime.day, SearchedTime.isDay), (.long, SearchedTime.isLong)].map { time, condition in
            parameters.append(SQLValue(type))
            return "SELECT d.number FROM record d WHERE d.type = ? AND \(condition) AND "
                + comparison(prefix, low, high, of: time)
        }.joined(separator: " UNION ALL ")
    }

    private mutating func comparison(
        _ prefix: SearchPrefix, _ low: Int64, _ high: Int64, of time: SearchedTime
    ) -> String {
        let comparison = time.compared(prefix, low: low, high: high)
        parameters += comparison.parameters
        return comparison.condition
    }
}
