import Foundation
import Storage

/// A constraint on a fact's value, as i2b2's query tool offers them.
public enum ValueConstraint: Sendable, Hashable {
    public enum Comparison: String, Sendable, CaseIterable {
        case lt = "LT", le = "LE", eq = "EQ", ne = "NE", ge = "GE", gt = "GT"
    }

    case compare(Comparison, Double)
    case between(Double, Double)
    /// The text, exactly.
    case equals(String)
    /// The text, anywhere in the value.
    case contains(String)

    /// What a constraint must look like.
    public struct ParseError: Error, Sendable, CustomStringConvertible {
        public let description = "a value is LT, LE, EQ, NE, GE or GT and a number, BETWEEN a b, IS text or LIKE text"
    }

    /// Reads `GE 100`, `BETWEEN 3 7`, `IS text`, `LIKE text`.
    public static func parse(_ text: String) throws -> ValueConstraint {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard let space = trimmed.firstIndex(of: " ") else { throw ParseError() }
        let word = trimmed[..<space].uppercased()
        let operand = trimmed[space...].trimmingCharacters(in: .whitespaces)
        if let comparison = Comparison(rawValue: word) {
            guard let number = number(operand) else { throw ParseError() }
            return .compare(comparison, number)
        }
        switch word {
        case "BETWEEN":
            let parts = operand.split(separator: " ").map(String.init).filter { $0.uppercased() != "AND" }
            guard parts.count == 2, let low = number(parts[0]), let high = number(parts[1]) else { throw ParseError() }
            return .between(min(low, high), max(low, high))
        case "IS" where !operand.isEmpty: return .equals(operand)
        case "LIKE" where !operand.isEmpty: return .contains(operand)
        default: throw ParseError()
        }
    }

    private static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The condition as the CRC cell writes it. A number without its operator in `tval_char` is seen by none of them.
    var sql: (condition: String, parameters: [SQLValue]) {
        func number(_ value: Double) -> SQLValue { .real(value) }
        switch self {
        case .compare(let comparison, let value):
            let v = number(value)
            switch comparison {
            case .gt:
                return (
                    "valtype_cd = 'N' AND ((nval_num > ? AND tval_char IN ('E', 'GE')) OR (nval_num >= ? AND tval_char = 'G'))",
                    [v, v]
                )
            case .ge: return ("valtype_cd = 'N' AND nval_num >= ? AND tval_char IN ('E', 'GE', 'G')", [v])
            case .lt:
                return (
                    "valtype_cd = 'N' AND ((nval_num < ? AND tval_char IN ('E', 'LE')) OR (nval_num <= ? AND tval_char = 'L'))",
                    [v, v]
                )
            case .le: return ("valtype_cd = 'N' AND nval_num <= ? AND tval_char IN ('E', 'LE', 'L')", [v])
            case .eq: return ("valtype_cd = 'N' AND nval_num = ? AND tval_char = 'E'", [v])
            case .ne:
                return (
                    "valtype_cd = 'N' AND ((nval_num <> ? AND tval_char <> 'NE') OR (nval_num = ? AND tval_char = 'NE'))",
                    [v, v]
                )
            }
        case .between(let low, let high):
            return ("valtype_cd = 'N' AND nval_num BETWEEN ? AND ? AND tval_char = 'E'", [number(low), number(high)])
        case .equals(let text): return ("valtype_cd = 'T' AND tval_char = ?", [SQLValue(text)])
        case .contains(let text):
            return (
                "valtype_cd = 'T' AND tval_char LIKE ? ESCAPE '!'", [SQLValue("%" + LikePattern.escaped(text) + "%")]
            )
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
}
