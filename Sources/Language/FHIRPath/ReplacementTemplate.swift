import Foundation

/// The replacement of `replaceMatches()`: `$1` and `${1}` are groups by number, `${name}` is a group by name, `$0` and
/// `$&` are the whole match; a backslash escapes the next character. A group that did not match is empty.
enum ReplacementTemplate {
    static func expand(_ template: String, match: NSTextCheckingResult, in text: NSString) -> String {
        var output = ""
        var rest = template[...]
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                output.append(rest.popFirst() ?? "\\")
            case "$":
                if let (group, after) = reference(rest, match) {
                    if group.location != NSNotFound { output += text.substring(with: group) }
                    rest = after
                } else {
                    output.append("$")
                }
            default: output.append(character)
            }
        }
        return output
    }

    private static func reference(
        _ text: Substring, _ match: NSTextCheckingResult
    ) -> (group: NSRange, after: Substring)? {
        if text.first == "&" { return (match.range, text.dropFirst()) }
        if text.first == "{" {
            guard let end = text.firstIndex(of: "}") else { return nil }
            let name = text[text.index(after: text.startIndex)..<end]
            let after = text[text.index(after: end)...]
            if let number = Int(name) { return group(number, match).map { ($0, after) } }
            return (match.range(withName: String(name)), after)
        }
        // Uses the longest group number that exists: $12 is group 1 and a 2 if there are fewer than 12 groups.
        var digits = text.prefix { $0.isASCII && $0.isNumber }.prefix(3)
        while let number = Int(digits) {
            if let range = group(number, match) { return (range, text.dropFirst(digits.count)) }
            digits = digits.dropLast()
        }
        return nil
    }

    private static func group(_ number: Int, _ match: NSTextCheckingResult) -> NSRange? {
        number < match.numberOfRanges ? match.range(at: number) : nil
    }
}
