import AccessPolicy
import FHIRSearch
import RecordStorage
import Storage

/// The statements of a search: a page of the records in their order, and their number. The text of a statement contains
/// only the server's own names and operators; every value is a parameter.
///
/// A search of several types has a subquery for each type, so that each uses its indexes, and merges the pages.
package struct SearchStatement: Sendable {
    /// The conditions on the rows `r` of a type, and their plan.
    private struct Part {
        let type: String
        let rows: SQLFragment
        let plan: SearchPlan?

        /// Whether a page must not scan the records in their order.
        var isByNumbers: Bool { plan?.isByNumbers ?? true }
    }

    private let parts: [Part]
    /// The selections that precede the statement.
    private let beginning: SQLFragment
    private let order: SearchOrder
    private let after: PageCursor?
    /// The column by which an index has the records in the order of the search, where no condition finds few.
    private let column: String?

    /// Limits of a statement: the parameters that PostgreSQL and SQLite bind, and the text that SQLite reads.
    private static let maximumParameters = 30_000
    private static let maximumBytes = 900_000

    /// - Parameters:
    ///   - filter: the records that the caller may see; no others are counted or sorted.
    ///   - types: of a search of several types, the stored types that the caller may search.
    /// - Throws: ``SearchConditionError``; ``StorageError``.
    package init(
        _ query: SearchQuery, showing filter: RecordFilter, among types: (String) -> Bool = { _ in true },
        ownBases: [String] = [], limits: SearchLimits = .standard, in transaction: any SQLTransaction
    ) throws {
        let compiler = SearchCriterionCompiler(showing: filter, ownBases: ownBases, in: transaction)
        order = query.order
        after = query.after
        parts = try query.parts.filter { types($0.type) }.map {
            let isSorted = !query.order.keys.isEmpty
            let planned = try compiler.plannedRows(
                of: $0.type, meeting: $0.criteria,
                maximumLookups: isSorted ? limits.maximumSortedLookups : limits.maximumLookups,
                after: isSorted ? 0 : query.after?.number ?? 0)
            return Part(type: $0.type, rows: planned.rows, plan: planned.plan)
        }
        beginning = compiler.selected.beginning
        column =
            order.keys.count == 1 && parts.count == 1 && parts[0].plan?.isFinding == false
            ? try SearchOrderStatement(order, of: parts[0].type).column(in: transaction) : nil
        guard parts.reduce(beginning.parameters.count, { $0 + $1.rows.parameters.count }) <= Self.maximumParameters,
            parts.reduce(beginning.sql.utf8.count, { $0 + $1.rows.sql.utf8.count }) <= Self.maximumBytes
        else { throw SearchConditionError.tooManySteps }
    }

    /// Returns the condition on the rows `r` of a type's matching records, for use in another statement.
    package func rows(of type: String) -> SQLFragment {
        guard let rows = parts.first(where: { $0.type == type })?.rows else { return .never }
        guard !beginning.sql.isEmpty else { return rows }
        return "r.number IN (" + beginning + "SELECT r.number FROM record r WHERE " + rows + ")"
    }

    /// Returns the statement of the records themselves, where they are of one type and in the order of their numbers;
    /// nil otherwise.
    package func records(limit: Int) -> SQLFragment? {
        guard order.keys.isEmpty, parts.count == 1, parts[0].plan?.scan == nil else { return nil }
        return beginning + RecordStore.versions + " AND v.version = r.version WHERE " + parts[0].rows
            + end(limit, isByNumbers: parts[0].isByNumbers)
    }

    /// Returns the statement of the records' numbers and sort values.
    package func page(limit: Int) throws -> SQLFragment {
        let pages = try parts.map { try page($0, limit) }
        guard pages.count != 1 else { return beginning + pages[0] }
        guard !pages.isEmpty else { return SQLFragment("SELECT number FROM record WHERE 1 = 0") }
        let all = pages.enumerated().map { index, page in "SELECT * FROM (" + page + ") p\(index)" }
        return beginning + "SELECT a.* FROM (" + .joined(all, by: " UNION ALL ")
            + SQLFragment(") a ORDER BY \(order.columns(of: "a")) LIMIT ?", [SQLValue(limit)])
    }

    /// Returns the statement of the numbers of all matching records, in no order, where they are of one type, the
    /// search has no `_sort`, and an index finds few; nil otherwise. They give the total and the records of the page.
    package func numbers() -> SQLFragment? {
        guard order.keys.isEmpty, parts.count == 1, parts[0].plan?.isFinding == true else { return nil }
        return beginning + "SELECT r.number AS number FROM record r WHERE " + parts[0].rows
    }

    private func end(_ limit: Int, isByNumbers: Bool) -> SQLFragment {
        SQLFragment(
            // The sign prevents a scan of an index by this column.
            " AND \(isByNumbers ? "+" : "")r.number > ? ORDER BY r.number LIMIT ?",
            [SQLValue(after?.number ?? 0), SQLValue(limit)])
    }

    private func page(_ part: Part, _ limit: Int) throws -> SQLFragment {
        guard !order.keys.isEmpty else {
            if let (scan, first) = part.plan?.scan {
                return scan.numbers(from: first, where: part.rows)
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
        let afterCursor = after.map { " WHERE " + order.condition(after: $0, in: "k") } ?? SQLFragment("")
        return sorted + afterCursor + SQLFragment(" ORDER BY \(order.columns(of: "k")) LIMIT ?", [SQLValue(limit)])
    }

    /// Returns the statement of the same page, searched only among the first records of the order, where an index has
    /// this order and no condition finds few; nil otherwise. A full result is the page.
    ///
    /// - Parameter window: the number of records to scan.
    package func page(limit: Int, window: Int) -> SQLFragment? {
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

    /// Whether the total would cost more than the page.
    var isDense: Bool { parts.contains { $0.plan?.isDense == true } }

    /// Returns the statements of the number of records of each type.
    ///
    /// - Parameter limit: the maximum count of each type; nil to count all.
    package func totals(upTo limit: Int? = nil) -> [SQLFragment] {
        parts.map { part in
            guard let limit else { return beginning + "SELECT count(*) AS total FROM record r WHERE " + part.rows }
            let counted =
                part.plan?.scan.map { $0.scan.numbers(from: 0, where: part.rows) }
                ?? "SELECT 1 AS one FROM record r WHERE " + part.rows
            return beginning + "SELECT count(*) AS total FROM (" + counted
                + SQLFragment(" LIMIT ?) k", [SQLValue(limit)])
        }
    }

    /// Returns the statements of the ids of matching records, in the order of their numbers.
    package func ids(limit: Int) -> [SQLFragment] {
        parts.map { part in
            let found =
                part.plan?.scan.map { scan, first in
                    "r.number IN (" + scan.numbers(from: first, where: part.rows)
                        + SQLFragment(" ORDER BY number LIMIT ?)", [SQLValue(limit)])
                } ?? part.rows
            return beginning + "SELECT r.id AS id FROM record r WHERE " + found
                + SQLFragment(" ORDER BY r.number LIMIT ?", [SQLValue(limit)])
        }
    }
}
