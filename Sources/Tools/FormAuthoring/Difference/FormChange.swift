import FHIR

/// The effect of a change of a form on answers to the earlier form.
package enum ChangeLevel: String, Sendable, Comparable, CaseIterable {
    /// Nothing changes that people read or answer.
    case same
    /// Only something changes that people read or see; the questions and the valid answers are the same.
    case text
    /// Valid answers to the earlier form are valid, and have the same meaning.
    case compatible
    /// A valid answer to the earlier form can be invalid, or can have another meaning.
    case breaking

    package static func < (left: ChangeLevel, right: ChangeLevel) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One change between two versions of a form.
package struct FormChange: Sendable, Hashable {
    /// The linkId of the item; nil for the form as a whole.
    package let linkID: String?
    /// The element that changed, such as `required` or `answerOption`; for an extension the last part of its URL. It is
    /// `item` if the item as a whole was added, removed or moved.
    package let element: String
    /// The earlier value; nil if the element was absent.
    package let old: JSON?
    /// The value now; nil if the element is absent.
    package let new: JSON?
    /// The effect on answers to the earlier form.
    package internal(set) var level: ChangeLevel
    /// A sentence on the effect.
    package internal(set) var reason: String

    init(_ level: ChangeLevel, _ element: String, linkID: String?, old: JSON?, new: JSON?, reason: String) {
        self.linkID = linkID
        self.element = element
        self.old = old
        self.new = new
        self.level = level
        self.reason = reason
    }

    /// The change in the output of `survey diff --json`.
    package var json: JSON {
        [
            "linkId": linkID.map { .string($0) } ?? .null, "element": .string(element), "old": old ?? .null,
            "new": new ?? .null, "level": .string(level.rawValue),
        ]
    }
}
