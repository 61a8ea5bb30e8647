import Authorization
import Foundation
import Records
import ServerHTTP
import Storage
import Trust

extension StudyServer {
    /// The authorization server, where this process is one.
    func authorizationRoutes(
        _ opened: OpenStores, _ access: AccessControl?, _ limiter: RateLimiter, _ bodies: BodyBudget,
        _ refusals: RefusalCounter?
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

    /// Where others reach the server: what the options say, else study.json, else nothing yet.
    static func address(_ options: ServerOptions, _ study: StudyConfiguration) throws -> PublicAddress {
        PublicAddress(
            try options.publicURL.map { try StudyConfiguration.publicURL($0, development: study.development) }
                ?? study.publicURL)
    }

    /// The address that is listened on.
    func listeningURL(port: Int) -> String {
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        return "\(options.certificate == nil ? "http" : "https")://\(host):\(port)"
    }
}
