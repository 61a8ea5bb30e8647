/// The ontology as text: one line for each concept, indented by its level, with its code and its type.
///
/// No line is longer than the width. A name that is too long is truncated at the end, a code in the middle, because
/// its scheme and its end distinguish it from its neighbours.
package struct OntologyTree: Sendable {
    /// The lines; the first one contains the column names.
    package let lines: [String]

    private static let gap = 2
    private static let widestCode = 34

    /// - Parameters:
    ///   - concepts: the concepts in the order of their paths.
    ///   - width: maximum number of characters of a line.
    package init(_ concepts: [OntologyConcept], width: Int = 100) {
        let rows =
            [(name: "name", code: "code", type: "type")]
            + concepts.map { concept in
                let indent = String(repeating: " ", count: 2 * Self.level(concept.path))
                return (indent + Self.plain(concept.name), Self.plain(concept.code ?? ""), concept.type)
            }
        let codeWidth = min(Self.widestCode, rows.map(\.code.count).max() ?? 0)
        let typeWidth = rows.map(\.type.count).max() ?? 0
        let room = max(1, width - codeWidth - typeWidth - 2 * Self.gap)
        let nameWidth = min(room, rows.map(\.name.count).max() ?? 0)
        lines = rows.map { row in
            let cells = [
                Self.padded(Self.beginning(of: row.name, nameWidth), nameWidth),
                Self.padded(Self.ends(of: row.code, codeWidth), codeWidth), row.type,
            ]
            let line = cells.joined(separator: String(repeating: " ", count: Self.gap))
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Returns the level of a path; the root's is 0.
    private static func level(_ path: String) -> Int { max(0, path.split(separator: "\\").count - 1) }

    /// Returns the text without control characters: the text of a form may contain line breaks and terminal control
    /// sequences.
    private static func plain(_ text: String) -> String {
        text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : String($0) }
            .joined().split(separator: " ").joined(separator: " ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func beginning(of text: String, _ width: Int) -> String {
        text.count <= width ? text : text.prefix(width - 1) + "…"
    }

    private static func ends(of text: String, _ width: Int) -> String {
        guard text.count > width else { return text }
        let end = (width - 1) / 2
        return text.prefix(width - 1 - end) + "…" + text.suffix(end)
    }
}
