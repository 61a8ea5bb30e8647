import Foundation
import ResearchResults
import Storage

/// A mail of the queue during an attempt to send it.
package struct QueuedMail: Sendable {
    let number: Int64
    package let id: String
    /// The mail; nil if its row does not follow the rules of this version.
    package let content: MailContent?
    package let created: Date
    /// Number of attempts that failed.
    package let attempts: Int
    /// Random id of the attempt.
    let lease: String

    init(_ row: SQLRow, lease: String) throws {
        number = try row.integer("number")
        id = try row.text("id")
        created = try row.date("created_at")
        attempts = Int(try row.integer("attempts"))
        self.lease = lease
        let (recipient, subject, text) = (try row.text("recipient"), try row.text("subject"), try row.text("body"))
        content = try? MailContent(to: EmailAddress(recipient), subject: subject, text: text)
    }
}
