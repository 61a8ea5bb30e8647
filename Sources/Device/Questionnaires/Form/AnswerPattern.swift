import Foundation

/// A form's regular expression, which must match a whole answer.
///
/// The pattern is the form's own and may backtrack without end; the matching is given up after a fixed amount of work,
/// whatever the machine.
///
/// Forms made for the web write `/pattern/flags` as JavaScript does. The slashes are no part of the pattern, for an answer
/// that has them is none that such a form asks for.
struct AnswerPattern: Sendable {
    private let expression: NSRegularExpression
    /// Whether it was written between JavaScript's slashes.
    let isOfJavaScript: Bool

    enum Outcome: Sendable { case matches, differs, undecided }

    /// nil where the pattern cannot be read.
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
                // What these say does not change whether a whole text matches.
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

    /// How often the matcher may report that it is still at work; one report is some thousands of steps.
    private static let patience = 2_000

    func match(_ text: String) -> Outcome {
        var found = false
        var reports = 0
        let range = NSRange(location: 0, length: text.utf16.count)
        expression.enumerateMatches(in: text, options: [.reportProgress], range: range) { result, _, stop in
            if result != nil { found = true } else { reports += 1 }
            if found || reports > Self.patience { stop.pointee = true }
        }
        if found { return .matches }
        return reports > Self.patience ? .undecided : .differs
    }
}
