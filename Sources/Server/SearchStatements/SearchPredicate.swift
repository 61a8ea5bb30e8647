import FHIRSearch
import RecordStorage
import Storage

/// A search condition on the row `r` of a record, by the data that decide it: columns of the row, or entries.
///
/// It has two forms in SQL. Where few records match, their numbers are looked up in the condition's own index. Where
/// many match, it is evaluated for each record that another condition finds.
indirect enum SearchPredicate: Sendable {
    case never
    case always
    /// A condition on columns of the row.
    case row(SQLFragment)
    /// The row's subject is this Patient.
    case subject(String)
    /// The row's id is this one.
    case id(String)
    /// The row's time compares with the period as the prefix requires.
    case time(SearchPrefix, SearchPeriod)
    /// The record has an entry `e` that meets a condition, in one table or in several that are joined to it.
    case entry(String, SQLFragment)
    case not(SearchPredicate)
    case all([SearchPredicate])
    case any([SearchPredicate])

    /// Returns the disjunction of the predicates, without constants.
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

    /// Returns the conjunction of the predicates, without constants.
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

    /// Returns the condition in SQL.
    ///
    /// - Parameters:
    ///   - type: the type of the records.
    ///   - isFinding: whether the condition finds the records: then it is a lookup of numbers in its index. Otherwise
    ///     it is evaluated for each record.
    func condition(type: String, isFinding: Bool) -> SQLFragment {
        switch self {
        case .never: .never
        case .always: .always
        case .row(let condition): condition
        case .subject(let id): SQLFragment("r.subject = ?", [SQLValue(id)])
        case .id(let id):
            isFinding ? RecordKey.isOne(of: [id], type: type) : SQLFragment("r.id = ?", [SQLValue(id)])
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

    /// Looks up several ids together: with one condition or another SQLite would scan all records of the type.
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
        return .any((ids.isEmpty ? [] : [RecordKey.isOne(of: ids, type: type)]) + others)
    }

    /// Combines the records of up to a day, which are found by their start, and the few longer ones, which have an
    /// index by their end.
    private static func found(_ prefix: SearchPrefix, _ period: SearchPeriod, type: String) -> SQLFragment {
        let numbers = timeSources(prefix, period, type: type)
        return SQLFragment(
            "r.number IN (" + numbers.map { "SELECT d.number " + $0.sql }.joined(separator: " UNION ALL ") + ")",
            numbers.flatMap(\.parameters))
    }

    /// Returns the queries of the indexes of times, each from its `FROM` on.
    private static func timeSources(
        _ prefix: SearchPrefix, _ period: SearchPeriod, type: String
    ) -> [SQLFragment] {
        [(DateColumns.day, DateColumns.isDay), (.long, DateColumns.isLong)].map { time, condition in
            let comparison = time.compared(prefix, low: period.low, high: period.high)
            return SQLFragment(
                "FROM record d WHERE d.type = ? AND \(condition) AND \(comparison.condition)",
                [SQLValue(type)] + comparison.parameters)
        }
    }

    private static func asked(_ prefix: SearchPrefix, _ period: SearchPeriod) -> SQLFragment {
        let time = DateColumns(low: "r.date_low", high: "r.date_high", duration: nil)
        let comparison = time.compared(prefix, low: period.low, high: period.high)
        return SQLFragment(
            "(r.date_low IS NOT NULL AND \(comparison.condition))", comparison.parameters)
    }

    /// Whether columns of the row decide it.
    var isOfRow: Bool {
        switch self {
        case .never, .always, .row, .subject: true
        case .id, .time, .entry, .not, .all, .any: false
        }
    }

    // MARK: Counts

    /// Returns queries whose sum is an upper bound of the number of matching records, each counting up to a limit; nil
    /// where no index finds them.
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
                        "FROM record r WHERE \(RecordKey.condition)", [RecordKey.value(type: type, id: id)]))
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
