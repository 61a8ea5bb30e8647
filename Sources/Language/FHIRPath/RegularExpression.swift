import Foundation

/// A pattern of `matches()` and `replaceMatches()`: the Perl-like syntax of ICU, a dot matching line ends, too.
///
/// Patterns may come from anywhere, and some take exponential time on some texts: matching counts its steps by the
/// matcher's progress reports and gives up after a bound.
struct RegularExpression {
    private let expression: NSRegularExpression

    static let maximumPattern = 2000
    /// Progress reports that one match may make.
    static let maximumReports = 20_000

    init(_ pattern: String, flags: String) throws(FHIRPathError) {
        guard pattern.utf8.count <= RegularExpression.maximumPattern else {
            throw .limit("pattern-too-long", "A pattern has at most \(RegularExpression.maximumPattern) bytes.")
        }
        guard flags.allSatisfy({ $0 == "i" || $0 == "m" }) else {
            throw .execution("invalid-flags", "The flags of a pattern are i and m.")
        }
        var options: NSRegularExpression.Options = [.dotMatchesLineSeparators]
        if flags.contains("i") { options.insert(.caseInsensitive) }
        if flags.contains("m") { options.insert(.anchorsMatchLines) }
        do {
            // An empty pattern, which matches everywhere, has to be written as a group.
            expression = try NSRegularExpression(pattern: pattern.isEmpty ? "(?:)" : pattern, options: options)
        } catch {
            throw .execution("invalid-pattern", "The pattern is no regular expression: correct it.")
        }
    }

    func matches(_ text: String, whole: Bool) throws(FHIRPathError) -> Bool {
        var isFound = false
        let length = (text as NSString).length
        try enumerate(text) { range in
            if !whole || (range.location == 0 && range.length == length) { isFound = true }
            return isFound
        }
        if whole, !isFound {
            // The first match need not be the longest: ask for the whole text.
            return try RegularExpression("(?:" + expression.pattern + ")\\z", options: expression.options)
                .startsWhole(text, length)
        }
        return isFound
    }

    private init(_ pattern: String, options: NSRegularExpression.Options) throws(FHIRPathError) {
        do {
            expression = try NSRegularExpression(pattern: pattern, options: options)
        } catch {
            throw .execution("invalid-pattern", "The pattern is no regular expression: correct it.")
        }
    }

    private func startsWhole(_ text: String, _ length: Int) throws(FHIRPathError) -> Bool {
        var isFound = false
        try enumerate(text) { range in
            isFound = range.location == 0 && range.length == length
            return true
        }
        return isFound
    }

    func replaced(in text: String, by template: String, limit: Int) throws(FHIRPathError) -> String {
        var output = ""
        var last = 0
        let whole = text as NSString
        var failure: FHIRPathError?
        try enumerateResults(text) { result in
            output += whole.substring(with: NSRange(location: last, length: result.range.location - last))
            output += ReplacementTemplate.expand(template, result, whole)
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

    private func enumerate(_ text: String, _ body: (NSRange) -> Bool) throws(FHIRPathError) {
        try enumerateResults(text) { body($0.range) }
    }

    /// Calls the body with each match until it says that it has enough.
    private func enumerateResults(
        _ text: String, _ body: (NSTextCheckingResult) -> Bool
    ) throws(FHIRPathError) {
        var reports = 0
        let range = NSRange(location: 0, length: (text as NSString).length)
        withoutActuallyEscaping(body) { body in
            expression.enumerateMatches(in: text, options: [.reportProgress], range: range) { result, _, stop in
                if let result {
                    if body(result) { stop.pointee = true }
                } else {
                    reports += 1
                    if reports > RegularExpression.maximumReports { stop.pointee = true }
                }
            }
        }
        if reports > RegularExpression.maximumReports {
            throw .limit("pattern-too-costly", "The pattern takes too long on this text: simplify it.")
        }
    }
}
