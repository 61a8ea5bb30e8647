import Core
import Foundation
import Hummingbird
import ResearchResults
import ServerHTTP

extension AccountRoutes {
    /// `PUT /v1/results/{uuid}?descriptor=`.
    func saveResult(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try requireParameters(["descriptor"], of: request)
        let descriptor = try descriptor(of: request)
        let body = try await bodies.collect(request, upTo: ResearchResult.maximumBytes)
        let result = try ResearchResult(body.bytes, descriptor: descriptor)
        guard context.parameters.get("id")?.lowercased() == result.id else {
            throw ResearchResultError(.uuidInvalid, at: "the path")
        }
        guard let content = String(validUTF8: body.bytes) else { throw ResearchResultError(.notJSON, at: "$") }
        let isNew = try await store.save(result, content: content, of: caller.id)
        waits.send()
        return Self.answer(
            ["status": .string(isNew ? "created" : "updated")], status: isNew ? .created : .ok)
    }

    /// `GET /v1/results/{uuid}`.
    func result(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let id = context.parameters.get("id")?.lowercased() ?? ""
        guard let content = try await store.database.lookUp({ try PeopleStore.result(id, of: caller.id, in: $0) })
        else { throw HTTPFailure.notFound }
        return Self.answer(stored: content)
    }

    /// `GET /v1/results`.
    func results(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        return try await results(of: caller.id, request, by: caller)
    }

    /// Answers with the results of an account that the filters of the query select.
    func results(of account: String, _ request: Request, by caller: Caller) async throws -> Response {
        try requireParameters(["descriptor", "identifier", "from", "to", "where", "cursor"], of: request)
        let conditions = (request.queryForm?.fields ?? []).filter { $0.name == "where" }.map(\.value)
        let filter = try ResultFilter(
            descriptor: parameter("descriptor", of: request), identifier: parameter("identifier", of: request),
            from: parameter("from", of: request), to: parameter("to", of: request), conditions: conditions)
        let number = try number(of: request)
        if case .retry(let seconds) = limiter.check(caller.id, .searchSecondsByCaller, cost: 0) {
            throw HTTPFailure.rateLimited(retryAfter: seconds)
        }
        let begin = ContinuousClock.now
        let page = try await store.database.read {
            try PeopleStore.results(matching: filter, of: account, after: number, in: $0)
        }
        // Whole seconds are charged to the caller: short searches are free.
        let seconds = Int(begin.duration(to: .now).components.seconds)
        if seconds > 0 { limiter.charge(caller.id, .searchSecondsByCaller, cost: seconds) }
        return .bytes(ByteBuffer(bytes: page.bytes), mediaType: "application/json")
    }
}
