import Storage
import Trust

/// The statements of a search: a page of the records in their order, and how many there are. Names and operators are ours;
/// every value goes through a parameter.
///
/// A search of several types asks each type by itself, so that each goes by its indexes, and puts the pages together.
struct SearchStatement: Sendable {
    /// The conditions on the rows `r` of a type, and how these are found.
    private struct Part {
        let type: String
        let rows: SQLFragment
        let plan: SearchPlan?

        /// Whether a page must not go through the records in their order.
        var isByNumbers: Bool { plan?.isByNumbers ?? true }
    }

    private let parts: [Part]
    /// What is selected before all else.
    private let beginning: SQLFragment
    private let order: SearchOrder
    private let after: SearchPlace?
    /// The column by which an index has the records in their order, where no condition finds few.
    private let column: String?

    /// A statement holds no more values than PostgreSQL and SQLite bind, and no more text than SQLite reads.
    private static let mostParameters = 30_000
    private static let mostBytes = 900_000

    /// - Parameters:
    ///   - filter: what may be seen at all; nothing else is counted or has a place in the order.
    ///   - types: of a search of several types those that are there and may be searched.
    /// - Throws: ``SearchConditionError``; ``StorageError``.
    init(
        _ query: SearchQuery, showing filter: RecordFilter, among types: (String) -> Bool = { _ in true },
        ownBases: [String] = [], limits: SearchLimits = .standard, in transaction: any SQLTransaction
    ) throws {
        let compiler = SearchCriterionCompiler(showing: filter, ownBases: ownBases, in: transaction)
        order = query.order
        after = query.after
        parts = try query.parts.filter { types($0.type) }.map {
            let isSorted = !query.order.keys.isEmpty
            let planned = try compiler.plannedRows(
                of: $0.type, meeting: $0.criteria, most: isSorted ? limits.mostSorted : limits.most,
                after: isSorted ? 0 : query.after?.number ?? 0)
            return Part(type: $0.type, rows: planned.rows, plan: planned.plan)
        }
        beginning = compiler.selected.beginning
        column =
            order.keys.count == 1 && parts.count == 1 && parts[0].plan?.isFinding == false
            ? try SearchOrderStatement(order, of: parts[0].type).column(in: transaction) : nil
        guard parts.reduce(beginning.parameters.count, { $0 + $1.rows.parameters.count }) <= Self.mostParameters,
            parts.reduce(beginning.sql.utf8.count, { $0 + $1.rows.sql.utf8.count }) <= Self.mostBytes
        else { throw SearchConditionError.tooManySteps }
    }

    /// The condition on the rows `r` of records of a type that are found, to stand in another statement.
    func rows(of type: String) -> SQLFragment {
        guard let rows = parts.first(where: { $0.type == type })?.rows else { return .never }
        guard !beginning.sql.isEmpty else { return rows }
        return "r.number IN (" + beginning + "SELECT r.number FROM record r WHERE " + rows + ")"
    }

    /// The records themselves, where they are of one type and are gone through in the order in which they came; nil
    /// otherwise.
    func records(limit: Int) -> SQLFragment? {
        guard order.keys.isEmpty, parts.count == 1, parts[0].plan?.stream == nil else { return nil }
        return beginning + RecordStore.versions + " AND v.version = r.version WHERE " + parts[0].rows
            + end(limit, isByNumbers: parts[0].isByNumbers)
    }

    /// The number of each record, and what it is sorted by.
    func page(limit: Int) throws -> SQLFragment {
        let pages = try parts.map { try page($0, limit) }
        guard pages.count != 1 else { return beginning + pages[0] }
        guard !pages.isEmpty else { return SQLFragment("SELECT number FROM record WHERE 1 = 0") }
        let all = pages.enumerated().map { index, page in "SELECT * FROM (" + page + ") p\(index)" }
        return beginning + "SELECT a.* FROM (" + .joined(all, by: " UNION ALL ")
            + SQLFragment(") a ORDER BY \(order.columns(of: "a")) LIMIT ?", [SQLValue(limit)])
    }

    /// The numbers of all records that are found, in no order, where they are of one type, are wanted in the order in which they
    /// came, and an index finds few; nil otherwise. They tell how many there are, and which of them are on a page.
    func numbers() -> SQLFragment? {
        guard order.keys.isEmpty, parts.count == 1, parts[0].plan?.isFinding == true else { return nil }
        return beginning + "SELECT r.number AS number FROM record r WHERE " + parts[0].rows
    }

