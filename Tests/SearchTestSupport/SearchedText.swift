import FHIR
import Foundation

@testable import FHIRSearch

/// Values in the form of searches.
package enum SearchedText {
    package static func escaped(_ text: String) -> String {
        text.reduce(into: "") { output, character in
            if ",|$\\".contains(character) { output += "\\" }
            output.append(character)
        }
    }

    /// Returns a value in the form of a search with its modifier, or nil if there is no such form.
    package static func written(_ value: SearchValue) -> (modifier: String, text: String)? {
        switch value {
        case .token(let token):
            guard token.code != nil || token.system != nil else { return (":text", escaped(token.text ?? "")) }
            return ("", written(token))
        case .string(let string): return ("", escaped(string.folded))
        case .date(let period):
            guard period.low != .min, period.high != .max else { return nil }
            return ("", "ap" + DateTime(Date(timeIntervalSince1970: Double(period.low) / 1_000)).text)
        case .number(let number): return number.low.map { ("", "ge" + $0.text(digits: 30)) }
        case .quantity(let quantity):
            guard let low = quantity.number.low, let code = quantity.code, let system = quantity.system else {
                return nil
            }
            return ("", "ge\(low.text(digits: 30))|\(escaped(system))|\(escaped(code))")
        case .reference(let reference):
            if let type = reference.type, let id = reference.id {
                return ("", (reference.base.map { $0 + "/" } ?? "") + type + "/" + id)
            }
            if let url = reference.url {
                return url.contains(":") || url.contains("/")
                    ? ("", escaped(url) + (reference.version.map { "|" + escaped($0) } ?? "")) : nil
            }
            return reference.identifier.map { (":identifier", written($0)) }
        case .uri(let text): return ("", escaped(text))
        case .composite(let parts):
            let texts = parts.compactMap { part in written(part).flatMap { $0.modifier.isEmpty ? $0.text : nil } }
            return texts.count == parts.count ? ("", texts.joined(separator: "$")) : nil
        }
    }

    package static func written(_ token: SearchToken) -> String {
        let code = escaped(token.code ?? "")
        return token.system.map { escaped($0) + "|" + code } ?? code
    }
}
