import Foundation

/// An upload of a queued file, as the system is asked to do it.
public struct QueuedUpload: Sendable, Hashable {
    /// The name under which its answer comes back, also in a later process: plain text, at most 200 bytes.
    public var tag: String
    /// The request, without a body.
    public var request: TransportRequest
    /// The file that is the body. It may go away when somebody else has sent it meanwhile.
    public var file: URL
    /// Not before this time; `nil` for now.
    public var notBefore: Date?

    /// Makes an upload.
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
    /// The answer; `nil` if none came.
    public var response: TransportResponse?

    /// Makes an answer.
    public init(tag: String, response: TransportResponse?) {
        self.tag = tag
        self.response = response
    }
}

/// Hands uploads to the system, which goes on with them while the app is suspended or ended, and hears of them later.
///
/// An answer may come late, to another process than the one that began the upload, more than once, or never
/// (``BackgroundSender`` takes all of these). Requests that need an answer at once go by ``Transport``.
public protocol UploadTransport: Sendable {
    /// Hands an upload over. When this returns the system has it. Throws any error if it does not take it.
    func begin(_ upload: QueuedUpload) async throws

    /// The tags of the uploads that the system still has, also those that an earlier process began.
    func tagsUnderWay() async -> Set<String>

    /// The answers as they come, also those to uploads of an earlier process. One reader at a time.
    var answers: AsyncStream<UploadAnswer> { get }
}
