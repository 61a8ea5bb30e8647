import AccessPolicy
import Accounts
import CarePlans
import Core
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage

/// The routes of care plans, below `/v1/patients/{id}`: for account holders, and for the teams that see them.
///
/// The id of one's own plan is the account's id. The policy decides each request, in the transaction that changes the plan
/// for a push. Reads by others that return data, and changes by others, are on record in the audit of the people store.
package struct CareRoutes: Sendable {
    /// Maximum number of bytes of a push.
    package static let maximumPushBytes = 16 << 20
    /// Maximum number of bytes of the body of a pull.
    static let maximumPullBytes = 256 << 10

    let accounts: AccountRoutes
    /// The logs.
    package let log: CareLog

    /// Creates the routes next to those of the accounts.
    package init(accounts: AccountRoutes) {
        self.accounts = accounts
        log = CareLog(store: accounts.store)
    }

    /// All routes.
    package var table: RouteTable {
        RouteTable(
            [plans], charge: RefusalCharge(limiter: accounts.limiter, count: accounts.refusals), isBare: true)
    }

    private var plans: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem) { routes in
            let patient = routes.group("v1/patients/:id")
            patient.post("revisions/pull", use: pull)
            patient.post("revisions", use: push)
            patient.getAndHead("plan", use: plan)
            patient.getAndHead("events", use: events)
            patient.getAndHead("adherence", use: adherence)
            patient.getAndHead("fhir", use: fhir)
        }
    }

    private static func problem(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        HTTPFailure(care: error)
    }
}

extension HTTPFailure {
    /// Converts any error to the failure for the response.
    init(care error: any Error) {
        switch error {
        case let error as CarePlanError:
            let status: HTTPResponse.Status =
                switch error.reason {
                case .entityInvalid, .vectorInvalid: .badRequest
                default: .unprocessableContent
                }
            self.init(status, code: error.code, message: error.message)
        case let error as CareLogError:
            let status: HTTPResponse.Status =
                switch error.code {
                case "reference-missing": .conflict
                case "account-unknown": .notFound
                case "outcome-impossible", "range-too-large": .unprocessableContent
                default: .badRequest
                }
            self.init(status, code: error.code, message: error.message)
        default: self.init(account: error)
        }
    }
}
