import Audit
import Core
import Enrolments
import Foundation
import Hummingbird
import ServerHTTP
import Storage
import Submissions

/// Routes of the receiver, below the root and below `/c3pro`.
///
/// They authenticate the sender and acknowledge a submission only after its ciphertext is stored durably. They have no
/// key that could open it.
package struct ReceiverRoutes: Sendable {
    let configuration: ReceiverConfiguration
    let access: DeviceAccess
    let queue: any SubmissionQueue
    let clock: @Sendable () -> Date
    let newID: @Sendable () -> UUID
    let keysCache: PublishedKeysCache
    private let refusals: RefusalCharge

    /// - Parameters:
    /// - refusals: counter of refused requests.
    /// - clock: returns the current time.
    /// - newID: returns submission ids for resources that are sealed on arrival.
    package init(
        configuration: ReceiverConfiguration, access: DeviceAccess, queue: any SubmissionQueue,
        refusals: RefusalCounter, clock: @escaping @Sendable () -> Date,
        newID: @escaping @Sendable () -> UUID = { .random() }
    ) {
        self.configuration = configuration
        self.access = access
        self.queue = queue
        self.refusals = RefusalCharge(limiter: configuration.limiter) { await refusals.count($0) }
        self.clock = clock
        self.newID = newID
        keysCache = PublishedKeysCache(configuration, clock: clock)
    }

    /// All routes. Published resources have paths of the FHIR API too, where they precede it for devices.
    ///
    /// Other routes below `/fhir` must use the parameter names `:type` and `:id` too; otherwise a router treats them as
    /// different routes.
    package var table: RouteTable {
        RouteTable(
            [registration, tokens, submissions, plainResources, reading],
            particular: [published, publishedAtRecordPaths], charge: refusals)
    }
}

extension ReceiverRoutes {
    private typealias Routes = RouteList

    private var antispam: AntispamMiddleware { AntispamMiddleware(matches: configuration.antispam.matches) }

    private var registration: GuardedRoutes {
        GuardedRoutes(refusal: Self.oauth, middlewares: [antispam]) { routes in
            for root in Self.roots(of: routes) { root.post("register", use: register) }
        }
    }

    private var tokens: GuardedRoutes {
        GuardedRoutes(rateClass: .tokenByAddress, refusal: Self.oauth) { routes in
            for root in Self.roots(of: routes) {
                root.post("oauth", use: issueToken)
                root.post("oauth/token", use: issueToken)
            }
        }
    }

    private var submissions: GuardedRoutes {
        GuardedRoutes(refusal: Self.problemOfSubmission, middlewares: [antispam]) { routes in
            for root in Self.roots(of: routes) {
                for path: RouterPath in ["encfhir", "fhirenc"] {
                    for path in [path, path.appendingPath(":type"), path.appendingPath(":type/:id")] {
                        root.post(path, use: submit)
                        root.put(path, use: submit)
                    }
                }
            }
        }
    }

    private var plainResources: GuardedRoutes {
        GuardedRoutes(refusal: Self.operationOutcome, middlewares: [antispam]) { routes in
            for root in Self.roots(of: routes) {
                root.post("fhir/:type", use: writePlain)
                root.put("fhir/:type/:id", use: writePlain)
            }
        }
    }

    /// Published resources at paths of their own.
    private var published: GuardedRoutes {
        GuardedRoutes(refusal: Self.operationOutcome) { routes in
            for type in PublishedReading.types { addPublished(type, to: Self.roots(of: routes)[1], at: .c3pro) }
        }
    }

    /// Published resources for devices, at paths that the records use too.
    private var publishedAtRecordPaths: GuardedRoutes {
        GuardedRoutes(refusal: Self.operationOutcome, takes: comesFromDevice) { routes in
            for type in PublishedReading.types { addPublished(type, to: Self.roots(of: routes)[0], at: .root) }
        }
    }

    private func addPublished(_ type: String, to root: Routes, at base: PublishedBase) {
        let path = RouterPath("fhir").appendingPath(RouterPath(type))
        root.get(path) { try await searchPublished(type, at: base, request: $0, context: $1) }
        root.get(path.appendingPath(":id")) { try await readPublished(type, at: base, request: $0, context: $1) }
    }

    private var reading: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem) { routes in
            for root in Self.roots(of: routes) {
                root.get(".well-known/jwks.json", use: publishedKeys)
                root.get("study/consent", use: publishedConsents)
                root.get("study/keys", use: signedKeys)
                for file in StudyHealthFile.allCases {
                    root.get("study/\(file.rawValue)") { try await readHealthFile(file, request: $0, context: $1) }
                }
                root.get("deliveries", use: deliveries)
                root.get("health", use: health)
            }
        }
    }

    /// Returns the base paths of the routes; the second one, `/c3pro`, is for C3-PRO's apps.
    private static func roots(of routes: Routes) -> [Routes] { [routes, routes.group("c3pro")] }

    private static func oauth(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        error as? OAuthFailure ?? OAuthFailure(HTTPFailure(receiving: error))
    }

    private static func operationOutcome(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        OperationOutcomeFailure(HTTPFailure(receiving: error))
    }

    private static func problem(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        HTTPFailure(receiving: error)
    }

    /// Adds the submission's id to a failure: only a response with this id settles the submission. A 405 never settles
    /// one.
    private static func problemOfSubmission(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        let failure = HTTPFailure(receiving: error)
        guard failure.status != .methodNotAllowed, failure.submission == nil else { return failure }
        return failure.refusing(request.submission)
    }
}
