import Foundation
import Storage

/// A selection of the audit's rows, in pages, the newest first.
///
/// Rows about a participant are in the order of their numbers, all others in the order of their times; the two orders
/// differ only where a clock was set back.
package struct AuditQuery: Sendable, Hashable {
    /// The position of a row.
    package struct Position: Sendable, Hashable {
        /// Time in the form of ``Storage/SQLTimestamp``.
        package let at: String
        package let number: Int64

        package init(at: String, number: Int64) {
            self.at = at
            self.number = number
        }

        /// The position after all rows.
        package static let end = Position(at: "9", number: .max)
    }

    /// Only rows about this participant; nil for all.
    package var participant: String?
    /// Only rows of this person, device, server or client; nil for all.
    package var agent: String?
    /// Only rows of this time or later, in the form of ``Storage/SQLTimestamp``; nil for all.
    package var from: String?
    /// Only rows before this time, in the form of ``Storage/SQLTimestamp``; nil for all.
    package var before: String?
    /// Only rows after this one in the order of pages.
    package var position = Position.end

    package init() {}
}

/// A page of the audit.
package struct AuditPage: Sendable {
    package let events: [AuditedEvent]
    /// The position of the next page; nil if this is the last. A page may have fewer rows than requested and yet not be
    /// the last.
    package let next: AuditQuery.Position?

    /// A page without rows, after which there is none.
    package static let empty = AuditPage(events: [], next: nil)
}

/// A row of the audit with the participants that it names, each by the id if it can be resolved.
package struct AuditedEvent: Sendable, Hashable {
    /// A participant in a row.
    package struct Participant: Sendable, Hashable {
        package let pseudonym: String
        /// The id; nil if it cannot be resolved any more.
        package let id: String?
    }

    /// The row. Its list of participants is empty; see ``subject`` and ``shown``.
    package let entry: AuditEntry
    /// The participant that the target belongs to.
    package let subject: Participant?
    /// The participants in the response, up to ``AuditReader/maximumShown``.
    package let shown: [Participant]
    /// Whether the response had more participants.
    package let isCut: Bool
}
