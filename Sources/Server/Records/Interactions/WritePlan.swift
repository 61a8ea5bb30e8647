import Core
import FHIR
import Foundation
import Storage
import Trust

/// A request that writes with the resource that it means, as it was when it was looked up.
struct PlannedWrite: Sendable {
    /// The record that has the id.
    struct Present: Sendable {
        /// Its content is there only as far as the request needs it.
        var record: StoredRecord
        let facts: RecordFacts
        let subject: String?
        /// The number of the version that comes next.
        let nextVersion: Int64
    }

    let request: WriteRequest
    let id: String
    /// Whether the id was made for it, so that no record has it.
    let isNew: Bool
    /// nil where there is none.
    var present: Present?
    /// What the criteria found.
    let matches: [String]?
    /// What the criteria ask for.
    let criteria: CriteriaReading?
    /// Whether there is a resource to delete that the grant does not see: nothing is done, as where there is none.
    var isHidden = false
    /// What is to be stored; nil where nothing is.
    var resource: Resource?
    /// Whether that is not as it was sent: a patch made it, or links in it were replaced.
    var isChanged = false

    /// Whether there is nothing to do: what was not to be made twice is there, or there is nothing to delete.
    var isSettled: Bool {
        if case .delete = request.change { return present?.record.isDeleted ?? true }
        guard case .newUnless = request.place else { return false }
        return matches?.isEmpty == false
    }

    var target: Target {
        Target(resourceType: request.type, resourceID: id, subject: present?.subject)
    }
}

/// Looks up what requests mean, by what a grant sees.
struct WritePlanner {
    let grant: AccessGrant
    let policy: Policy
    let now: Date
    let matching: any RecordMatching
    let newID: @Sendable () -> UUID
    /// What is published with the study and written with its files alone.
    let published: PublishedResources
    /// The server's own base URL, without a last slash; nil where it is not known.
    let ownBase: String?
    let store = RecordStore()

