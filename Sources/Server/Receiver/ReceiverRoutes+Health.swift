import AccessPolicy
import Foundation
import Hummingbird
import Identity
import ServerHTTP

/// Files of a study that configure the health data that phones send. The receiver passes the bytes on.
package enum StudyHealthFile: String, Sendable, CaseIterable {
    /// The study's own types, and changes to the type table.
    case types = "health-types.json"
    /// Types to send, start of the period, and expected data.
    case sync = "health-sync.json"
}

extension ReceiverRoutes {
    /// `GET /study/health-types.json` and `/study/health-sync.json`: the unchanged file for devices; 304 if the client
    /// has it (RFC 9110 section 13.1.2).
    func readHealthFile(
        _ file: StudyHealthFile, request: Request, context: ServerRequestContext
    ) async throws -> Response {
        let actor = try await authenticate(request, context)
        try configuration.limiter.admit(actor.id, .readByAddress)
        try permit(actor, action: .readQuestionnaire, target: Target())
        guard let bytes = try await configuration.healthFile(file.rawValue) else {
            throw HTTPFailure(
                .notFound, code: "study-file-unknown",
                message: "The study has no \(file.rawValue); the defaults apply.")
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
