import Foundation
import Storage

/// The condition that a column's path is below another path, or is it.
///
/// PostgreSQL's LIKE tells capitals from small letters, SQLite's does not, and linkIds differ by case; so on SQLite the
/// range of texts that begin alike is asked for too, which its index answers.
struct PathPrefix {
    let condition: String
    let parameters: [SQLValue]

    init(_ path: String, column: String, dialect: SQLDialect) {
        let folder = path.hasSuffix("\\") ? path : path + "\\"
        let pattern = SQLValue(LikePattern.escaped(folder) + "%")
        switch dialect {
        case .sqlite:
            // ] comes right behind the backslash that the folder ends in.
            condition = "\(column) LIKE ? ESCAPE '!' AND \(column) >= ? AND \(column) < ?"
            parameters = [pattern, SQLValue(folder), SQLValue(folder.dropLast() + "]")]
        case .postgresql:
            condition = "\(column) LIKE ? ESCAPE '!'"
            parameters = [pattern]
        }
    }
}

/// SQL's LIKE takes `%` and `_` for wildcards; a `!` before them takes that away. A backslash would not do: paths are
/// full of them.
enum LikePattern {
    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "!", with: "!!").replacingOccurrences(of: "%", with: "!%")
            .replacingOccurrences(of: "_", with: "!_")
    }

    /// The same pattern for SQLite's GLOB, which tells capitals from small letters as LIKE does elsewhere.
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
