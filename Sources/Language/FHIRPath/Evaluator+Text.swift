import Core
import FHIR
import Foundation

extension Evaluator {
    /// Evaluates the functions on text (<https://hl7.org/fhirpath/N1/#string-manipulation>).
    mutating func text(
        _ function: FHIRPathFunction, on input: Items, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        var name: String { function.rawValue + "()" }
        if function == .join {
            var parts: [String] = []
            var bytes = 0
            for item in input.array {
                guard let text = try string(.one(item), name) else { continue }
                parts.append(text)
                bytes += text.utf8.count
            }
            let separator = try arguments.first.map { node throws(FHIRPathError) in
                try string(try argument(node, scope), name)
            }
            guard !parts.isEmpty else { return .empty }
            bytes += (parts.count - 1) * ((separator ?? nil) ?? "").utf8.count
            guard bytes <= context.limits.characters else { throw tooLong }
            return try bounded(parts.joined(separator: (separator ?? nil) ?? ""))
        }
        guard let text = try string(input, name) else { return .empty }
        try spend(bytes: text.utf8.count)
        switch function {
        case .upper: return .one(.string(text.uppercased()))
        case .lower: return .one(.string(text.lowercased()))
        case .length: return .one(.integer(text.unicodeScalars.count))
        case .toChars:
            guard text.utf8.count / 4 <= context.limits.items else { throw tooMany }
            return Items(try bounded(text.unicodeScalars.map { .string(String($0)) }))
        case .trim: return .one(.string(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        default: break
        }
        if function == .substring { return try substring(text, arguments: arguments, in: scope) }
        guard let argument = try string(try argument(arguments[0], scope), name) else { return .empty }
        try spend(bytes: argument.utf8.count)
        switch function {
        case .startsWith:
            return .one(.boolean(argument.isEmpty || text.utf8.starts(with: argument.utf8)))
        case .endsWith:
            return .one(
                .boolean(argument.isEmpty || text.utf8.reversed().starts(with: argument.utf8.reversed())))
        case .contains:
            return .one(.boolean(argument.isEmpty || TextSearch.offset(of: argument, in: text) != nil))
        case .indexOf: return .one(.integer(TextSearch.offset(of: argument, in: text) ?? -1))
        case .lastIndexOf: return .one(.integer(TextSearch.lastOffset(of: argument, in: text) ?? -1))
        case .split:
            guard let parts = TextSearch.split(text, by: argument, limit: context.limits.items) else { throw tooMany }
            try spend(parts.count)
            return Items(parts.map(FHIRPathValue.string))
        case .encode: return try made(TextCoding.encoded(text, argument))
        case .decode: return try made(TextCoding.decoded(text, argument))
        case .escape: return try made(TextCoding.escaped(text, argument))
        case .unescape: return try made(TextCoding.unescaped(text, argument))
        case .replace:
            guard let replacement = try string(try self.argument(arguments[1], scope), name) else {
                return .empty
            }
            try spend(bytes: replacement.utf8.count)
            guard
                let replaced = TextSearch.replace(
                    argument, by: replacement, in: text, limit: context.limits.characters)
            else { throw tooLong }
            return try bounded(replaced)
        case .matches, .matchesFull:
            let expression = try pattern(
                arguments, text: argument, flagsAt: 1, isWhole: function == .matchesFull, in: scope)
            return .one(
                .boolean(
                    try matching(in: text) { reports throws(FHIRPathError) in
                        try expression.matches(text, &reports)
                    }))
        case .replaceMatches:
            guard let replacement = try string(try self.argument(arguments[1], scope), name) else {
                return .empty
            }
            if argument.isEmpty { return .one(.string(text)) }
            let expression = try pattern(arguments, text: argument, flagsAt: 2, isWhole: false, in: scope)
            let limit = context.limits.characters
            return try bounded(
                try matching(in: text) { reports throws(FHIRPathError) in
                    try expression.replaced(in: text, by: replacement, limit: limit, &reports)
                })
        default: return .empty
        }
    }

    private var tooMany: FHIRPathError {
        .limit("too-many-items", "A collection would have more than \(context.limits.items) items.")
    }

    private var tooLong: FHIRPathError {
        .limit("text-too-long", "A text would have more than \(context.limits.characters) characters.")
    }

    /// Matches a pattern. Each progress report of the matcher costs steps, and matching stops when no steps remain, the
    /// deadline has passed or the task is cancelled. The cost is also charged if matching stops.
    private mutating func matching<Result>(
        in text: String, _ match: (inout RegularExpression.Reports) throws(FHIRPathError) -> Result
    ) throws(FHIRPathError) -> Result {
        let positions = text.utf16.count + 1
        var reports = RegularExpression.Reports(
            limit: min(
                RegularExpression.maximumReports, RegularExpression.reports(within: stepsLeft, positions: positions)),
            budget: budget)
        let result: Result
        do throws(FHIRPathError) {
            result = try match(&reports)
        } catch {
            _ = try? spend(RegularExpression.steps(ofReports: reports.count, positions: positions))
            throw error
        }
        try spend(RegularExpression.steps(ofReports: reports.count, positions: positions))
        return result
    }

    private mutating func made(_ text: String?) throws(FHIRPathError) -> Items {
        guard let text else { return .empty }
        return try bounded(text)
    }

    private mutating func pattern(
        _ arguments: [ExpressionNode], text: String, flagsAt index: Int, isWhole: Bool,
        in scope: Scope
    ) throws(FHIRPathError) -> RegularExpression {
        if case .pattern(_, let compiled) = arguments[0] { return compiled }
        // A pattern from the data is compiled for each call.
        try spend(text.utf8.count)
        let flags =
            arguments.count > index ? try string(try argument(arguments[index], scope), "A pattern") : nil
        return try RegularExpression(text, flags: flags ?? "", isWhole: isWhole)
    }

    private mutating func substring(
        _ text: String, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        guard let start = try integer(try argument(arguments[0], scope), "substring()") else {
            return .empty
        }
        let scalars = text.unicodeScalars
        guard start >= 0, start < scalars.count else { return .empty }
        var rest = scalars.dropFirst(start)
        if arguments.count == 2,
            let length = try integer(try argument(arguments[1], scope), "substring()")
        {
            rest = rest.prefix(max(0, length))
        }
        return .one(.string(String(rest)))
    }
}

/// Encodings and escapes, selected by name.
enum TextCoding {
    static func encoded(_ text: String, _ format: String) -> String? {
        switch format {
        case "base64": Data(text.utf8).base64EncodedString()
        case "urlbase64":
            Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        case "ascii":
            String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isASCII ? $0 : "?" }))
        case "hex": Hexadecimal.text(text.utf8)
        default: nil
        }
    }

    static func decoded(_ text: String, _ format: String) -> String? {
        switch format {
        case "base64", "urlbase64":
            var plain = text
            if format == "urlbase64" { plain = plain.replacing("-", with: "+").replacing("_", with: "/") }
            while plain.utf8.count % 4 != 0 { plain += "=" }
            return Data(base64Encoded: plain).flatMap { String(data: $0, encoding: .utf8) }
        case "hex": return Hexadecimal.bytes(text).flatMap { String(validUTF8: $0) }
        default: return nil
        }
    }

    static func escaped(_ text: String, _ target: String) -> String? {
        switch target {
        case "html": return MarkupText.escaped(text)
        case "json":
            let quoted = String(decoding: JSON.string(text).bytes(), as: UTF8.self)
            return String(quoted.dropFirst().dropLast())
        default: return nil
        }
    }

    static func unescaped(_ text: String, _ target: String) -> String? {
        switch target {
        case "html": return MarkupText.unescaped(text)
        case "json":
            // Quotes that are not escaped in the expression's literal represent themselves.
            var quoted = ""
            var isEscape = false
            for character in text {
                if character == "\"" && !isEscape { quoted += "\\" }
                isEscape = character == "\\" && !isEscape
                quoted.append(character)
            }
            return (try? JSON(Array(("\"" + quoted + "\"").utf8)))?.string
        default: return nil
        }
    }
}
