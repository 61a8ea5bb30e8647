import Storage

/// Records of a type that a statement selects first, in a common table expression with a name of its own.
///
/// A step of a chain or of `_has` uses the records of the next step. With nested subqueries SQLite's parser would
/// exceed its depth after a few steps: its stack has 100 entries (<https://www.sqlite.org/limits.html>).
package struct SelectedRecords: Sendable {
    /// The name of the selection, with the columns `number`, `type`, `id` and `subject`.
    let name: String
    /// The definition in the `WITH` clause.
    let definition: SQLFragment

    /// - Parameters:
    ///   - index: the number of earlier selections.
    ///   - rows: the condition on the rows `r` of the records.
    init(index: Int, _ rows: SQLFragment) {
        name = "found\(index)"
        definition = "found\(index) AS (SELECT r.number, r.type, r.id, r.subject FROM record r WHERE " + rows + ")"
    }
}

extension [SelectedRecords] {
    /// The `WITH` clause of the statement.
    package var beginning: SQLFragment {
        isEmpty ? SQLFragment("") : "WITH " + .joined(map(\.definition), by: ", ") + " "
    }
}
