import Foundation
import Storage

/// The SQL of a search. Names and operators are ours; every value goes through a parameter.
struct SearchStatement {
    private(set) var condition: String
    private(set) var parameters: [SQLValue]

    init(_ query: SearchQuery) {
        condition = "r.type = ? AND r.deleted = 0"
        parameters = [SQLValue(query.type)]
        for condition in query.conditions {
            let alternatives = condition.values.map { alternative($0, condition.parameter, type: query.type) }
            self.condition += " AND (" + alternatives.joined(separator: " OR ") + ")"
        }
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
            if parameter == .lastUpdated {
                return comparison(prefix, low, high, lowColumn: "r.updated_ms", highColumn: "r.updated_ms + 1")
            }
            parameters.append(SQLValue(type))
            return "r.number IN (SELECT d.number FROM record d WHERE d.type = ? AND "
                + comparison(prefix, low, high, lowColumn: "d.date_low", highColumn: "d.date_high") + ")"
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
            sql += " AND i.value = ?"
            parameters.append(SQLValue(Data(SearchIndex.print(of: value))))
        }
        sql += " WHERE c.type = ? AND c.parameter = ?"
        parameters += [SQLValue(type), SQLValue(parameter.rawValue)]
        if let system {
            sql += " AND c.system = ?"
            parameters.append(SQLValue(SearchIndex.indexed(system)))
        }
        return sql + ")"
    }

    /// <https://hl7.org/fhir/R4/search.html#prefix>: both the value and what is stored are ranges, here half-open.
    private mutating func comparison(
        _ prefix: SearchQuery.DatePrefix, _ low: Int64, _ high: Int64, lowColumn: String, highColumn: String
    ) -> String {
        let (l, h) = (SQLValue(low), SQLValue(high))
        switch prefix {
        case .eq:
            parameters += [l, h]
            return "(\(lowColumn) >= ? AND \(highColumn) <= ?)"
        case .ne:
            parameters += [l, h]
            return "(\(lowColumn) < ? OR \(highColumn) > ?)"
        case .gt:
            parameters.append(h)
            return "\(highColumn) > ?"
        case .lt:
            parameters.append(l)
            return "\(lowColumn) < ?"
        case .ge:
            parameters += [h, l]
            return "(\(highColumn) > ? OR \(lowColumn) >= ?)"
        case .le:
            parameters += [l, h]
            return "(\(lowColumn) < ? OR \(highColumn) <= ?)"
        case .sa:
            parameters.append(h)
            return "\(lowColumn) >= ?"
        case .eb:
            parameters.append(l)
            return "\(highColumn) <= ?"
        case .ap:
            parameters += [h, l]
            return "(\(lowColumn) < ? AND \(highColumn) > ?)"
        }
    }
}
