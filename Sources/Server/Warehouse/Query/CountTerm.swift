import Foundation
import Storage

/// One condition of a count: facts below a path, with a value, in a period.
package struct CountTerm: Sendable, Hashable {
    /// The path as the ontology lists it, or as i2b2's clients write it, with the table before it.
    package let path: String
    package let value: ValueConstraint?
    /// The first instant, inclusive; nil for no bound. Facts' start dates are in UTC.
    package let from: Date?
    /// The end of the period, exclusive; nil for no bound.
    package let to: Date?

    package init(path: String, value: ValueConstraint? = nil, from: Date? = nil, to: Date? = nil) {
        (self.path, self.value, self.from, self.to) = (path, value, from, to)
    }

    /// Whether the term has neither a value nor a period.
    var isOfPathOnly: Bool { value == nil && from == nil && to == nil }

    /// Returns the condition on the columns of `observation_fact`.
    func sql(_ selection: PathSelection, dialect: SQLDialect) -> (condition: String, parameters: [SQLValue]) {
        var (condition, parameters) = selection.sql(dialect)
        if let value {
            let constraint = value.sql(dialect)
            condition += " AND modifier_cd = '@' AND (\(constraint.condition))"
            parameters += constraint.parameters
        }
        if let from {
            condition += " AND start_date >= ?"
            parameters.append(SQLValue(WarehouseTime.text(from)))
        }
        if let to {
            condition += " AND start_date < ?"
            parameters.append(SQLValue(WarehouseTime.text(to)))
        }
        return (condition, parameters)
    }
}

/// A term as it is written on the command line: `PATH; value=GE 100; from=2026-01-01; to=2026-02-01`.
///
/// A path of the ontology contains no semicolon. A semicolon in a value belongs to it unless one of the three names and
/// `=` follow.
package struct CountTermText: Sendable, Hashable {
    package let path: String
    package private(set) var value: String?
    package private(set) var from: String?
    package private(set) var to: String?

    /// The error of a text that is not a term.
    package struct ParseError: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    private static let names = ["value", "from", "to"]

    /// - Throws: ``ParseError`` for an unknown name, a name that occurs twice, or a missing path.
    package init(parsing text: String) throws(ParseError) {
        var parts = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        path = parts.removeFirst().trimmingCharacters(in: .whitespaces)
        guard !path.isEmpty else { throw ParseError(description: "A term begins with a path.") }
        var found: [(name: String, text: String)] = []
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmingCharacters(in: .whitespaces).lowercased()
            if pair.count == 2, Self.names.contains(name) {
                found.append((name, String(pair[1])))
            } else if let last = found.last, last.name == "value" {
                found[found.count - 1].text += ";" + part
            } else {
                throw ParseError(
                    description: "After the path, a term has value=, from= or to=, each after a semicolon.")
            }
        }
        for (name, text) in found {
            let text = text.trimmingCharacters(in: .whitespaces)
            let known = name == "value" ? value : name == "from" ? from : to
            guard known == nil, !text.isEmpty else {
                throw ParseError(description: "A term has \(name)= once, with a text.")
            }
            switch name {
            case "value": value = text
            case "from": from = text
            default: to = text
            }
        }
    }
}
