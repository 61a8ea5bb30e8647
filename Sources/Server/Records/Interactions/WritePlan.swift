import Core
import FHIR
import Foundation
import Storage
import Trust

/// A request that writes with the resource that it means, as it stood when it was looked at.
struct PlannedWrite: Sendable {
    /// The record that has the id.
    struct Present: Sendable {
        let record: StoredRecord
        let facts: RecordFacts
        let subject: String?
    }

    let request: WriteRequest
    let id: String
    /// Whether the id was made for it, so that no record has it.
    let isNew: Bool
    /// nil where there is none.
    let present: Present?
    /// What the criteria found.
    let matches: [String]?
    /// What is to be stored; nil where nothing is.
    var resource: Resource?

    /// Whether there is nothing to do: what was not to be made twice is there, or there is nothing to delete.
    var isSettled: Bool {
        switch request.place {
        case .newUnless: matches?.isEmpty == false
        case .found: if case .delete = request.change { present == nil } else { false }
        case .new, .id: false
        }
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
    /// The types that are published with the study and written with its files alone.
    let publishedTypes: Set<String>
    let store = RecordStore()

    /// - Throws: ``WriteRefusal``, ``Storage/StorageError``.
    func plan(_ request: WriteRequest, in transaction: any SQLTransaction) throws -> PlannedWrite {
        let type = request.type
        let target = Target(resourceType: type, resourceID: request.namedID)
        guard RecordType.isHeld(type) else { throw WriteRefusal(.unknownType, target) }
        // 1. Whether the scopes reach the type at all: before anything is looked up.
        let ofType = policy.decide(grant, request.interaction, type: type, at: now)
        guard ofType.isPermitted else { throw WriteRefusal(ofType, target) }
        guard !publishedTypes.contains(type) else { throw WriteRefusal(.typePublished, target) }
        // 2. Which resource is meant.
        let matches = try request.criteria.map { try self.matches(type, $0, target, in: transaction) }
        let named = try id(of: request, matches, target)
        let id = named ?? newID().lowercaseText
        // 3. How it stands.
        var present: PlannedWrite.Present?
        if named != nil,
            let stored = try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: transaction),
            let record = try store.read(type: type, id: id, in: transaction)
        {
            present = .init(record: record, facts: stored.facts, subject: stored.subject)
        }
        if let present, !present.record.isDeleted, matches?.isEmpty == true, case .update = request.change {
            // The criteria do not find what the body names.
            let isSeen = policy.decide(grant, .read, record: present.facts, at: now).isPermitted
            throw WriteRefusal(isSeen ? .idTaken : .notFound, target)
        }
        var write = PlannedWrite(
            request: request, id: id, isNew: named == nil, present: present, matches: matches)
        guard !write.isSettled else { return write }
        // 4. What it is to be.
        switch request.change {
        case .create(let resource), .update(let resource): write.resource = resource.stored(as: id)
        case .patch(let patch): write.resource = try patched(write, by: patch)
        case .delete: break
        }
        return write
    }

    /// What criteria find, of what the grant's searches see.
    func matches(
        _ type: String, _ criteria: WriteRequest.Criteria, _ target: Target, in transaction: any SQLTransaction
    ) throws -> [String] {
        let mayFind = policy.decide(grant, .searchType, type: type, at: now)
        guard mayFind.isPermitted else { throw WriteRefusal(mayFind, target) }
        do {
            let found = try matching.ids(
                ofType: type, criteria, showing: policy.filter(grant, .searchType, at: now), limit: 2, now: now,
                in: transaction)
            guard found.count < 2 else { throw WriteRefusal(.severalMatches, target) }
            return found
        } catch let failure as RecordsFailure {
            throw WriteRefusal(failure, target)
        }
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

    private func patched(_ write: PlannedWrite, by patch: ResourcePatch) throws -> Resource {
        guard let present = write.present else { throw WriteRefusal(.notFound, write.target) }
        // What may not be changed is not looked into either.
        let decision = policy.decideUpdate(grant, from: present.facts, to: present.facts, at: now)
        guard decision.isPermitted else {
            // The policy judges first what would be there: here that is what is there, and tells of it.
            let isSeen = [RecordInteraction.read, .searchType].contains {
                policy.decide(grant, $0, record: present.facts, at: now).isPermitted
            }
            throw isSeen ? WriteRefusal(decision, write.target) : WriteRefusal(.notFound, write.target)
        }
        // What it finds and where it fails tells what is there.
        let reading = policy.decide(grant, .read, record: present.facts, at: now)
        guard reading.isPermitted else { throw WriteRefusal(reading, write.target) }
        guard !present.record.isDeleted else { throw WriteRefusal(.gone, write.target) }
        let before = try present.record.resource()
        let after: Resource
        do throws(PatchError) { after = try patch.applied(to: before) } catch {
            throw WriteRefusal(RecordsFailure(error), write.target)
        }
        guard after.resourceType == before.resourceType, after.id == before.id else {
            throw WriteRefusal(.identityPatched, write.target)
        }
        return after.stored(as: write.id)
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
