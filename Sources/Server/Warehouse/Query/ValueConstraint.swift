import Core
import Foundation
import Storage

/// A constraint on a fact's value, as in i2b2's query tool.
package enum ValueConstraint: Sendable, Hashable {
    package enum Comparison: String, Sendable, CaseIterable {
        case lt = "LT"
        case le = "LE"
        case eq = "EQ"
        case ne = "NE"
        case ge = "GE"
        case gt = "GT"
    }

    case compare(Comparison, Double)
    case between(Double, Double)
    /// The text, exactly.
    case equals(String)
    /// A pattern of SQL's LIKE: `%` for any text, `_` for any character; case-sensitive.
    case like(String)

    /// The error of a text that is not a constraint.
    package struct ParseError: CodedError {
        /// The stable code.
        package let code = "constraint-invalid"
        /// A sentence with the allowed forms.
        package let message = "A value is LT, LE, EQ, NE, GE or GT and a number, BETWEEN a b, IS text or LIKE text."
    }

    /// The position at which `LIKE` looks for its text. i2b2 writes it after the word, as in `LIKE[begin]`.
    enum Anchor: String, CaseIterable {
        case begin, end, contains, exact

        func pattern(_ text: String) -> String {
            switch self {
            case .begin: text + "%"
            case .end: "%" + text
            case .contains: "%" + text + "%"
            case .exact: text
            }
        }
    }

    /// Parses `GE 100`, `BETWEEN 3 7`, `IS text`, `LIKE text`. LIKE finds the text anywhere in the value, as i2b2's
    /// web client does by default; `LIKE[begin]`, `LIKE[end]`, `LIKE[contains]` and `LIKE[exact]` name a position.
    package static func parse(_ text: String) throws -> ValueConstraint {
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
        case "LIKE" where !operand.isEmpty: return .like(Anchor.contains.pattern(operand))
        default:
            let anchor = Anchor.allCases.first { word == "LIKE[\($0.rawValue.uppercased())]" }
            guard let anchor, !operand.isEmpty else { throw ParseError() }
            return anchor == .exact ? .equals(operand) : .like(anchor.pattern(operand))
        }
    }

    private static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// Returns the condition as the CRC cell writes it. None of the conditions matches a number without its operator
    /// in `tval_char`.
    func sql(_ dialect: SQLDialect) -> (condition: String, parameters: [SQLValue]) {
        switch self {
        case .compare(let comparison, let value):
            let parameter = SQLValue.real(value)
            let condition = Self.condition(comparison)
            return (condition, Array(repeating: parameter, count: condition.count { $0 == "?" }))
        case .between(let low, let high):
            return ("valtype_cd = 'N' AND nval_num BETWEEN ? AND ? AND tval_char = 'E'", [.real(low), .real(high)])
        case .equals(let text): return ("valtype_cd = 'T' AND tval_char = ?", [SQLValue(text)])
        case .like(let pattern):
            switch dialect {
            case .sqlite: return ("valtype_cd = 'T' AND tval_char GLOB ?", [SQLValue(LikePattern.glob(pattern))])
            case .postgresql: return ("valtype_cd = 'T' AND tval_char LIKE ? ESCAPE ''", [SQLValue(pattern)])
            }
        }
    }

    private static func condition(_ comparison: Comparison) -> String {
        switch comparison {
        case .gt:
            """
            valtype_cd = 'N' AND ((nval_num > ? AND tval_char IN ('E', 'GE')) OR (nval_num >= ? AND tval_char = 'G'))
            """
        case .ge: "valtype_cd = 'N' AND nval_num >= ? AND tval_char IN ('E', 'GE', 'G')"
        case .lt:
            """
            valtype_cd = 'N' AND ((nval_num < ? AND tval_char IN ('E', 'LE')) OR (nval_num <= ? AND tval_char = 'L'))
            """
        case .le: "valtype_cd = 'N' AND nval_num <= ? AND tval_char IN ('E', 'LE', 'L')"
        case .eq: "valtype_cd = 'N' AND nval_num = ? AND tval_char = 'E'"
        case .ne:
            """
            valtype_cd = 'N' AND ((nval_num <> ? AND tval_char <> 'NE') OR (nval_num = ? AND tval_char = 'NE'))
            """
        }
    }
}
