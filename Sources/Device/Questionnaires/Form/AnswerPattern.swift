import Foundation

/// A form's regular expression, which must match a whole answer.
///
/// The pattern comes from the form and can backtrack without limit. Matching ends after a fixed amount of work, which
/// does not depend on the machine.
///
/// Web forms contain JavaScript's `/pattern/flags`. The slashes are not part of the pattern, because such a form does
/// not expect them in an answer.
package struct AnswerPattern: Sendable {
    private let expression: NSRegularExpression
    /// Whether the pattern has JavaScript's slashes.
    let isOfJavaScript: Bool

    enum Outcome: Sendable { case matches, differs, undecided }

    /// Nil if the pattern cannot be parsed.
    init?(_ pattern: String) {
        var pattern = pattern
        var options: NSRegularExpression.Options = []
        let literal = pattern.wholeMatch(of: /\/(.+)\/([a-z]*)/)
        isOfJavaScript = literal != nil
        if let literal {
            pattern = String(literal.1)
            for flag in literal.2 {
                switch flag {
                case "i": options.insert(.caseInsensitive)
                case "m": options.insert(.anchorsMatchLines)
                case "s": options.insert(.dotMatchesLineSeparators)
                // These flags do not change whether a whole text matches.
                case "d", "g", "u", "y": break
                default: return nil
                }
            }
        }
        guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options) else {
            return nil
        }
        self.expression = expression
    }

    /// The pattern for a matcher that searches anywhere in a text and knows no options: it begins and ends with the text,
    /// and contains the options as flags.
    package var anchored: String {
        let flags: [(NSRegularExpression.Options, String)] = [
            (.caseInsensitive, "i"), (.anchorsMatchLines, "m"), (.dotMatchesLineSeparators, "s"),
        ]
        let used = flags.filter { expression.options.contains($0.0) }.map(\.1).joined()
        return used.isEmpty ? expression.pattern : "(?\(used))\(expression.pattern)"
    }

    /// Maximum number of progress reports of the matcher; one report represents some thousands of steps.
    private static let reportLimit = 2_000

    func match(_ text: String) -> Outcome {
        var found = false
        var reports = 0
        let range = NSRange(location: 0, length: text.utf16.count)
        expression.enumerateMatches(in: text, options: [.reportProgress], range: range) { result, _, stop in
            if result != nil { found = true } else { reports += 1 }
            if found || reports > Self.reportLimit { stop.pointee = true }
        }
        if found { return .matches }
        return reports > Self.reportLimit ? .undecided : .differs
    }
}
