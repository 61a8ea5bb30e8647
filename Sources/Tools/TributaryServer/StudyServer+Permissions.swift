import Audit
import Authorization
import FHIRServer
import Identity
import Permissions
import ServerHTTP
import StudyFiles

extension StudyServer {
    /// Returns the routes of apps on devices, wallets and permissions, if this process has the role of the authorization
    /// server.
    ///
    /// - Parameter records: the FHIR API, if this process has its role.
    func permissionTables(
        authorization: AuthorizationRoutes?, records: RecordsRoutes?, access: AccessStores?, limiter: RateLimiter,
        bodies: BodyBudget, refusals: RefusalCounter?
    ) -> [RouteTable] {
        guard let authorization, let access else { return [] }
        let acceptsLegacy = study.acceptsLegacyCalls
        let calls = CsiCalls(
            audit: access.audit,
            rules: .init(acceptsVersion1: acceptsLegacy, acceptsClaims: study.identifiedRecords))
        let count: @Sendable (String) async -> Void = { await refusals?.count($0) }
        var tables = [
            PermissionRoutes(
                calls: calls, limiter: limiter, bodies: bodies, refusals: count, version: TributaryVersion.text
            ).table,
            LegacyTokenRoutes(
                access: access, address: address, limiter: limiter, bodies: bodies, isOn: acceptsLegacy, refusals: count
            ).table,
            OwnAccessRoutes(
                access: access, sessions: authorization.sessions, title: study.title, limiter: limiter,
                permissions: PermissionStore(audit: access.audit), codes: WalletCodes(audit: access.audit),
                version: TributaryVersion.text,
                refusals: count
            ).table,
        ]
        if let records { tables.append(LegacyTokenRoutes.patientTable(of: records)) }
        return tables
    }
}
