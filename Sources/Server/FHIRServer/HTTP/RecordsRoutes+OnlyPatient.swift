import AccessPolicy
import FHIRHTTP
import Hummingbird
import ServerHTTP

extension RecordsRoutes {
    /// Returns a route at another path that reads the only patient of the caller's grant as the API does: by the same
    /// policy, with the same audit row and refusals. The answer is JSON.
    ///
    /// - Parameter prepare: changes a request before its caller is authenticated.
    package func tableOfOnlyPatient(
        at path: RouterPath, preparing prepare: @escaping @Sendable (Request) -> Request
    ) -> RouteTable {
        let reads = GuardedRoutes(refusal: Self.refusal) { routes in
            routes.getAndHead(path) { request, context in
                let caller = try await recognize(prepare(request), context)
                let reservation = try await service.reservation(for: caller.grant)
                let id = try Self.onlyPatient(of: caller.grant.patients(at: service.clock()))
                let record = try await service.read(type: "Patient", id: id, by: caller)
                return try Response(record, as: .json, reservation: reservation)
            }
        }
        return RouteTable([reads], charge: refusals)
    }

    private static func onlyPatient(of patients: PatientAccess) throws(RecordsFailure) -> String {
        guard case .only(let ids) = patients, ids.count < 2 else {
            throw RecordsFailure(
                status: .forbidden, issue: .forbidden, code: "patient-unclear",
                message: "This access includes several patients; read one of them by its id.")
        }
        guard let id = ids.first else { throw .notFound }
        return id
    }
}
