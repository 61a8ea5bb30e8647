import Storage
import Trust

/// The statements of a search: a page of the records in their order, and how many there are. Names and operators are ours;
/// every value goes through a parameter.
///
/// A search of several types asks each type by itself, so that each goes by its indexes, and puts the pages together.
struct SearchStatement {
    /// The conditions on the rows `r`, by their types.
    private let parts: [(type: String, rows: SQLFragment, isByNumbers: Bool)]
    private let order: SearchOrder
    private let after: SearchPlace?

    /// A statement holds no more values than PostgreSQL and SQLite bind, and no more text than SQLite reads.
    private static let mostParameters = 30_000
    private static let mostBytes = 900_000

    /// - Parameters:
    ///   - filter: what may be seen at all; nothing else is counted or has a place in the order.
    ///   - types: of a search of several types those that are there and may be searched.
    /// - Throws: ``SearchConditionError``; ``StorageError``.
    init(
        _ query: SearchQuery, showing filter: RecordFilter, among types: (String) -> Bool = { _ in true },
        ownBases: [String] = [], in transaction: any SQLTransaction
    ) throws {
        let compiler = SearchCriterionCompiler(showing: filter, ownBases: ownBases, in: transaction)
        order = query.order
        after = query.after
        parts = try query.parts.filter { types($0.type) }.map {
            let planned = try compiler.plannedRows(of: $0.type, meeting: $0.criteria)
            return ($0.type, planned.rows, planned.isByNumbers)
        }
        guard parts.reduce(0, { $0 + $1.rows.parameters.count }) <= Self.mostParameters,
            parts.reduce(0, { $0 + $1.rows.sql.utf8.count }) <= Self.mostBytes
        else { throw SearchConditionError.tooManySteps }
    }

    /// The condition on the rows `r` of records of a type that are found.
    func rows(of type: String) -> SQLFragment {
        parts.first { $0.type == type }?.rows ?? .never
    }

    /// The records themselves, where they are of one type and stand in the order in which they came; nil otherwise.
    func records(limit: Int) -> SQLFragment? {
        guard order.keys.isEmpty, parts.count == 1 else { return nil }
        return RecordStore.versions + " AND v.version = r.version WHERE " + parts[0].rows
            + end(limit, isByNumbers: parts[0].isByNumbers)
    }

    /// The number of each record, and what it is sorted by.
    func page(limit: Int) throws -> SQLFragment {
        let pages = try parts.map { try page($0.type, $0.rows, limit, isByNumbers: $0.isByNumbers) }
        guard pages.count != 1 else { return pages[0] }
        guard !pages.isEmpty else { return SQLFragment("SELECT number FROM record WHERE 1 = 0") }
        let all = pages.enumerated().map { index, page in "SELECT * FROM (" + page + ") p\(index)" }
        return "SELECT a.* FROM (" + .joined(all, by: " UNION ALL ")
            + SQLFragment(") a ORDER BY \(order.columns(of: "a")) LIMIT ?", [SQLValue(limit)])
    }

    private func end(_ limit: Int, isByNumbers: Bool) -> SQLFragment {
        SQLFragment(
            // With the sign no index is gone through by it.
            " AND \(isByNumbers ? "+" : "")r.number > ? ORDER BY r.number LIMIT ?",
            [SQLValue(after?.number ?? 0), SQLValue(limit)])
    }

    private func page(
        _ type: String, _ rows: SQLFragment, _ limit: Int, isByNumbers: Bool
    ) throws -> SQLFragment {
        guard !order.keys.isEmpty else {
            return "SELECT r.number AS number FROM record r WHERE " + rows + end(limit, isByNumbers: isByNumbers)
        }
        let columns = try SearchOrderStatement(order, of: type).values.enumerated().map { index, value in
            value + " AS \(SearchOrder.column(index))"
        }
        let sorted =
            "SELECT k.* FROM (SELECT r.number AS number, " + .joined(columns, by: ", ") + " FROM record r WHERE " + rows
            + ") k"
        let behind = after.map { " WHERE " + order.behind($0, "k") } ?? SQLFragment("")
        return sorted + behind + SQLFragment(" ORDER BY \(order.columns(of: "k")) LIMIT ?", [SQLValue(limit)])
    }

    /// How many records of each type there are.
    ///
    /// - Parameter limit: no more are counted of each; nil for all.
    func totals(upTo limit: Int? = nil) -> [SQLFragment] {
        parts.map { part in
            guard let limit else { return "SELECT count(*) AS total FROM record r WHERE " + part.rows }
            return "SELECT count(*) AS total FROM (SELECT 1 AS one FROM record r WHERE " + part.rows
                + SQLFragment(" LIMIT ?) k", [SQLValue(limit)])
        }
    }

    /// The ids of records that are found, in the order in which they came.
    func ids(limit: Int) -> [SQLFragment] {
        parts.map {
            "SELECT r.id AS id FROM record r WHERE " + $0.rows
                + SQLFragment(" ORDER BY r.number LIMIT ?", [SQLValue(limit)])
        }
    }
}
