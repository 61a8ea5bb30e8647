import AccessPolicy
import Core
import FHIR
import FHIRHTTP
import Foundation
import RecordStorage
import Storage

extension RecordsService {
    /// Validates whether a resource could be stored, by the rules for writes and by the requested profiles
    /// (<https://hl7.org/fhir/R4/resource-operation-validate.html>). Nothing is stored.
    ///
    /// - Parameters:
    ///   - type: the type in the address.
    ///   - id: the id in the address; nil where it has only a type.
    /// - Throws: ``RecordsFailure`` where the grant neither reads nor writes the type, where the stored resource cannot
    ///   be read, and for an unknown profile.
    func validate(
        _ request: ValidationRequest, as type: String, id: String?, by caller: AuthenticatedCaller
    ) async throws -> OperationOutcome {
        let grant = caller.grant
        let now = clock()
        let allowed = [RecordInteraction.create, .update, .read].contains {
            access.audit.policy.decide(grant, $0, type: type, at: now).isPermitted
        }
        guard allowed else { throw RecordsFailure.forbidden }
        if request.mode == .delete || request.mode == .update || request.mode == .profile, id == nil {
            throw RecordsFailure.invalid("mode", "create where the address has no id")
        }
        if request.mode == .profile, request.profiles.isEmpty { throw RecordsFailure.profileMissing }
        let session = await admission?.begin(at: now)
        if request.mode == .delete, let id {
            return try await validateDeletion(of: type, id: id, session, by: caller)
        }
        guard let resource = try await resource(of: request, type: type, id: id, by: caller) else {
            throw RecordsFailure.bodyMissing
        }
        guard resource.resourceType == type else { return OperationOutcome(.otherType.about(resource.resourceType)) }
        if request.mode == .update {
            guard let own = resource.id else { return OperationOutcome(.idMissing.about("\(type).id")) }
            guard own == id else { return OperationOutcome(.otherID.about("\(type).id")) }
        }
        let target = request.mode == .create ? newID().lowercaseText : resource.id ?? newID().lowercaseText
        guard Resource.isID(target) else { return OperationOutcome(.idInvalid.about("\(type).id")) }
        // 1. The content of the resource.
        var issues: [RecordIssue] = []
        if session == nil, !request.profiles.isEmpty { throw RecordsFailure.profileUnknown }
        do throws(RecordAdmissionError) {
            issues = try session?.problems(of: resource, profiles: request.profiles) ?? []
        } catch {
            throw error.code == RecordsFailure.profileUnknown.code ? .profileUnknown : RecordsFailure(error).about(type)
        }
        var refusal: RecordsFailure?
        if request.mode != .profile {
            // 2. Whether it is admitted.
            do throws(RecordAdmissionError) { _ = try session?.admit(resource.stored(as: target), id: target) } catch {
                refusal = RecordsFailure(error).about(type)
            }
            // 3. Whether this caller may write it.
            if refusal == nil, let mode = request.mode {
                refusal = try await self.refusal(of: mode, resource.stored(as: target), id: target, session, by: caller)
            }
        }
        return Self.outcome(issues, refusal)
    }

    /// Returns the resource to validate: the one in the request, or the stored one of the address.
    private func resource(
        of request: ValidationRequest, type: String, id: String?, by caller: AuthenticatedCaller
    ) async throws -> Resource? {
        if let resource = request.resource, request.mode != .profile { return resource }
        guard let id else { return request.resource }
        guard request.resource == nil || request.mode == .profile else { return request.resource }
        return try await read(type: type, id: id, by: caller).resource()
    }

    /// Returns the reason that a caller may not write a resource now; nil where they may.
    private func refusal(
        of mode: ValidationRequest.Mode, _ resource: Resource, id: String, _ session: (any WriteAdmission)?,
        by caller: AuthenticatedCaller
    ) async throws -> RecordsFailure? {
        let (grant, store, policy, now) = (caller.grant, store, access.audit.policy, clock())
        let type = resource.resourceType
        guard published.mayBeWritten(type: type, id: id, url: resource["url"]?.string) else { return .typePublished }
        return try await reading(for: grant) { transaction in
            let present = try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: transaction)
            let facts = RecordFacts(
                resource, storedAs: id, subject: nil, at: ownBases, asking: grant.queries(of: type))
            let decision =
                if let present = present?.facts, mode == .update {
                    policy.decideUpdate(grant, from: present, to: facts, at: now)
                } else {
                    policy.decideCreate(grant, of: facts, at: now)
                }
            guard decision.isPermitted else { return RecordsFailure(decision).about(type) }
            let participants = facts.owners.union(present?.facts.owners ?? [])
            return try Self.refusal(of: participants, type: type, id: id, session, in: transaction)
        }
    }

    /// Validates whether a stored resource may be deleted.
    private func validateDeletion(
        of type: String, id: String, _ session: (any WriteAdmission)?, by caller: AuthenticatedCaller
    ) async throws -> OperationOutcome {
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let (grant, store, policy, now) = (caller.grant, store, access.audit.policy, clock())
        let isPublished = !published.mayBeWritten(type: type, id: id, url: nil)
        let refusal: RecordsFailure? = try await reading(for: grant) { transaction in
            let stored = try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: transaction)
            guard let facts = stored?.facts,
                let record = try store.read(type: type, id: id, in: transaction), !record.isDeleted
            else { return .notFound }
            let decision = policy.decideDelete(grant, of: facts, at: now)
            guard decision.isPermitted else { return RecordsFailure(decision) }
            guard !isPublished else { return .typePublished }
            return try Self.refusal(of: facts.owners, type: type, id: id, session, in: transaction)
        }
        return Self.outcome([], refusal?.about(type))
    }

    private static func refusal(
        of participants: Set<String>, type: String, id: String, _ session: (any WriteAdmission)?,
        in transaction: any SQLTransaction
    ) throws -> RecordsFailure? {
        guard try !RecordGuard.protects([(type: type, id: id)], in: transaction) else {
            return RecordsFailure(RecordGuard.refusal).about(type)
        }
        do { try session?.permit(participants, type: type, id: id, in: transaction) } catch let error
            as RecordAdmissionError
        {
            return RecordsFailure(error).about(type)
        }
        return nil
    }

    /// Returns the outcome of a validation: each problem once, errors first.
    private static func outcome(_ found: [RecordIssue], _ refusal: RecordsFailure?) -> OperationOutcome {
        var issues = found
        var detail = "resource-invalid"
        if let refusal {
            detail = refusal.code
            let known = Set(found.map { [$0.expression, $0.coding?.code ?? ""] })
            issues += refusal.issues.filter { !known.contains([$0.expression, $0.coding?.code ?? ""]) }
            if refusal.issues.isEmpty {
                issues.append(
                    RecordIssue(
                        kind: refusal.issue, expression: refusal.expression ?? "Resource", message: refusal.message))
            }
        }
        let errors = issues.filter { $0.severity == .error || $0.severity == .fatal }
        let rest = issues.filter { $0.severity != .error && $0.severity != .fatal }
        var rows = RecordIssue.bounded(errors + rest).map { issue in
            issue.row(detail: errors.contains(issue) ? detail : issue.coding?.code ?? "more-problems")
        }
        if errors.isEmpty {
            let valid = OperationOutcome(
                severity: .information, code: .informational, detail: "valid",
                diagnostics: "The resource meets the rules of this server.")
            rows = valid.issue + rows
        }
        return OperationOutcome(issue: rows)
    }
}
