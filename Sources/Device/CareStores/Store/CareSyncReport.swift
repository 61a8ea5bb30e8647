import CarePlans
import Core

/// The result of a sync.
public struct CareSyncReport: Sendable, Hashable {
    /// The number of versions that the copy lacked.
    public internal(set) var pulled = 0
    /// The number of versions that the server took.
    public internal(set) var pushed = 0
    /// The number of pulled versions that resolve a conflict: they follow several versions.
    public internal(set) var resolved = 0
    /// The number of versions that the server does not have: those in the quarantine, and those of later changes.
    public internal(set) var unsent = 0
    /// The knowledge of the copy.
    public internal(set) var knowledge = KnowledgeVector()
    /// The number of the user's changes that the sync has included.
    var changeCount = 0

    /// `{"pulled","pushed","resolved","knowledgeVector"}`.
    public var json: JSON {
        [
            "pulled": .number(JSONNumber(pulled)), "pushed": .number(JSONNumber(pushed)),
            "resolved": .number(JSONNumber(resolved)), "knowledgeVector": knowledge.json,
        ]
    }
}
