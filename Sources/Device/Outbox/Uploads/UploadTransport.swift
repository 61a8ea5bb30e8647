import Foundation

/// A request to the system to upload a queued file.
public struct QueuedUpload: Sendable, Hashable {
    /// The tag of the answer, also in a later process: plain text, up to 200 bytes.
    public var tag: String
    /// The request, without a body.
    public var request: TransportRequest
    /// The file with the body. It may disappear when another sender has sent it.
    public var file: URL
    /// The earliest time of the upload; `nil` for now.
    public var notBefore: Date?

    /// Creates an upload.
    public init(tag: String, request: TransportRequest, file: URL, notBefore: Date? = nil) {
        self.tag = tag
        self.request = request
        self.file = file
        self.notBefore = notBefore
    }
}

/// The result of an upload.
public struct UploadAnswer: Sendable, Hashable {
    /// The upload's tag.
    public var tag: String
    /// The response; `nil` if there is none.
    public var response: TransportResponse?

    /// Creates an answer.
    public init(tag: String, response: TransportResponse?) {
        self.tag = tag
        self.response = response
    }
}

/// Hands uploads to the system, which continues them while the app is suspended or terminated, and returns their
/// answers later.
///
/// An answer may arrive late, in another process than the one that began the upload, more than once, or never
/// (``BackgroundSender`` handles all of these). Requests that need an immediate response use
/// ``HTTPTransport/Transport``.
public protocol UploadTransport: Sendable {
    /// Hands an upload over. When this returns, the system has accepted it. Throws any error otherwise.
    func begin(_ upload: QueuedUpload) async throws

    /// Returns the tags of the uploads in progress, including those of an earlier process.
    func tagsUnderWay() async -> Set<String>

    /// The answers as they arrive, including those to uploads of an earlier process. Only one reader at a time.
    var answers: AsyncStream<UploadAnswer> { get }
}
