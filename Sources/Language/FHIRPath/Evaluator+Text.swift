import FHIR
import Foundation

extension Evaluator {
    /// The functions on text (<https://hl7.org/fhirpath/N1/#string-manipulation>).
    mutating func text(
        _ function: FHIRPathFunction, _ input: Items, _ arguments: [ExpressionNode], _ scope: Scope
    ) throws(FHIRPathError) -> Items {
        var name: String { function.rawValue + "()" }
        if function == .join {
            var parts: [String] = []
            for item in input.array {
                guard let text = try string(.one(item), name) else { continue }
                parts.append(text)
            }
            let separator = try arguments.first.map { node throws(FHIRPathError) in
                try string(try argument(node, scope), name)
            }
            guard !parts.isEmpty else { return .empty }
            return try bounded(parts.joined(separator: (separator ?? nil) ?? ""))
        }
        guard let text = try string(input, name) else { return .empty }
        try spend(1 + text.utf8.count / 64)
        switch function {
        case .upper: return .one(.string(text.uppercased()))
        case .lower: return .one(.string(text.lowercased()))
        case .length: return .one(.integer(text.unicodeScalars.count))
        case .toChars: return Items(try bounded(text.unicodeScalars.map { .string(String($0)) }))
        case .trim: return .one(.string(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        default: break
        }
        if function == .substring { return try substring(text, arguments, scope) }
        guard let argument = try string(try argument(arguments[0], scope), name) else { return .empty }
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
            return Items(try bounded(TextSearch.split(text, by: argument).map(FHIRPathValue.string)))
        case .encode: return try made(TextCoding.encoded(text, argument))
        case .decode: return try made(TextCoding.decoded(text, argument))
        case .escape: return try made(TextCoding.escaped(text, argument))
        case .unescape: return try made(TextCoding.unescaped(text, argument))
        case .replace:
            guard let replacement = try string(try self.argument(arguments[1], scope), name) else {
                return .empty
            }
            let count =
                argument.isEmpty ? text.unicodeScalars.count + 1 : text.utf8.count / argument.utf8.count
            guard count * max(1, replacement.utf8.count) + text.utf8.count <= context.limits.characters
            else {
                throw .limit(
                    "text-too-long", "A text would have more than \(context.limits.characters) characters.")
            }
            return .one(.string(TextSearch.replace(argument, by: replacement, in: text)))
        case .matches, .matchesFull:
            return .one(
                .boolean(
                    try pattern(arguments, argument, flagsAt: 1, function == .matchesFull, scope).matches(
                        text)))
        case .replaceMatches:
            guard let replacement = try string(try self.argument(arguments[1], scope), name) else {
                return .empty
            }
            if argument.isEmpty { return .one(.string(text)) }
            return try bounded(
                try pattern(arguments, argument, flagsAt: 2, false, scope).replaced(
                    in: text, by: replacement, limit: context.limits.characters))
        default: return .empty
        }
    }

    private mutating func made(_ text: String?) throws(FHIRPathError) -> Items {
        guard let text else { return .empty }
        return try bounded(text)
    }

    private mutating func pattern(
        _ arguments: [ExpressionNode], _ text: String, flagsAt place: Int, _ isWhole: Bool,
        _ scope: Scope
    ) throws(FHIRPathError) -> RegularExpression {
        if case .pattern(_, let compiled) = arguments[0] { return compiled }
        let flags =
            arguments.count > place ? try string(try argument(arguments[place], scope), "A pattern") : nil
        return try RegularExpression(text, flags: flags ?? "", isWhole: isWhole)
    }

    private mutating func substring(
        _ text: String, _ arguments: [ExpressionNode], _ scope: Scope
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

/// Searching by code points.
enum TextSearch {
    /// Where the text stands, in code points from 0.
    static func offset(of needle: String, in text: String) -> Int? {
        if needle.isEmpty { return 0 }
        let (bytes, part) = (Array(text.utf8), Array(needle.utf8))
        return byteOffset(of: part, in: bytes, from: 0).map { scalars(before: $0, in: bytes) }
    }

    static func lastOffset(of needle: String, in text: String) -> Int? {
        let (bytes, part) = (Array(text.utf8), Array(needle.utf8))
        if part.isEmpty { return scalars(before: bytes.count, in: bytes) }
        guard bytes.count >= part.count else { return nil }
        for start in stride(from: bytes.count - part.count, through: 0, by: -1)
        where bytes[start] == part[0] && bytes[start..<start + part.count].elementsEqual(part) {
            return scalars(before: start, in: bytes)
        }
        return nil
    }

    static func byteOffset(of part: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = part.first, bytes.count >= part.count else { return nil }
        var place = start
        while place + part.count <= bytes.count {
            if bytes[place] == first, bytes[place..<place + part.count].elementsEqual(part) {
                return place
            }
            place += 1
        }
        return nil
    }

    private static func scalars(before place: Int, in bytes: [UInt8]) -> Int {
        bytes[..<place].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }

    static func split(_ text: String, by separator: String) -> [String] {
        if separator.isEmpty { return text.unicodeScalars.map { String($0) } }
        let (bytes, part) = (Array(text.utf8), Array(separator.utf8))
        var output: [String] = []
        var start = 0
        while let place = byteOffset(of: part, in: bytes, from: start) {
            output.append(String(decoding: bytes[start..<place], as: UTF8.self))
            start = place + part.count
        }
        return output + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// An empty text stands between all code points and at both ends.
    static func replace(_ needle: String, by replacement: String, in text: String) -> String {
        if needle.isEmpty {
            return replacement + text.unicodeScalars.map { String($0) + replacement }.joined()
        }
        return split(text, by: needle).joined(separator: replacement)
    }
}

/// Encodings and escapes by their names.
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
        case "html":
            return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
                ">", with: "&gt;"
            )
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
        case "json":
            let quoted = String(decoding: JSON.string(text).bytes(), as: UTF8.self)
            return String(quoted.dropFirst().dropLast())
        default: return nil
        }
    }

    static func unescaped(_ text: String, _ target: String) -> String? {
        switch target {
        case "html":
            return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing(
                "&quot;", with: "\""
            )
            .replacing("&#39;", with: "'").replacing("&apos;", with: "'").replacing("&amp;", with: "&")
        case "json":
            // Quotes that the expression's own literal did not escape stand for themselves.
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
