import Audit
import Authorization
import Foundation
import Identity
import RecordStorage
import ServerHTTP
import Storage
import StudyFiles

extension StudyServer {
    /// Returns the authorization server's routes, if this process has the role.
    func authorizationRoutes(
        _ opened: OpenStores, access: AccessStores?, limiter: RateLimiter, bodies: BodyBudget,
        refusals: RefusalCounter?
    ) throws -> AuthorizationRoutes? {
        guard options.roles.contains(.authorization), let records = opened.records, let access else { return nil }
        return AuthorizationRoutes(
            access: access,
            configuration: try AuthorizationConfiguration(
                address: address, keys: try folder.signingKeys(now: clock()), title: study.title,
                allowsLoopback: study.development,
                hasPatient: { id in
                    try await records.read {
                        try RecordStore().read(type: "Patient", id: id, in: $0)?.isDeleted == false
                    }
                }),
            limiter: limiter, bodies: bodies, refusals: { await refusals?.count($0) }, clock: clock)
    }

    /// Returns the public URL of the server: that of the options, or of study.json, or none yet.
    static func address(_ options: ServerOptions, _ study: StudyConfiguration) throws -> PublicAddress {
        PublicAddress(
            try options.publicURL.map { try StudyConfiguration.publicURL($0, development: study.development) }
                ?? study.publicURL)
    }

    /// Returns the URL that the server listens on.
    func listeningURL(port: Int) -> String {
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        return "\(options.certificate == nil ? "http" : "https")://\(host):\(port)"
    }
}
