import AccessPolicy
import Core
import FHIR
import FHIRHTTP
import FHIRPatch
import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// A write request with its target, as it was at the lookup.
struct PlannedWrite: Sendable {
    /// The record with the id.
    struct Present: Sendable {
        /// Its content is present only where the request needs it.
        var record: StoredRecord
        let facts: RecordFacts
        let subject: String?
        /// The number of the next version.
        let nextVersion: Int64
    }

    let request: WriteRequest
    let id: String
    /// Whether the id was generated, so that no record has it.
    let isNew: Bool
    /// The stored record; nil where there is none.
    var present: Present?
    /// The ids that the criteria found.
    let matches: [String]?
    /// The parsed criteria.
    let criteria: CriteriaReading?
    /// Whether the resource to delete is hidden from the grant: nothing is done, as for a resource that does not exist.
    var isHidden = false
    /// The resource to store; nil where there is none.
    var resource: Resource?
    /// Whether it differs from the request, because of a patch or of replaced links.
    var isChanged = false

    /// Whether there is nothing to do: the resource of a conditional create exists, or there is nothing to delete.
    var isSettled: Bool {
        if case .delete = request.change { return present?.record.isDeleted ?? true }
        guard case .newUnless = request.destination else { return false }
        return matches?.isEmpty == false
    }

    var target: Target {
        Target(resourceType: request.type, resourceID: id, subject: present?.subject)
    }
}

/// Looks up the targets of requests, as far as a grant sees them.
struct WritePlanner {
    let grant: AccessGrant
    let policy: Policy
    let now: Date
    let matching: any RecordMatching
    let newID: @Sendable () -> UUID
    /// The resources that the study publishes; they change only with its files.
    let published: PublishedResources
    /// The server's own base URL, without a final slash; nil where it is unknown.
    let ownBase: String?
    let store = RecordStore()

    /// Plans several requests, in R4's order: deletions first, and no search finds the deleted resources
    /// (<https://hl7.org/fhir/R4/http.html#trules>).
    ///
    /// - Returns: the plans in the order of the requests.
    /// - Throws: ``WriteRefusal``, ``Storage/StorageError``.
    func plan(
        _ requests: [WriteRequest], maximumPresentBytes: Int, in transaction: any SQLTransaction
    ) throws -> [PlannedWrite] {
        var plans = [PlannedWrite?](repeating: nil, count: requests.count)
        var deleted: [String: Set<String>] = [:]
        var presentBytes = 0
        for isDeletion in [true, false] {
            for (index, request) in requests.enumerated() where request.isDeletion == isDeletion {
                let plan = try WriteRefusal.withIndex(index, of: requests.count) {
                    try self.plan(request, excluding: isDeletion ? [] : deleted[request.type] ?? [], in: transaction)
                }
                if isDeletion { deleted[request.type, default: []].insert(plan.id) }
                // The stored resources are in memory until all writes are done.
                presentBytes += plan.present?.record.content.count ?? 0
                guard requests.count == 1 || presentBytes <= maximumPresentBytes else {
                    throw WriteRefusal(.tooMuchReplaced, plan.target)
                }
                plans[index] = plan
            }
        }
        return plans.compactMap { $0 }
    }

    /// - Parameter deleted: the ids of resources of the type that the same transaction deletes.
    /// - Throws: ``WriteRefusal``, ``Storage/StorageError``.
    func plan(
        _ request: WriteRequest, excluding deleted: Set<String> = [], in transaction: any SQLTransaction
    ) throws -> PlannedWrite {
        let type = request.type
        let target = Target(resourceType: type, resourceID: request.namedID)
        guard RecordType.isHeld(type) else { throw WriteRefusal(.unknownType, target) }
        // 1. Whether the scopes include the type, before any lookup.
        let ofType = policy.decide(grant, request.interaction, type: type, at: now)
        guard ofType.isPermitted else { throw WriteRefusal(ofType, target) }
        guard published.mayBeWritten(request) else { throw WriteRefusal(.typePublished, target) }
        // 2. The target.
        let criteria = try request.criteria.map { try read($0, ofType: type, target) }
        let matches = try request.criteria.map {
            try self.matches(type, $0, excluding: deleted, for: target, in: transaction)
        }
        let named = try id(of: request, matches, target)
        let id = named ?? newID().lowercaseText
        // 3. Its state.
        var write = PlannedWrite(
            request: request, id: id, isNew: named == nil,
            present: try named.flatMap { try present(type, id: $0, for: request, in: transaction) }, matches: matches,
            criteria: criteria)
        if let present = write.present, !present.record.isDeleted, matches?.isEmpty == true,
            case .update = request.change
        {
            // The id in the body exists, but the criteria do not find it.
            let isSeen = policy.decide(grant, .read, record: present.facts, at: now).isPermitted
            throw WriteRefusal(isSeen ? .idTaken : .notFound, target)
        }
        if let present = write.present, request.isDeletion,
            case .hidden = policy.decideDelete(grant, of: present.facts, at: now)
        {
            write.present = nil
            write.isHidden = true
        }
        guard !write.isSettled else { return write }
        // 4. The new content.
        switch request.change {
        case .create(let resource), .update(let resource):
            write.resource = resource.stored(as: id)
            try requireWhole(write)
        case .patch: try requirePatchable(write)
        case .delete: break
        }
        return write
    }

