import CarePlans
import CareStores
import Core
import Foundation
import HTTPTransport

/// A server with one member of a team, whose patients have a plan each.
actor ModelTeamTransport: Transport {
    private var plans: [String: ModelCareServer]
    private(set) var requests: [(path: String, body: JSON)] = []
    /// The answers of `GET patients` that follow, each the patients who changed and those who left.
    private var news: [(patients: [String], left: [String])] = []
    private var failing: [String: (status: Int, code: String)] = [:]
    private var isUnreachable = false

    init(_ plans: [String: ModelCareServer]) { self.plans = plans }

    func addNews(_ patients: [String], left: [String] = []) { news.append((patients, left)) }
    func fail(_ patient: String, status: Int, code: String) { failing[patient] = (status, code) }
    func succeed(_ patient: String) { failing[patient] = nil }
    func setUnreachable(_ isUnreachable: Bool) { self.isUnreachable = isUnreachable }
    func clear() { requests = [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if isUnreachable { throw URLError(.cannotConnectToHost) }
        let path = request.url.path.split(separator: "/").map(String.init)
        let body = request.body.flatMap { JSON(reading: $0) } ?? [:]
        requests.append((path.dropFirst().joined(separator: "/"), body))
        switch (request.method, path.dropFirst().first, path.last) {
        case ("POST", "sessions", _), ("POST", "accounts", _):
            return answer([
                "account": "dora", "accessToken": "access", "refreshToken": "refresh", "expiresIn": 3_600,
                "email": "dora@example.org",
            ])
        case ("GET", "me", _): return answer(["account": "dora", "email": "dora@example.org", "groups": ["main"]])
        case ("GET", "patients", "patients"):
            let next = news.isEmpty ? ([], []) : news.removeFirst()
            return answer([
                "patients": .array(next.0.map { ["patient": .string($0), "groups": ["main"], "changed": ["plan"]] }),
                "left": .array(next.1.map { .string($0) }), "next": .string("cursor-\(requests.count)"),
            ])
        default: return try await plan(path[2], isPull: path.last == "pull", body)
        }
    }

    private func plan(_ patient: String, isPull: Bool, _ body: JSON) async throws -> TransportResponse {
        if let failure = failing[patient] { return problem(failure.status, failure.code) }
        guard let plan = plans[patient] else { return problem(404, "not-found") }
        let knowledge = try KnowledgeVector(body["knowledgeVector"] ?? .null)
        do {
            if isPull {
                let page = body["after"]?.string
                let result = try await plan.pull(since: knowledge, page: page, for: .phone, wait: 0)
                return answer(result.json)
            }
            let revisions = try (body["revisions"]?.array ?? []).map { try CareRevision($0) }
            let vector = try await plan.push(revisions, knowledge: knowledge)
            return answer(["knowledgeVector": vector.json])
        } catch let error as CareServerError {
            return problem(error.status ?? 500, error.code)
        }
    }

    private func answer(_ json: JSON) -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: json.data())
    }

    private func problem(_ status: Int, _ code: String) -> TransportResponse {
        let json: JSON = ["status": .number(JSONNumber(status)), "code": .string(code)]
        return TransportResponse(
            status: status, headers: ["Retry-After": "7"], body: json.data())
    }
}
