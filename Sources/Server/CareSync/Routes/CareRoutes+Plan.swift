import Accounts
import CarePlans
import Core
import Foundation
import Hummingbird
import ServerHTTP
import Storage

extension CareRoutes {
    /// `GET /v1/patients/{id}/plan`.
    func plan(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let access = try await access(change: false, request, context)
        try accounts.requireParameters([], of: request)
        let entities = try await log.store.database.read { transaction in
            try CareCurrentPlan(of: access.patient, in: transaction).liveTips()
        }
        if !entities.isEmpty { try await recordReading(access) }
        return AccountRoutes.answer(["entities": .array(entities.map(\.json))])
    }

    /// `GET /v1/patients/{id}/events?from=&to=`.
    func events(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let access = try await access(change: false, request, context)
        let (from, to) = try range(of: request) { DateTime($0)?.start() }
        try Self.require(days: to.timeIntervalSince(from) / 86_400)
        let contents = try await log.store.database.read { transaction in
            try CareCurrentPlan(of: access.patient, in: transaction).contents(from: from, to: to)
        }
        let events = try contents.events(from: from, to: to)
        if !events.isEmpty { try await recordReading(access) }
        return AccountRoutes.answer(.array(events.map(\.json)))
    }

    /// `GET /v1/patients/{id}/adherence?from=&to=`.
    func adherence(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let access = try await access(change: false, request, context)
        let (from, to) = try range(of: request) { CareDay($0) }
        try Self.require(days: Double(to.number - from.number + 1))
        let (start, end) = CareDay.time(from: from, to: to)
        let contents = try await log.store.database.read { transaction in
            try CareCurrentPlan(of: access.patient, in: transaction).contents(from: start, to: end)
        }
        let days = try contents.adherence(from: from, to: to)
        if days.contains(where: { $0.due > 0 }) { try await recordReading(access) }
        return AccountRoutes.answer(.array(days.map(\.json)))
    }

    /// `GET /v1/patients/{id}/fhir`.
    func fhir(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let access = try await access(change: false, request, context)
        try accounts.requireParameters([], of: request)
        let contents = try await log.store.database.read { transaction in
            try CareCurrentPlan(of: access.patient, in: transaction).contents()
        }
        if !contents.graph.versions.isEmpty { try await recordReading(access) }
        let bundle: any ResourceContent = contents.bundle(patient: access.patient)
        return .bytes(ByteBuffer(bytes: JSON.object(bundle.object).bytes()), mediaType: "application/fhir+json")
    }

    /// Returns the values of `from` and `to`.
    private func range<Value>(
        of request: Request, _ read: (String) -> Value?
    ) throws -> (from: Value, to: Value) {
        try accounts.requireParameters(["from", "to"], of: request)
        guard let from = try accounts.parameter("from", of: request).flatMap(read),
            let to = try accounts.parameter("to", of: request).flatMap(read)
        else {
            throw HTTPFailure(
                .badRequest, code: "query-invalid",
                message: "The query needs from and to: days (YYYY-MM-DD), or for events also ISO 8601 times.")
        }
        return (from, to)
    }

    private static func require(days: Double) throws(CareLogError) {
        guard days <= Double(CareLimits.days) + 1.0 / 24 else { throw CareLogError.rangeTooLarge }
    }
}
