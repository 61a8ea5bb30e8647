import Storage

/// What a search condition asks of the row `r` of a record, by what answers it: columns of the row, or entries.
///
/// The same is said in two ways. Where few records are found by it, their numbers are looked up in its own index; where many
/// are, each record that something else finds is asked.
indirect enum SearchPredicate: Sendable {
    case never
    case always
    /// On columns of the row.
    case row(SQLFragment)
    /// The row's subject is a Patient.
    case subject(String)
    /// The row's id.
    case id(String)
    /// The row's time compares so with a period.
    case time(SearchPrefix, SearchPeriod)
    /// The record has an entry `e`, of one table or of several that are joined to it, of which something holds.
    case entry(String, SQLFragment)
    case not(SearchPredicate)
    case all([SearchPredicate])
    case any([SearchPredicate])

    /// Without what is never so, or always.
    static func some(_ predicates: [SearchPredicate]) -> SearchPredicate {
        var left: [SearchPredicate] = []
        for predicate in predicates {
            switch predicate {
            case .never: continue
            case .always: return .always
            case .any(let parts): left += parts
            default: left.append(predicate)
            }
        }
        return left.count > 1 ? .any(left) : left.first ?? .never
    }

    /// Without what is never so, or always.
    static func every(_ predicates: [SearchPredicate]) -> SearchPredicate {
        var left: [SearchPredicate] = []
        for predicate in predicates {
            switch predicate {
            case .never: return .never
            case .always: continue
            case .all(let parts): left += parts
            default: left.append(predicate)
            }
        }
        return left.count > 1 ? .all(left) : left.first ?? .always
    }

    static func entries(_ tables: String, _ condition: SQLFragment) -> SearchPredicate {
        condition.isNever ? .never : .entry(tables, condition)
    }

    var negated: SearchPredicate {
        switch self {
        case .never: .always
        case .always: .never
        case .not(let predicate): predicate
        default: .not(self)
        }
    }

    // MARK: SQL

    /// The condition.
    ///
    /// - Parameters:
    ///   - type: the type of the records.
    ///   - isFinding: whether the records are found by it: then it is said as the numbers that its index has. Otherwise each
    ///     record is asked.
    func condition(type: String, isFinding: Bool) -> SQLFragment {
        switch self {
        case .never: .never
        case .always: .always
        case .row(let condition): condition
        case .subject(let id): SQLFragment("r.subject = ?", [SQLValue(id)])
        case .id(let id):
            isFinding ? RecordAddress.isOne(of: [id], type: type) : SQLFragment("r.id = ?", [SQLValue(id)])
        case .time(let prefix, let period):
            isFinding ? Self.found(prefix, period, type: type) : Self.asked(prefix, period)
        case .entry(let tables, let condition):
            isFinding
                ? SQLFragment(
                    "r.number IN (SELECT e.number FROM \(tables) WHERE \(condition.sql))", condition.parameters)
                : SQLFragment(
                    "EXISTS (SELECT 1 FROM \(tables) WHERE e.number = r.number AND \(condition.sql))",
                    condition.parameters)
        case .not(let predicate): .not(predicate.condition(type: type, isFinding: isFinding))
        case .all(let parts): .all(parts.map { $0.condition(type: type, isFinding: isFinding) })
        case .any(let parts): Self.any(parts, type: type, isFinding: isFinding)
        }
    }

    /// Ids that are asked for together are looked up together: of one condition or the other SQLite would go through all records
    /// of the type.
    private static func any(_ parts: [SearchPredicate], type: String, isFinding: Bool) -> SQLFragment {
        var ids: [String] = []
        var others: [SQLFragment] = []
        for part in parts {
            if isFinding, case .id(let id) = part {
                ids.append(id)
            } else {
                others.append(part.condition(type: type, isFinding: isFinding))
            }
        }
        return .any((ids.isEmpty ? [] : [RecordAddress.isOne(of: ids, type: type)]) + others)
    }

    /// Of those that last a day at most, which are found by when they begin, and of the few others, which have an index by
    /// when they end.
    private static func found(_ prefix: SearchPrefix, _ period: SearchPeriod, type: String) -> SQLFragment {
        let numbers = timeSources(prefix, period, type: type)
        return SQLFragment(
            "r.number IN (" + numbers.map { "SELECT d.number " + $0.sql }.joined(separator: " UNION ALL ") + ")",
            numbers.flatMap(\.parameters))
    }

    /// What the indexes of times are asked, each from its `FROM` on.
    private static func timeSources(
        _ prefix: SearchPrefix, _ period: SearchPeriod, type: String
    ) -> [SQLFragment] {
        [(SearchedTime.day, SearchedTime.isDay), (.long, SearchedTime.isLong)].map { time, condition in
            let comparison = time.compared(prefix, low: period.low, high: period.high)
            return SQLFragment(
                "FROM record d WHERE d.type = ? AND \(condition) AND \(comparison.condition)",
                [SQLValue(type)] + comparison.parameters)
        }
    }

    private static func asked(_ prefix: SearchPrefix, _ period: SearchPeriod) -> SQLFragment {
        let time = SearchedTime(low: "r.date_low", high: "r.date_high", duration: nil)
        let comparison = time.compared(prefix, low: period.low, high: period.high)
        return SQLFragment(
            "(r.date_low IS NOT NULL AND \(comparison.condition))", comparison.parameters)
    }

    /// Whether columns of the row find it.
    var isOfRow: Bool {
        switch self {
        case .never, .always, .row, .subject: true
        case .id, .time, .entry, .not, .all, .any: false
        }
    }

    // MARK: How many

    /// Queries that tell together how many records there are at most that have been found so, each counting no further than
    /// a limit; nil where no index finds them.
    func counts(type: String, limit: Int) -> [SQLQuery]? {
        func counting(_ source: SQLFragment) -> SQLQuery {
            SQLQuery(
                "SELECT count(*) AS number FROM (SELECT 1 AS one \(source.sql) LIMIT ?) AS counted",
                source.parameters + [SQLValue(limit)])
        }
        switch self {
        case .never: return []
        case .id(let id):
            return [
                counting(
                    SQLFragment(
                        "FROM record r WHERE \(RecordAddress.condition)", [RecordAddress.value(type: type, id: id)]))
            ]
        case .subject(let id):
            return [
                counting(
                    SQLFragment("FROM record r WHERE r.type = ? AND r.subject = ?", [SQLValue(type), SQLValue(id)]))
            ]
        case .entry(let tables, let condition):
            return [counting(SQLFragment("FROM \(tables) WHERE \(condition.sql)", condition.parameters))]
        case .time(let prefix, let period):
            return Self.timeSources(prefix, period, type: type).map(counting)
        case .any(let parts):
            var all: [SQLQuery] = []
            for part in parts {
                guard let counts = part.counts(type: type, limit: limit) else { return nil }
                all += counts
            }
            return all
        case .always, .row, .not, .all: return nil
        }
    }
}
