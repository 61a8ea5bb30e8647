import FHIR

/// A parameter that adds other resources to the result of a search (<https://hl7.org/fhir/R4/search.html#include>).
package struct SearchInclude: Sendable, Hashable {
    package enum Direction: Sendable, Hashable {
        /// `_include`: the targets of references.
        case forward
        /// `_revinclude`: the referring resources.
        case reverse
    }

    package let direction: Direction
    /// The type of the referring resources; nil for any.
    package let source: String?
    /// The code of the reference parameter; nil for all.
    package let parameter: String?
    /// The type of the targets; nil for any.
    package let target: String?
    /// Whether it also applies to included resources (`:iterate`).
    package let isIterated: Bool

    /// Maximum number in a search.
    package static let maximumCount = 20

    /// Reads one parameter; nil where it is neither of them.
    ///
    /// - Throws: ``SearchConditionError``.
    package init?(_ name: String, _ value: String) throws(SearchConditionError) {
        let names = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch names[0] {
        case "_include": direction = .forward
        case "_revinclude": direction = .reverse
        default: return nil
        }
        guard names.count == 1 || names[1] == "iterate" else { throw .unknownModifier(names[0]) }
        isIterated = names.count > 1
        guard value != "*" else {
            (source, parameter, target) = (nil, nil, nil)
            return
        }
        let parts = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), RecordType.isHeld(parts[0]),
            parts.count == 2 || RecordType.isHeld(parts[2])
        else { throw .invalid(names[0], "*, or a type, its reference and perhaps a type: Observation:subject:Patient") }
        source = parts[0]
        target = parts.count > 2 ? parts[2] : nil
        guard parts[1] != "*" else {
            parameter = nil
            return
        }
        guard let found = SearchCriterionReader.parameter(parts[1], of: parts[0]) else {
            throw .unknownParameter(parts[0])
        }
        guard found.kind == .reference else { throw .noReference(found.code) }
        guard target.map({ found.targets.isEmpty || found.targets.contains($0) }) ?? true else {
            throw .noTarget(found.code)
        }
        parameter = found.code
    }

    /// Returns the codes of a type's reference parameters that it follows, optionally only to one target type.
    package func parameters(of type: String, to target: String? = nil) -> [String] {
        guard source == nil || source == type, let tree = ParameterPathTrie.of(type) else { return [] }
        return tree.parameters.filter { known in
            known.kind == .reference && (parameter == nil || known.code == parameter)
                && (target == nil || known.targets.isEmpty || known.targets.contains(target ?? ""))
        }.map(\.code)
    }
}
