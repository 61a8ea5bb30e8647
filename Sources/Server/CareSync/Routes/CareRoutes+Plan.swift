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
        throw HTTPFailure.notFound
    }

    /// `GET /v1/patients/{id}/adherence?from=&to=`.
    func adherence(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        throw HTTPFailure.notFound
    }

    /// `GET /v1/patients/{id}/fhir`.
    func fhir(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        throw HTTPFailure.notFound
    }
}