    /// Looks up several requests, in R4's order: what is deleted goes first, and no search finds it
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
            for (place, request) in requests.enumerated() where request.isDeletion == isDeletion {
                let plan = try WriteRefusal.placed(place, of: requests.count) {
                    try self.plan(request, excluding: isDeletion ? [] : deleted[request.type] ?? [], in: transaction)
                }
                if isDeletion { deleted[request.type, default: []].insert(plan.id) }
                // The stored resources are held in memory until all is written.
                presentBytes += plan.present?.record.content.count ?? 0
                guard requests.count == 1 || presentBytes <= maximumPresentBytes else {
                    throw WriteRefusal(.tooMuchReplaced, plan.target)
                }
                plans[place] = plan
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
        // 1. Whether the scopes reach the type at all: before anything is looked up.
        let ofType = policy.decide(grant, request.interaction, type: type, at: now)
        guard ofType.isPermitted else { throw WriteRefusal(ofType, target) }
        guard published.mayBeWritten(request) else { throw WriteRefusal(.typePublished, target) }
        // 2. Which resource is meant.
        let criteria = try request.criteria.map { try read($0, ofType: type, target) }
        let matches = try request.criteria.map {
            try self.matches(type, $0, excluding: deleted, target, in: transaction)
        }
        let named = try id(of: request, matches, target)
        let id = named ?? newID().lowercaseText
        // 3. Its state.
        var write = PlannedWrite(
            request: request, id: id, isNew: named == nil,
            present: try named.flatMap { try present(type, $0, request, in: transaction) }, matches: matches,
            criteria: criteria)
        if let present = write.present, !present.record.isDeleted, matches?.isEmpty == true,
            case .update = request.change
        {
            // The criteria do not find what the body names.
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
        // 4. What it is to be.
        switch request.change {
        case .create(let resource), .update(let resource):
            write.resource = resource.stored(as: id)
            try requireWhole(write)
        case .patch: try requirePatchable(write)
        case .delete: break
        }
        return write
    }

    /// The record that has an id; nil where there is none.
    private func present(
        _ type: String, _ id: String, _ request: WriteRequest, in transaction: any SQLTransaction
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

    /// - Throws: ``WriteRefusal`` where the body is a part of the resource that it would replace.
    private func requireWhole(_ write: PlannedWrite) throws {
        guard let resource = write.resource, resource.isSubsetted, let present = write.present?.record,
            !present.isDeleted
        else { return }
        guard try present.resource().isSubsetted else { throw WriteRefusal(.subsetted, write.target) }
    }

    /// Reads criteria.
    ///
    /// - Throws: ``WriteRefusal`` where a parameter is not known.
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

    /// What criteria find, of what the grant's searches see.
    ///
    /// - Parameter excluded: ids that are not found: those of resources that the same transaction deletes or writes.
    /// - Throws: ``WriteRefusal`` where they find several.
    func matches(
        _ type: String, _ criteria: WriteRequest.Criteria, excluding excluded: Set<String> = [], _ target: Target,
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

    /// Whether the grant's searches see a resource as it will be stored.
    func isFound(_ resource: Resource, as id: String) -> Bool {
        let ownBases = ownBase.map { [$0] } ?? []
        let facts = RecordFacts(
            resource, storedAs: id, subject: SearchIndex.subject(of: resource, id: id, at: ownBases), at: ownBases,
            asking: grant.queries(of: resource.resourceType))
        return policy.filter(grant, .searchType, at: now).matches(facts)
    }

    /// The id of the resource that is meant; nil where it gets a new one.
    private func id(of request: WriteRequest, _ matches: [String]?, _ target: Target) throws -> String? {
        if let match = matches?.first {
            // The body may not name another one than the one that is found.
            if case .update(let resource) = request.change, let own = resource.id, own != match {
                throw WriteRefusal(.otherID, target)
            }
            return match
        }
        switch (request.place, request.change) {
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

    /// - Throws: ``WriteRefusal`` where the grant may not patch what is there.
    private func requirePatchable(_ write: PlannedWrite) throws {
        guard let present = write.present else { throw WriteRefusal(.notFound, write.target) }
        // What may not be changed is not looked into either.
        let decision = policy.decideUpdate(grant, from: present.facts, to: present.facts, at: now)
        guard decision.isPermitted else {
            // The policy judges first what would be there: here that is what is there, and shows it.
            let isSeen = [RecordInteraction.read, .searchType].contains {
                policy.decide(grant, $0, record: present.facts, at: now).isPermitted
            }
            throw isSeen ? WriteRefusal(decision, write.target) : WriteRefusal(.notFound, write.target)
        }
        // What it finds and where it fails shows what is there.
        let reading = policy.decide(grant, .read, record: present.facts, at: now)
        guard reading.isPermitted else { throw WriteRefusal(reading, write.target) }
        guard !present.record.isDeleted else { throw WriteRefusal(.gone, write.target) }
    }
}

extension PlannedWrite {
    /// Applies the patch that is asked for, without a transaction: it takes its time.
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

    /// Whether what is stored has to be read for it.
    fileprivate var needsContent: Bool {
        switch change {
        case .patch: true
        case .update(let resource): resource.isSubsetted
        case .create, .delete: false
        }
    }

    fileprivate var namedID: String? { if case .id(let id) = place { id } else { nil } }
}

extension Resource {
    /// The resource as it is stored under an id: the version and the time are the server's, whatever was sent
    /// (<https://hl7.org/fhir/R4/http.html#create>).
    func stored(as id: String) -> Resource {
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
    /// Whether the resource is a part of one: it has the tag SUBSETTED (<https://hl7.org/fhir/R4/search.html#summary>).
    var isSubsetted: Bool {
        (object["meta"]?["tag"]?.array ?? []).contains {
            $0["code"]?.string == "SUBSETTED"
                && $0["system"]?.string?.hasSuffix("v3-ObservationValue") ?? true
        }
    }
}

extension StoredRecord {
    /// The same without its content, which may be megabytes.
    var withoutContent: StoredRecord {
        StoredRecord(
            type: type, id: id, version: version, lastUpdated: lastUpdated, isDeleted: isDeleted, content: Data(),
            provenance: provenance)
    }
}

extension RecordStore {
    /// The number that the next version of a record will have.
    fileprivate func nextVersion(
        ofType type: String, id: String, in transaction: any SQLTransaction
    ) throws -> Int64 {
        let row = try transaction.first(
            """
            SELECT max(v.version) AS version FROM record_version v JOIN record r ON r.number = v.number
            WHERE \(RecordAddress.condition)
            """, [RecordAddress.value(type: type, id: id)])
        return (row?.integerIfPresent("version") ?? 0) + 1
    }
}
