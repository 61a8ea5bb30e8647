import FHIRSearch

/// The parameters of a page of a history or an operation: its size, its cursor, and those of the interaction.
package struct PageQuery<Cursor> {
    /// The maximum number of entries on the page.
    package private(set) var count = SearchQuery.standardCount
    /// The cursor of the page; nil for the first page.
    package private(set) var cursor: Cursor?
    /// The applied parameters of the interaction, for the links.
    package private(set) var used: [(name: String, value: String)] = []
    /// The names of the unknown parameters, which were ignored.
    package private(set) var ignored: [String] = []

    /// Reads the parameters that have a value.
    ///
    /// - Parameters:
    ///   - strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    ///   - read: returns the cursor of a text; nil where the text is not one.
    ///   - apply: applies a parameter, and returns whether the interaction has it.
    /// - Throws: ``RecordsFailure`` for an invalid value.
    package init(
        _ parameters: [(name: String, value: String)], strict: Bool, cursor read: (String) -> Cursor?,
        applying apply: (_ name: String, _ value: String) throws -> Bool
    ) throws {
        for (name, value) in parameters where !value.isEmpty {
            switch name {
            case "_count": count = try PageParameters.count(value)
            case "_cursor":
                guard let cursor = read(value) else { throw RecordsFailure.invalid("_cursor", "a page's own link") }
                self.cursor = cursor
            case "_format", "_pretty": break
            default:
                if try apply(name, value) {
                    used.append((name, value))
                } else if strict {
                    throw RecordsFailure.unknownParameter(name)
                } else if !ignored.contains(name) {
                    ignored.append(name)
                }
            }
        }
    }
}
