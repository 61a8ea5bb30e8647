import FHIR
import Foundation

/// A pattern of `matches()` and `replaceMatches()` in ICU's Perl-like syntax; a dot also matches line ends.
///
/// Patterns may come from untrusted input, and some take exponential time on some texts. Matching counts the progress
/// reports of the matcher and stops at a limit.
struct RegularExpression: Sendable {
    private let expression: NSRegularExpression

    static let maximumPattern = 2000
    /// Maximum number of progress reports of one match.
    static let maximumReports = 5000
    /// Evaluation steps for the work between two reports, which is 10,000 steps of the matcher.
    private static let stepsPerReport = 1000
    /// Evaluation steps for a report that may be that of a position.
    private static let stepsPerPosition = 50

    /// Returns the evaluation steps for a number of reports. The matcher reports each position of the text at which it
    /// begins, and each 10,000 steps of its own. A report does not contain which of the two it is: the first reports,
    /// up to the number of positions, have the lower cost.
    static func steps(ofReports count: Int, positions: Int) -> Int {
        min(count, positions) * stepsPerPosition + max(0, count - positions) * stepsPerReport
    }

    /// Returns the number of reports that a number of steps allows.
    static func reports(within steps: Int, positions: Int) -> Int {
        let cheap = steps / stepsPerPosition
        return cheap < positions
            ? cheap : positions + (steps - positions * stepsPerPosition) / stepsPerReport
    }

    /// The progress reports of one match.
    struct Reports {
        /// Maximum number of reports, after which the match ends.
        let limit: Int
        /// The budget whose deadline ends the match; nil without one.
        let budget: StepBudget?
        fileprivate(set) var count = 0
    }

    /// - Parameter isWhole: whether the whole text must match.
    init(_ pattern: String, flags: String, isWhole: Bool = false) throws(FHIRPathError) {
        guard pattern.utf8.count <= RegularExpression.maximumPattern else {
            throw .limit(
                "pattern-too-long", "A pattern has a maximum of \(RegularExpression.maximumPattern) bytes.")
        }
        guard flags.allSatisfy({ $0 == "i" || $0 == "m" }) else {
            throw .execution("invalid-flags", "The flags of a pattern are i and m.")
        }
        var options: NSRegularExpression.Options = [.dotMatchesLineSeparators]
        if flags.contains("i") { options.insert(.caseInsensitive) }
        if flags.contains("m") { options.insert(.anchorsMatchLines) }
        do {
            // An empty pattern, which matches everywhere, must be written as a group.
            let plain = try NSRegularExpression(
                pattern: pattern.isEmpty ? "(?:)" : pattern, options: options)
            expression =
                isWhole ? try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options) : plain
        } catch {
            throw .execution("invalid-pattern", "The pattern is not a regular expression: correct it.")
        }
    }

    /// Returns whether the pattern is found in the text.
    func matches(_ text: String, _ reports: inout Reports) throws(FHIRPathError) -> Bool {
        var isFound = false
        try enumerateResults(in: text, reports: &reports) { _ in
            isFound = true
            return true
        }
        return isFound
    }

    func replaced(
        in text: String, by template: String, limit: Int, _ reports: inout Reports
    ) throws(FHIRPathError) -> String {
        var output = ""
        var last = 0
        let whole = text as NSString
        var failure: FHIRPathError?
        try enumerateResults(in: text, reports: &reports) { result in
            output += whole.substring(with: NSRange(location: last, length: result.range.location - last))
            output += ReplacementTemplate.expand(template, match: result, in: whole)
            last = result.range.location + result.range.length
            if output.utf8.count > limit {
                failure = .limit("text-too-long", "A text would have more than \(limit) characters.")
                return true
            }
            return false
        }
        if let failure { throw failure }
        return output + whole.substring(from: last)
    }

    /// Calls the body with each match until it returns true.
    private func enumerateResults(
        in text: String, reports: inout Reports, _ body: (NSTextCheckingResult) -> Bool
    ) throws(FHIRPathError) {
        var (count, isOver) = (0, false)
        let (limit, budget) = (reports.limit, reports.budget)
        let range = NSRange(location: 0, length: text.utf16.count)
        withoutActuallyEscaping(body) { body in
            expression.enumerateMatches(in: text, options: [.reportProgress], range: range) {
                result, _, stop in
                if let result {
                    if body(result) { stop.pointee = true }
                } else {
                    count += 1
                    isOver = count > limit || budget?.isOver == true
                    if isOver { stop.pointee = true }
                }
            }
        }
        reports.count = count
        if isOver {
            throw .limit("pattern-too-costly", "The pattern takes too long on this text: simplify it.")
        }
    }
}
