import Core
import FHIR
import FHIRClient
import Foundation
import HealthSync

/// The requests of a health store to one FHIR server, with answers as outcomes of samples.
struct FHIRServerConnection: Sendable {
    typealias Token = FHIRConnection.Token
    typealias Answer = FHIRResponse

    private let server: FHIRConnection

    init(base: URL, transport: any Transport, token: @escaping Token, clock: @escaping @Sendable () -> Date) {
        server = FHIRConnection(base, transport: transport, token: token, clock: clock)
    }

    /// Sends a request to a path below the base URL.
    ///
    /// - Throws: errors of the transport and the token; then there is no response.
    func send(
        _ method: String, path: String, body: JSON? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        do {
            return try await server.send(method, path: path, body: body, headers: headers)
        } catch is FHIRClientError {
            throw HealthStoreError(.serverInvalid)
        }
    }

    /// The result of a search: the resources of all pages, or the response that ended it.
    enum Found: Sendable {
        case resources([JSON])
        case failed(Answer)
    }

    /// Searches for resources of a type by identifiers, page by page. Pages are requested from this server only.
    func search(_ type: String, _ tokens: [FHIRIdentity.Token]) async throws -> Found {
        let query = "identifier=" + tokens.map(\.text).joined(separator: ",")
        var answers = server.answers(to: "\(type)?\(query)&_count=100")
        var resources: [JSON] = []
        var last: Answer?
        do {
            while let answer = try await answers.nextAnswer() {
                guard answer.isSuccess, let bundle = answer.json, bundle["resourceType"]?.string == "Bundle" else {
                    return .failed(answer)
                }
                resources += (bundle["entry"]?.array ?? []).compactMap { $0["resource"] }.filter {
                    $0["resourceType"]?.string == type
                }
                last = answer
            }
        } catch let error as FHIRClientError {
            // The pages do not end, or their link is no URL.
            guard error.reason != .urlInvalid, let last else { throw HealthStoreError(.serverInvalid) }
            return .failed(last)
        }
        return .resources(resources)
    }
}

extension FHIRResponse {
    /// The outcome of an added or changed resource.
    var outcome: HealthOutcome { forbidden ?? HealthOutcome(status: status, retryAfter: retryAfter) }
    /// The outcome of a deletion.
    var deletion: HealthOutcome { forbidden ?? HealthOutcome(deletionStatus: status, retryAfter: retryAfter) }

    /// 403 concerns the token, not the resource: the resource is deferred until the token allows the write.
    private var forbidden: HealthOutcome? {
        status == 403 ? .deferred(code: FHIRHealthStore.tokenMayNotWrite, retryAfter: retryAfter) : nil
    }
}
