import Foundation

/// The answers of a store for the samples of a call; nearly all of them are the same.
///
/// ```swift
/// return [first.uuid: .refused(code: "http-422"), second.uuid: .stored]   // one answer for each sample
/// return StoreAnswers(forAll: .stored)                                    // the same answer for all
/// ```
public struct StoreAnswers<Answer: Sendable & Hashable>: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The answer for every sample that is not named; nil if there is none.
    public let common: Answer?
    /// The answers for single samples, by their identifiers.
    public var named: [UUID: Answer]

    /// Creates answers for samples by their identifiers, and none for all others.
    public init(_ named: [UUID: Answer] = [:]) {
        common = nil
        self.named = named
    }

    /// Creates the same answer for all samples of the call except those that are named.
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
