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
            parameters += [SQLValue(type), SQLValue(parameter.rawValue)]
            var sql = "r.number IN (SELECT t.number FROM record_token t WHERE t.type = ? AND t.parameter = ?"
            if let code {
                sql += " AND t.code = ?"
                parameters.append(SQLValue(code))
            }
            if let system {
                sql += " AND t.system = ?"
                parameters.append(SQLValue(system))
            }
            return sql + ")"
        case .date(let prefix, let low, let high):
            if parameter == .lastUpdated {
                return comparison(prefix, low, high, lowColumn: "r.updated_ms", highColumn: "r.updated_ms + 1")
            }
            parameters.append(SQLValue(type))
            return "r.number IN (SELECT d.number FROM record_date d WHERE d.type = ? AND "
                + comparison(prefix, low, high, lowColumn: "d.low_ms", highColumn: "d.high_ms") + ")"
        }
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
