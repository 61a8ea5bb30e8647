import Foundation
import Storage

/// The condition that a column's path is another path or below it.
///
/// LIKE is case-sensitive in PostgreSQL, but not in SQLite, and linkIds differ by case. So the condition for SQLite
/// also contains the range of texts with the same beginning, for which SQLite uses its index.
struct PathPrefix {
    let condition: String
    let parameters: [SQLValue]

    init(_ path: String, column: String, dialect: SQLDialect) {
        let folder = path.hasSuffix("\\") ? path : path + "\\"
        let pattern = SQLValue(LikePattern.escaped(folder) + "%")
        switch dialect {
        case .sqlite:
            // ] is the character after the backslash with which the folder ends.
            condition = "\(column) LIKE ? ESCAPE '!' AND \(column) >= ? AND \(column) < ?"
            parameters = [pattern, SQLValue(folder), SQLValue(folder.dropLast() + "]")]
        case .postgresql:
            condition = "\(column) LIKE ? ESCAPE '!'"
            parameters = [pattern]
        }
    }
}

/// Escapes SQL's LIKE wildcards `%` and `_` with `!`. A backslash is unsuitable, because paths contain many of them.
enum LikePattern {
    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "!", with: "!!").replacingOccurrences(of: "%", with: "!%")
            .replacingOccurrences(of: "_", with: "!_")
    }

    /// Returns the same pattern for SQLite's GLOB, which is case-sensitive like LIKE in other databases.
    static func glob(_ pattern: String) -> String {
        var output = ""
        for character in pattern {
            switch character {
            case "%": output.append("*")
            case "_": output.append("?")
            case "*", "?", "[": output += "[\(character)]"
            default: output.append(character)
            }
        }
        return output
    }
}
