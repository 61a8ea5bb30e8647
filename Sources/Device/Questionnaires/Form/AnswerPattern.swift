import Foundation

/// A form's regular expression, which must match a whole answer.
///
/// The pattern is the form's own and may backtrack without end; the matching is given up after a fixed amount of work,
/// whatever the machine.
struct AnswerPattern: Sendable {
    private let expression: NSRegularExpression

    enum Outcome: Sendable { case matches, differs, undecided }

    /// nil where the pattern cannot be read.
    init?(_ pattern: String) {
        guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else { return nil }
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
