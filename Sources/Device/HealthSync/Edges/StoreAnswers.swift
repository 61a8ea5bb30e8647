import Foundation

/// What a store answers for each of the samples of a call: for nearly all of them the same.
///
/// ```swift
/// return [first.uuid: .refused(code: "http-422"), second.uuid: .stored]   // each by its name
/// return StoreAnswers(forAll: .stored)                                    // all the same
/// ```
public struct StoreAnswers<Answer: Sendable & Hashable>: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The answer for every sample that is not named; nil where nobody answered for it.
    public let common: Answer?
    /// The answers for the samples that are named, by their identifiers.
    public var named: [UUID: Answer]

    /// Answers for samples by their identifiers, and nothing for all others.
    public init(_ named: [UUID: Answer] = [:]) {
        common = nil
        self.named = named
    }

    /// The same answer for all samples of the call, but those that are named.
    public init(forAll common: Answer, but named: [UUID: Answer] = [:]) {
        self.common = common
        self.named = named
    }

    public init(dictionaryLiteral elements: (UUID, Answer)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }

    /// The answer for a sample of the call.
    public subscript(uuid: UUID) -> Answer? { named.isEmpty ? common : named[uuid] ?? common }
}
