/// Records of a type that a statement selects before what asks for them, by a name of its own.
///
/// A step of a chain or of `_has` asks for those that the next step finds. Inside of each other SQLite's parser would have too much
/// begun at once after a few steps: it takes a hundred things (<https://www.sqlite.org/limits.html>).
struct SelectedRecords: Sendable {
    /// What is selected: the columns `number`, `type`, `id` and `subject`.
    let name: String
    /// The row of `WITH` that selects them.
    let definition: SQLFragment

    /// - Parameters:
    ///   - place: how many are selected before them.
    ///   - rows: the condition on the rows `r` of the records.
    init(place: Int, _ rows: SQLFragment) {
        name = "found\(place)"
        definition = "found\(place) AS (SELECT r.number, r.type, r.id, r.subject FROM record r WHERE " + rows + ")"
    }
}

extension [SelectedRecords] {
    /// What stands in front of the statement that asks for them.
    var beginning: SQLFragment {
        isEmpty ? SQLFragment("") : "WITH " + .joined(map(\.definition), by: ", ") + " "
    }
}
