import Core
import FHIR
import Foundation

/// One parameter of a search with its modifier and values, parsed and validated. Pure.
///
/// ```swift
/// let condition = try SearchCondition(
///     "value-quantity", value: "gt5.4|http://unitsofmeasure.org|mg", of: "Observation")
/// condition.matches(resource)
/// ```
public struct SearchCondition: Sendable {
    /// The context of a search.
    package struct Context: Sendable {
        /// The time to which `ap` measures the distance of dates.
        package var now = Date()
        /// The server's own base URLs, without a final slash.
        package var ownBases: [String] = []
    }

    /// The searched resource type.
    package let type: String
    package let parameter: SearchParameterTable.Parameter
    package let modifier: SearchModifier?
    /// The values, of which one must match.
    package let alternatives: [SearchComparand]

    /// Maximum number of values of one condition.
    static let maximumAlternatives = 1_000

    /// Reads a condition. `name` is the parameter with its modifier after a colon; ``SearchCriterionReader`` reads
    /// chains.
    ///
    /// - Throws: ``SearchConditionError``.
    package init(
        _ name: String, value: String, of type: String, in context: Context
    ) throws(SearchConditionError) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let tree = ParameterPathTrie.of(type), let index = tree.index(of: parts[0]) else {
            throw .unknownParameter(type)
        }
        self.type = type
        parameter = tree.parameters[index]
        let code = parameter.code
        if parts.count > 1 {
            guard let modifier = SearchModifier(parts[1]), modifier.applies(to: parameter.kind) else {
                throw .unknownModifier(code)
            }
            self.modifier = modifier
        } else {
            modifier = nil
        }
        // SQLite accepts no text with a zero byte, and no stored text has one.
        guard !value.utf8.contains(0) else { throw .invalid(code, "without zero bytes") }
        guard SearchText.isEscapedWell(value) else { throw .escape(code) }
        let texts = SearchText.split(value, at: ",").filter { !$0.isEmpty }
        guard !texts.isEmpty else { throw .invalid(code, "a value") }
        guard texts.count <= Self.maximumAlternatives else { throw .tooMany(code, Self.maximumAlternatives) }
        let reader = SearchComparandReader(parameter: parameter, modifier: modifier, context: context)
        var alternatives: [SearchComparand] = []
        for text in texts { alternatives.append(try reader.read(text)) }
        self.alternatives = alternatives
    }

    /// Reads a condition that holds now, without a server's own base URLs.
    ///
    /// - Parameters:
    ///   - name: the parameter, with its modifier after a colon: `name:exact`.
    ///   - value: the value as in a URL, not percent-encoded; several with commas.
    ///   - type: the searched resource type.
    /// - Throws: ``SearchConditionError``.
    public init(_ name: String, value: String, of type: String) throws(SearchConditionError) {
        try self.init(name, value: value, of: type, in: Context())
    }

    /// Whether it depends on the meaning of codes: value sets, and the hierarchy of a code system.
    package var needsTerminology: Bool {
        switch modifier {
        case .in, .notIn: true
        case .above, .below: parameter.kind == .token
        default: false
        }
    }
}

extension SearchText {
    /// Whether each backslash precedes a character that requires one.
    static func isEscapedWell(_ text: String) -> Bool {
        var escaped = false
        for character in text {
            if escaped {
                guard ",|$\\".contains(character) else { return false }
                escaped = false
            } else {
                escaped = character == "\\"
            }
        }
        return !escaped
    }
}
