import Admission
import Foundation
import Storage
import Submissions
import Wire

/// A submission that was opened, parsed and converted, with the state of its sender at that time.
package struct PreparedSubmission: Sendable {
    package let submission: QueuedSubmission
    let sender: SenderState
    /// nil if the outcome was recorded before.
    let content: SubmissionContent?

    /// Whether it is the only one of its batch. A link is also recorded in a separate store, so it needs a transaction of
    /// its own.
    var isRecordedAlone: Bool {
        if case .link? = content?.result { true } else { false }
    }

    /// Resources to record; empty for other content.
    var incoming: [IncomingResource] {
        if case .ready(let incoming, _)? = content?.result { incoming } else { [] }
    }
}

/// State of the sender before the message is read.
struct SenderState: Sendable, Hashable {
    let participant: String?
    let context: ConsentContext
}

/// Content of a submission, as far as it could be read.
struct SubmissionContent: Sendable {
    enum Result: Sendable {
        case settled(SubmissionOutcome)
        case ready([IncomingResource], keyID: String)
        /// Ids of Observations to delete.
        case deletions([String], keyID: String)
        /// A link to a record of the site, as a compact JWS that is not verified yet.
        case link(Data, keyID: String)
    }

    var result: Result
    var mayBeWithdrawal: Bool
    /// Participants in the resources, as far as they could be parsed.
    var subjects: Set<String> = []
    /// The device's signature, not verified yet; nil if the submission is unsigned or cannot be opened.
    var signature: SubmissionSignature?
    /// Whether the envelope was opened.
    var isOpened = true
}
