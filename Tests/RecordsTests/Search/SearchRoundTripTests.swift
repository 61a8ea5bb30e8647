import Core
import FHIR
import Foundation
import TestSupport
import Testing

@testable import Records

/// Each value of HL7's examples is asked for as a search would write it, and found.
@Suite(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct SearchRoundTripTests {
    @Test func everyValueIsFoundByItself() throws {
        var asked = 0
        for (name, resource) in try SearchedExamples.all() {
            guard let values = SearchValues(of: resource) else { continue }
            for entry in values.entries {
                let parameter = values.tree.parameters[entry.parameter]
                guard let (modifier, text) = written(entry.value) else { continue }
                let condition = try SearchCondition(
                    parameter.code + modifier, value: text, of: resource.resourceType)
                let isFound = condition.matches(values)
                #expect(isFound, "\(name) \(parameter.code)\(modifier)=\(text)")
                asked += 1
            }
        }
        print("\(asked) searches")
        #expect(asked > 3_000)
    }

    @Test func everyParameterIsMissingOrNot() throws {
        for (name, resource) in try SearchedExamples.all().prefix(60) {
            guard let values = SearchValues(of: resource) else { continue }
            for parameter in values.tree.parameters where parameter.kind != .composite {
                let both = try ["true", "false"].map { truth in
                    try SearchCondition(parameter.code + ":missing", value: truth, of: resource.resourceType)
                        .matches(values)
                }
                #expect(both[0] != both[1], "\(name) \(parameter.code)")
                #expect(both[1] || values[parameter.code].isEmpty)
            }
        }
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { output, character in
            if ",|$\\".contains(character) { output += "\\" }
            output.append(character)
        }
    }

    /// A value as a search asks for it, with its modifier; nil for one that has no such form.
    private func written(_ value: SearchValue) -> (modifier: String, text: String)? {
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

    private func written(_ token: SearchToken) -> String {
        let code = escaped(token.code ?? "")
        return token.system.map { escaped($0) + "|" + code } ?? code
    }
}
