import Foundation
import ServerHTTP

/// A request as the receiver sees it, whatever carried it.
public struct ReceiverRequest: Sendable {
    /// The header `Antispam`.
    public var antispam: String?
    /// The header `Authorization`.
    public var authorization: String?
    /// The id of the submission, as the header `Tributary-Submission` or, once it was read, the envelope says.
    public var submission: String?
    /// The header `Content-Type`.
    public var contentType: String?
    /// The header `Content-Encoding`.
    public var contentEncoding: String?
    /// The header `Content-Length`, if it is a number.
    public var contentLength: Int?
    /// The query as it stands in the URL, without the question mark.
    public var query: String?
    /// The path's parameters, percent-encoded as they stand in the URL.
    public var type: String?
    public var id: String?
    /// Where it comes from.
    public var address: ClientAddress
    /// Reads the body, up to so many bytes; throws ``BodyTooLarge`` beyond.
    public var readBody: @Sendable (Int) async throws -> Body

    /// A body in memory.
    public struct Body: Sendable {
        public let bytes: Data
        /// What it holds of the server's budget, for as long as this value lives.
        let reservation: BodyReservation?

        public init(_ bytes: Data, reservation: BodyReservation? = nil) {
            self.bytes = bytes
            self.reservation = reservation
        }
    }

    public init(
        antispam: String? = nil, authorization: String? = nil, submission: String? = nil, contentType: String? = nil,
        contentEncoding: String? = nil, contentLength: Int? = nil, query: String? = nil, type: String? = nil,
        id: String? = nil, address: ClientAddress = ClientAddress(nil),
        readBody: @escaping @Sendable (Int) async throws -> Body
    ) {
        self.address = address
        self.antispam = antispam
        self.authorization = authorization
        self.submission = submission
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.contentLength = contentLength
        self.query = query
        self.type = type
        self.id = id
        self.readBody = readBody
    }

    /// The body has more bytes than are taken.
    public struct BodyTooLarge: Error {
        public init() {}
    }
}

/// A response, and what the log may say of it.
public struct ReceiverResponse: Sendable {
    public var status: Int
    /// Names and values in the order they are sent. `Content-Length` is the carrier's.
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// For the log: the stable code of an error.
    public var code: String?
    /// For the log: the client that asked.
    public var clientID: String?

    init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data(), code: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.code = code
    }
}
