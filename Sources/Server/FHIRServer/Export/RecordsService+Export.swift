import AccessPolicy
import BulkExport
import Core
import FHIR
import FHIRHTTP
import Foundation
import Storage

extension RecordsService {
    /// The status of an export for its caller.
    enum ExportState: Sendable {
        case open(progress: String, retryAfter: Int)
        case done(ExportJob, [BulkExportFile])
    }

    private func requireExports() throws -> Exports {
        guard let exports else { throw RecordsFailure.operationUnknown }
        return exports
    }

    /// Starts an export.
    ///
    /// - Parameters:
    ///   - path: the request's path and query, relative to the base URL of the API.
    ///   - lenient: whether types that the grant may not read are omitted.
    /// - Returns: the id of the export.
    func startExport(_ request: ExportRequest, path: String, lenient: Bool, by grant: AccessGrant) async throws
        -> String
    {
        let exports = try requireExports()
        let now = clock()
        let plan = ExportPlan(grant, request, policy: access.audit.policy, at: now, now: now)
        let target = Target(resourceType: request.types?.count == 1 ? request.types?.first : nil)
        let types = plan.types
        let isWhole = request.types.map { $0.count == types.count } ?? true
        guard !types.isEmpty, isWhole || lenient else {
            let asked = request.types?.first { !plan.isPermitted($0) } ?? Patient.resourceType
            let decision = access.audit.policy.decide(grant, .searchType, type: asked, at: now)
            try await permit(
                grant, by: decision.isPermitted ? .refused(.insufficientScope) : decision, to: target)
            throw RecordsFailure.forbidden
        }
        let store = store
        let job = ExportJob(
            id: newID().lowercaseText, grant: grant.inForce(at: now), request: request, path: path, createdAt: now,
            expiresAt: now.addingTimeInterval(exports.limits.worksFor + exports.limits.keptFor))
        // Errors of the request are reported now.
        _ = try await reading(for: grant) { try plan.selections(store, in: $0) }
        let access = access
        try await database.write { transaction in
            try exports.jobs.removeExpired(at: now, in: transaction)
            try exports.jobs.add(job, in: transaction)
            try access.audit.record(
                RecordDecision.permitted.decision, by: grant.actor, action: .exportRecords, target: target,
                in: transaction)
        }
        exports.announce.yield()
        return job.id
    }

    /// Returns the status of an export.
    ///
    /// - Throws: ``RecordsFailure``; for the export of another caller, the same as for one that does not exist.
    func exportState(_ id: String, by grant: AccessGrant) async throws -> ExportState {
        let exports = try requireExports()
        let job = try await job(id, of: exports, by: grant)
        switch job.status {
        case .open:
            let progress =
                job.begun == 0
                ? "waiting" : "\(job.written) resources" + (job.doneThrough.map { ", through \($0)" } ?? "")
            let isYoung = clock().timeIntervalSince(job.createdAt) < 20
            return .open(progress: progress, retryAfter: isYoung ? 1 : 5)
        case .failed: throw RecordsFailure.exportFailed(job.errorCode ?? "export-failed")
        case .done:
            return .done(job, try await database.read { try exports.jobs.files(of: id, in: $0) })
        }
    }

    /// Removes an export, whether it is finished or not.
    func cancelExport(_ id: String, by grant: AccessGrant) async throws {
        let exports = try requireExports()
        let job = try await job(id, of: exports, by: grant)
        try await database.write { try exports.jobs.remove(job.id, in: $0) }
        if job.folder == exports.folder.id || job.folder == nil {
            exports.folder.removeJobs(but: try await database.read { try exports.jobs.known(in: $0) })
        }
    }

    /// Returns the path and the length of an export's file.
    func exportFile(_ name: String, of id: String, by grant: AccessGrant) async throws -> (path: String, bytes: Int64) {
        let exports = try requireExports()
        let job = try await job(id, of: exports, by: grant)
        let file = try await database.read { try exports.jobs.file(name, of: id, in: $0) }
        guard job.status == .done, let file else { throw RecordsFailure.exportUnknown }
        // The names of files with deletions or errors begin with the type.
        let type = file.kind == .output ? file.type : String(file.name.prefix { $0 != "." })
        guard grant.shows(asMuchAs: job.grant, of: type, at: clock()) else { throw RecordsFailure.exportUnknown }
        guard job.folder == exports.folder.id else { throw RecordsFailure.exportElsewhere }
        guard exports.folder.has(file, of: id) else { throw RecordsFailure.exportUnknown }
        try await access.audit.record(
            RecordDecision.permitted.decision, by: grant.actor, action: .exportRecords,
            target: Target(resourceType: type), showing: [])
        return (exports.folder.path(file.name, of: id), file.bytes)
    }

    /// Returns the caller's own export. An export with a revoked grant is reported as not found.
    private func job(_ id: String, of exports: Exports, by grant: AccessGrant) async throws -> ExportJob {
        let (actor, now, access) = (grant.actor, clock(), access)
        let job: ExportJob? = try await database.read { transaction in
            guard let job = try exports.jobs.find(id, of: actor, in: transaction), job.expiresAt > now,
                // An export belongs to the app that requested it, not to other apps of the person.
                job.grant.client == grant.client, try !access.tokens.isRevoked(job.grant, in: transaction)
            else { return nil }
            return job
        }
        guard let job else { throw RecordsFailure.exportUnknown }
        return job
    }
}
