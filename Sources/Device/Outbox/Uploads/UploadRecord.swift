import Foundation

/// The record of the upload in progress. It is stored in `upload.json`, because the answer may arrive in another
/// process.
struct UploadRecord: Codable, Sendable, Hashable {
    /// The name of the queued file.
    let name: String
    /// The unique id of this attempt; others may have the same file.
    let attempt: String
    /// Whether its token is a new one because an earlier one was refused.
    let isRenewed: Bool
    /// The number of consecutive failures before it.
    let failures: Int

    static let fileName = "upload.json"

    /// The tag of the upload in the system.
    var tag: String { "\(name)/\(attempt)" }

    /// Returns the entry of the file in a tag; `nil` if the tag is not one of a sender.
    static func entry(in tag: String) -> OutboxEntry? {
        tag.split(separator: "/", omittingEmptySubsequences: false).first.flatMap { OutboxEntry(name: String($0)) }
    }
}
