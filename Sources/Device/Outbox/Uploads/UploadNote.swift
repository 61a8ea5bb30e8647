import Foundation

/// The note that a device keeps of the upload that the system has: in `upload.json`, for the answer may come to another
/// process.
struct UploadNote: Codable, Sendable, Hashable {
    /// The name of the queued file.
    let name: String
    /// The text that tells this attempt from others with the same file.
    let attempt: String
    /// Whether its token was made for it because an earlier one was refused.
    let isRenewed: Bool
    /// Failures in a row before it.
    let failures: Int

    static let fileName = "upload.json"

    /// The tag under which the system knows it.
    var tag: String { "\(name)/\(attempt)" }

    /// The name of the file in a tag; `nil` where it is none of ours.
    static func entry(in tag: String) -> OutboxEntry? {
        tag.split(separator: "/", omittingEmptySubsequences: false).first.flatMap { OutboxEntry(name: String($0)) }
    }
}