    /// Returns the record with an id; nil where there is none.
    private func present(
        _ type: String, id: String, for request: WriteRequest, in transaction: any SQLTransaction
    ) throws -> PlannedWrite.Present? {
        guard let stored = try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: transaction),
            let record = try store.read(type: type, id: id, in: transaction)
        else { return nil }
        return .init(
            record: request.needsContent ? record : record.withoutContent, facts: stored.facts,
            subject: stored.subject,
            nextVersion: request.isOfBundle
                ? try store.nextVersion(ofType: type, id: id, in: transaction) : record.version + 1)
    }

    /// - Throws: ``WriteRefusal`` where the body is only a part of the resource that it would replace.
    private func requireWhole(_ write: PlannedWrite) throws {
        guard let resource = write.resource, resource.isSubsetted, let present = write.present?.record,
            !present.isDeleted
        else { return }
        guard try present.resource().isSubsetted else { throw WriteRefusal(.subsetted, write.target) }
    }

    /// Parses criteria.
    ///
    /// - Throws: ``WriteRefusal`` where a parameter is unknown.
    func read(
        _ criteria: WriteRequest.Criteria, ofType type: String, _ target: Target
    ) throws -> CriteriaReading {
        do {
            return try CriteriaReading(ofType: type, criteria, ownBases: ownBase.map { [$0] } ?? [], now: now)
        } catch let failure as RecordsFailure {
            throw WriteRefusal(failure, target)
        } catch let error as SearchConditionError {
            throw WriteRefusal(RecordsFailure(error), target)
        }
    }

    /// Returns the ids of the resources that match criteria and that the grant may find.
    ///
    /// - Parameter excluded: the ids of resources that the same transaction deletes or writes; they do not match.
    /// - Throws: ``WriteRefusal`` where several resources match.
    func matches(
        _ type: String, _ criteria: WriteRequest.Criteria, excluding excluded: Set<String> = [], for target: Target,
        in transaction: any SQLTransaction
    ) throws -> [String] {
        let mayFind = policy.decide(grant, .searchType, type: type, at: now)
        guard mayFind.isPermitted else { throw WriteRefusal(mayFind, target) }
        do {
            let found = try matching.ids(
                ofType: type, criteria, showing: policy.filter(grant, .searchType, at: now),
                limit: 2 + excluded.count, now: now, in: transaction
            ).filter { !excluded.contains($0) }
            guard found.count < 2 else { throw WriteRefusal(.severalMatches, target) }
            return found
        } catch let failure as RecordsFailure {
            throw WriteRefusal(failure, target)
        } catch let error as SearchConditionError {
            throw WriteRefusal(RecordsFailure(error), target)
        }
    }

    /// Whether the grant may find a resource as it will be stored.
    func isFound(_ resource: Resource, as id: String) -> Bool {
        let ownBases = ownBase.map { [$0] } ?? []
        let facts = RecordFacts(
            resource, storedAs: id, subject: SearchIndex.subject(of: resource, id: id, at: ownBases), at: ownBases,
            asking: grant.queries(of: resource.resourceType))
        return policy.filter(grant, .searchType, at: now).matches(facts)
    }

    /// Returns the id of the target; nil where it gets a new one.
    private func id(of request: WriteRequest, _ matches: [String]?, _ target: Target) throws -> String? {
        if let match = matches?.first {
            // The body must not contain another id than that of the match.
            if case .update(let resource) = request.change, let own = resource.id, own != match {
                throw WriteRefusal(.otherID, target)
            }
            return match
        }
        switch (request.destination, request.change) {
        case (.id(let id), _):
            guard Resource.isID(id) else { throw WriteRefusal(.idInvalid, target) }
            return id
        case (.found, .update(let resource)):
            guard let own = resource.id else { return nil }
            guard Resource.isID(own) else { throw WriteRefusal(.idInvalid, target) }
            return own
        case (.found, .patch): throw WriteRefusal(.notFound, target)
        default: return nil
        }
    }

    /// - Throws: ``WriteRefusal`` where the grant may not patch the resource.
    private func requirePatchable(_ write: PlannedWrite) throws {
        guard let present = write.present else { throw WriteRefusal(.notFound, write.target) }
        // A resource that may not be changed is not read either.
        let decision = policy.decideUpdate(grant, from: present.facts, to: present.facts, at: now)
        guard decision.isPermitted else {
            // The policy first decides about the new state; here it equals the stored state, so a refusal would reveal
            // the resource.
            let isSeen = [RecordInteraction.read, .searchType].contains {
                policy.decide(grant, $0, record: present.facts, at: now).isPermitted
            }
            throw isSeen ? WriteRefusal(decision, write.target) : WriteRefusal(.notFound, write.target)
        }
        // The matches and errors of a patch reveal the content.
        let reading = policy.decide(grant, .read, record: present.facts, at: now)
        guard reading.isPermitted else { throw WriteRefusal(reading, write.target) }
        guard !present.record.isDeleted else { throw WriteRefusal(.gone, write.target) }
    }
}