    private func end(_ limit: Int, isByNumbers: Bool) -> SQLFragment {
        SQLFragment(
            // With the sign no index is gone through by it.
            " AND \(isByNumbers ? "+" : "")r.number > ? ORDER BY r.number LIMIT ?",
            [SQLValue(after?.number ?? 0), SQLValue(limit)])
    }

    private func page(_ part: Part, _ limit: Int) throws -> SQLFragment {
        guard !order.keys.isEmpty else {
            if let (stream, first) = part.plan?.stream {
                return stream.numbers(from: first, where: part.rows)
                    + SQLFragment(" ORDER BY number LIMIT ?", [SQLValue(limit)])
            }
            return "SELECT r.number AS number FROM record r WHERE " + part.rows
                + end(limit, isByNumbers: part.isByNumbers)
        }
        let columns = try SearchOrderStatement(order, of: part.type).values.enumerated().map { index, value in
            value + " AS \(SearchOrder.column(index))"
        }
        let sorted =
            "SELECT k.* FROM (SELECT r.number AS number, " + .joined(columns, by: ", ") + " FROM record r WHERE "
            + part.rows + ") k"
        let behind = after.map { " WHERE " + order.behind($0, "k") } ?? SQLFragment("")
        return sorted + behind + SQLFragment(" ORDER BY \(order.columns(of: "k")) LIMIT ?", [SQLValue(limit)])
    }

    /// The same page, looked for among the first records of the order alone, where an index has them in it and no condition
    /// finds few; nil otherwise. A page that is full is the page.
    ///
    /// - Parameter window: so many records are gone through.
    func page(limit: Int, window: Int) -> SQLFragment? {
        guard let column else { return nil }
        let value = SearchOrder.column(0)
        let isDescending = order.keys[0].isDescending
        var begin = SQLFragment("r.type = ? AND \(column) IS NOT NULL", [SQLValue(parts[0].type)])
        if let after {
            guard let bound = after.values.first?.bound else { return nil }
            begin =
                begin
                + SQLFragment(
                    " AND \(column) \(isDescending ? "<=" : ">=") ? AND NOT (\(column) = ? AND r.number <= ?)",
                    [bound, bound, SQLValue(after.number)])
        }
        let direction = isDescending ? " DESC" : ""
        let first =
            "SELECT r.number AS number, \(column) AS \(value) FROM record r WHERE " + begin
            + SQLFragment(" ORDER BY \(column)\(direction), r.number LIMIT ?", [SQLValue(window)])
        return beginning + "SELECT w.number AS number, w.\(value) AS \(value) FROM (" + first
            + ") w JOIN record r ON r.number = w.number WHERE " + parts[0].rows
            + SQLFragment(" ORDER BY w.\(value)\(direction), w.number LIMIT ?", [SQLValue(limit)])
    }

    /// Whether to tell how many there are would cost more than the page does.
    var isDense: Bool { parts.contains { $0.plan?.isDense == true } }

    /// How many records of each type there are.
    ///
    /// - Parameter limit: no more are counted of each; nil for all.
    func totals(upTo limit: Int? = nil) -> [SQLFragment] {
        parts.map { part in
            guard let limit else { return beginning + "SELECT count(*) AS total FROM record r WHERE " + part.rows }
            let counted =
                part.plan?.stream.map { $0.stream.numbers(from: 0, where: part.rows) }
                ?? "SELECT 1 AS one FROM record r WHERE " + part.rows
            return beginning + "SELECT count(*) AS total FROM (" + counted
                + SQLFragment(" LIMIT ?) k", [SQLValue(limit)])
        }
    }

    /// The ids of records that are found, in the order in which they came.
    func ids(limit: Int) -> [SQLFragment] {
        parts.map { part in
            let found =
                part.plan?.stream.map { stream, first in
                    "r.number IN (" + stream.numbers(from: first, where: part.rows)
                        + SQLFragment(" ORDER BY number LIMIT ?)", [SQLValue(limit)])
                } ?? part.rows
            return beginning + "SELECT r.id AS id FROM record r WHERE " + found
                + SQLFragment(" ORDER BY r.number LIMIT ?", [SQLValue(limit)])
        }
    }
}
