import Core
import FHIR
import Foundation

/// One parameter of a search with its modifier and values, read and checked. Pure.
///
/// ```swift
/// let condition = try SearchCondition("value-quantity", value: "gt5.4|http://unitsofmeasure.org|mg", of: "Observation")
/// condition.matches(values)
/// ```
struct SearchCondition: Sendable {
    /// What a search stands in.
    struct Context: Sendable {
        /// The instant that `ap` measures the distance of dates from.
        var now = Date()
        /// The server's own base URLs, without a last slash.
        var ownBases: [String] = []
    }

    /// The resource type that is searched.
    let type: String
    let parameter: SearchParameterTable.Parameter
    let modifier: SearchModifier?
    /// Any of them may hold.
    let alternatives: [SearchComparand]

    /// So many values may one condition have.
    static let mostAlternatives = 1_000

    /// Reads a condition: `name` is the parameter with its modifier behind a colon, and chains are read by others.
    ///
    /// - Throws: ``SearchConditionError``.
    init(
        _ name: String, value: String, of type: String, in context: Context = Context()
    ) throws(SearchConditionError) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let tree = SearchTree.of(type), let place = tree.place(of: parts[0]) else {
            throw .unknownParameter(type)
        }
        self.type = type
        parameter = tree.parameters[place]
        let code = parameter.code
        if parts.count > 1 {
            guard let modifier = SearchModifier(parts[1]), modifier.applies(to: parameter.kind) else {
                throw .unknownModifier(code)
            }
            self.modifier = modifier
        } else {
            modifier = nil
        }
        // SQLite knows no text with a zero byte in it, and nothing stored has one.
        guard !value.utf8.contains(0) else { throw .invalid(code, "without zero bytes") }
        guard SearchText.isEscapedWell(value) else { throw .escape(code) }
        let texts = SearchText.split(value, at: ",").filter { !$0.isEmpty }
        guard !texts.isEmpty else { throw .invalid(code, "a value") }
        guard texts.count <= Self.mostAlternatives else { throw .tooMany(code, Self.mostAlternatives) }
        let reader = SearchComparandReader(parameter: parameter, modifier: modifier, context: context)
        var alternatives: [SearchComparand] = []
        for text in texts { alternatives.append(try reader.read(text)) }
        self.alternatives = alternatives
    }

    /// Whether it asks for what a code means, beyond the code itself: value sets, and what is above or below in a code system.
    var needsTerminology: Bool {
        switch modifier {
        case .in, .notIn: true
        case .above, .below: parameter.kind == .token
        default: false
        }
    }
}

extension SearchText {
    /// Whether each backslash stands before a character that needs one.
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
