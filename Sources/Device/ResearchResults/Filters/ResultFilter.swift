import Core
import Foundation

/// A choice of results. All parts that are set must match.
///
/// ```swift
/// let filter = try ResultFilter(
///     descriptor: "sleep", from: "2026-11-01", conditions: ["results.results.scaleAnswer ge 7"])
/// let found = results.filter(filter.matches)
/// ```
public struct ResultFilter: Sendable, Hashable {
    /// Maximum number of conditions.
    public static let maximumConditions = 16

    /// The descriptor; nil for any. `""` selects the results without descriptor.
    public let descriptor: String?
    /// The identifier of the task; nil for any.
    public let identifier: String?
    /// The earliest start. A result without start does not match.
    public let from: DateTime?
    /// The latest start. A result without start does not match.
    public let to: DateTime?
    /// The conditions on the JSON.
    public let conditions: [ResultCondition]

    /// Creates a filter from texts, such as the parameters of a request.
    ///
    /// `from` and `to` are dates or times as FHIR or ResearchKit write them. They compare instants with `startDate`, so
    /// offsets may differ. Both are inclusive: `from` begins with the first instant of its date or second, and `to` ends
    /// with the last one. A date without time has the days of UTC.
    ///
    /// - Parameter conditions: conditions for ``ResultCondition/init(_:)``.
    /// - Throws: ``ResultFilterError``.
    public init(
        descriptor: String? = nil, identifier: String? = nil, from: String? = nil, to: String? = nil,
        conditions: [String] = []
    ) throws(ResultFilterError) {
        guard conditions.count <= Self.maximumConditions else { throw ResultFilterError(.tooManyConditions) }
        for text in [descriptor, identifier] {
            guard text?.utf8.count ?? 0 <= ResultCondition.maximumBytes else { throw ResultFilterError(.tooLong) }
        }
        self.descriptor = descriptor
        self.identifier = identifier
        self.from = try Self.time(from)
        self.to = try Self.time(to)
        var read: [ResultCondition] = []
        for text in conditions { read.append(try ResultCondition(text)) }
        self.conditions = read
    }

    /// Whether a result matches.
    public func matches(_ result: ResearchResult) -> Bool {
        if let descriptor, !descriptor.utf8.elementsEqual(result.descriptor.utf8) { return false }
        if let identifier, !identifier.utf8.elementsEqual(result.identifier.utf8) { return false }
        if from != nil || to != nil {
            guard let start = result.startDate?.start() else { return false }
            if let from, start < from.start() { return false }
            if let to, start >= to.end() { return false }
        }
        return conditions.allSatisfy { $0.matches(result.json) }
    }

    /// The parameters of a request, in a fixed order; `where` may occur several times.
    public var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if let descriptor { parameters.append(("descriptor", descriptor)) }
        if let identifier { parameters.append(("identifier", identifier)) }
        if let from { parameters.append(("from", from.text)) }
        if let to { parameters.append(("to", to.text)) }
        for condition in conditions { parameters.append(("where", condition.text)) }
        return parameters
    }

    private static func time(_ text: String?) throws(ResultFilterError) -> DateTime? {
        guard let text else { return nil }
        guard text.utf8.count <= 64, let time = DateTime(text) ?? ResultTime.dateTime(text) else {
            throw ResultFilterError(.dateInvalid)
        }
        return time
    }
}