extension PlannedWrite {
    /// Applies the patch of the request, without a transaction, because it takes time.
    ///
    /// - Throws: ``WriteRefusal``; ``FHIR/ResourceError`` where the record is damaged.
    mutating func applyPatch(within allowance: WriteAllowance) throws {
        guard case .patch(let patch) = request.change, !isSettled, let record = present?.record else { return }
        let before = try record.resource()
        let after: Resource
        do throws(PatchError) { after = try allowance.apply(patch, to: before) } catch {
            throw WriteRefusal(RecordsFailure(error), target)
        }
        guard after.resourceType == before.resourceType, after.id == before.id else {
            throw WriteRefusal(.identityPatched, target)
        }
        resource = after.stored(as: id)
        isChanged = true
        present?.record = record.withoutContent
    }
}
extension WriteRequest {
    var interaction: RecordInteraction {
        switch change {
        case .create: .create
        case .update: .update
        case .patch: .patch
        case .delete: .delete
        }
    }

    /// Whether the request needs the stored content.
    fileprivate var needsContent: Bool {
        switch change {
        case .patch: true
        case .update(let resource): resource.isSubsetted
        case .create, .delete: false
        }
    }

    fileprivate var namedID: String? { if case .id(let id) = destination { id } else { nil } }
}

extension Resource {
    /// Returns the resource as it is stored with an id. The server sets the version and the time, whatever the request
    /// contains (<https://hl7.org/fhir/R4/http.html#create>).
    package func stored(as id: String) -> Resource {
        var object = object
        if var meta = object["meta"]?.object {
            for name in ["versionId", "_versionId", "lastUpdated", "_lastUpdated"] { meta[name] = nil }
            object["meta"] = meta.isEmpty ? nil : .object(meta)
        }
        object["id"] = nil
        object.set("id", .string(id), at: object.keys.first == "resourceType" ? 1 : 0)
        return Resource(object)
    }
}

extension Resource {
    /// Whether the resource is incomplete: it has the tag SUBSETTED (<https://hl7.org/fhir/R4/search.html#summary>).
    var isSubsetted: Bool {
        (object["meta"]?["tag"]?.array ?? []).contains {
            $0["code"]?.string == "SUBSETTED"
                && $0["system"]?.string?.hasSuffix("v3-ObservationValue") ?? true
        }
    }
}

extension StoredRecord {
    /// The record without its content, which may be megabytes.
    package var withoutContent: StoredRecord {
        StoredRecord(
            type: type, id: id, version: version, lastUpdated: lastUpdated, isDeleted: isDeleted, content: Data(),
            provenance: provenance)
    }
}

extension RecordStore {
    /// Returns the number of a record's next version.
    fileprivate func nextVersion(
        ofType type: String, id: String, in transaction: any SQLTransaction
    ) throws -> Int64 {
        let row = try transaction.first(
            """
            SELECT max(v.version) AS version FROM record_version v JOIN record r ON r.number = v.number
            WHERE \(RecordKey.condition)
            """, [RecordKey.value(type: type, id: id)])
        return (row?.integerIfPresent("version") ?? 0) + 1
    }
}
