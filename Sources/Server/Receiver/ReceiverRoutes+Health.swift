import Foundation
import Hummingbird
import ServerHTTP
import Trust

/// The files of a study that say which health data phones follow. The receiver passes the bytes on.
public enum StudyHealthFile: String, Sendable, CaseIterable {
    /// The study's own types, and changes to the table's.
    case types = "health-types.json"
    /// Which types are followed, how far back, and what is expected.
    case sync = "health-sync.json"
}

extension ReceiverRoutes {
    /// `GET /study/health-types.json` and `/study/health-sync.json`: the file's bytes, to devices; 304 to who has them
    /// (RFC 9110 section 13.1.2).
    func readHealthFile(
        _ file: StudyHealthFile, _ request: Request, _ context: ServerRequestContext
    ) async throws -> Response {
        let actor = try await authenticate(request, context)
        try configuration.limiter.admit(actor.id, .readByAddress)
        try permit(actor, .readQuestionnaire, Target())
        guard let bytes = try await configuration.healthFile(file.rawValue) else {
            throw HTTPFailure(
                .notFound, "study-file-unknown",
                "The study has no \(file.rawValue): what it says by default holds.")
        }
        let tag = "\"" + SecretDigest.hex(of: bytes).prefix(32) + "\""
        let fields: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
        guard !request.knows(entityTag: tag) else {
            return Response(status: .notModified, headers: fields)
        }
        return .bytes(
            ByteBuffer(bytes: bytes), mediaType: "application/json", cacheControl: "private, no-cache",
            headers: [.eTag: tag])
    }
}
