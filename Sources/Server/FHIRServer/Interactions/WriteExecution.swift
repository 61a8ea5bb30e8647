import AccessPolicy
import Audit
import FHIR
import FHIRHTTP
import Foundation
import Identity
import RecordStorage
import Storage

/// Performs planned writes in one transaction: all of them or none.
struct WriteExecution {
    let planner: WritePlanner
    let access: AccessStores
    let admission: (any WriteAdmission)?
    let provenance: RecordProvenance
    /// The result of the lookup without the lock of the writer.
    let lookup: WriteLookup

    private var grant: AccessGrant { planner.grant }
    private var policy: Policy { planner.policy }
    private var store: RecordStore { planner.store }

    /// A planned write with the record to store; nil for a deletion, or where there is nothing to do.
    struct Ready: Sendable {
        let write: PlannedWrite
        let admitted: AdmittedResource?
        let record: NewRecord?

        /// - Parameters:
        ///   - record: the record of the admitted resource, where it exists already.
        ///   - ownBases: the server's own base URLs, without a final slash.
        ///   - queries: the grant's queries for the type.
        init(
            _ write: PlannedWrite, _ admitted: AdmittedResource?, record made: NewRecord? = nil,
            at ownBases: [String] = [], asking queries: Set<ScopeQuery>
        ) {
            self.write = write
            self.admitted = admitted
            let record = admitted.map {
                made ?? NewRecord($0.resource, id: write.id, content: $0.resource.json.data(), at: ownBases)
            }
            self.record = record
            facts = admitted.map {
                RecordFacts(
                    $0.resource, storedAs: write.id, subject: record?.subject, at: ownBases, asking: queries)
            }
        }

        /// The facts that decide whether it may be stored.
        let facts: RecordFacts?
    }

    /// - Returns: the outcomes, in the order of the requests.
    /// - Throws: ``WriteRefusal`` at the first write that is refused, ``OutdatedPlan``, ``Storage/StorageError``.
    func perform(_ all: [Ready], in transaction: any SQLTransaction) throws -> [WriteOutcome] {
        // 1. All decisions precede all writes.
        try lookup.verify(planner, in: transaction)
        var permitted: [String: Set<String>] = [:]
        for (index, ready) in all.enumerated() {
            try WriteRefusal.withIndex(index, of: all.count) { try check(ready, &permitted, in: transaction) }
        }
        // 2. Deletions first (https://hl7.org/fhir/R4/http.html#trules).
        var kinds: [Int: WriteOutcome.Kind] = [:]
        var written: [Int: StoredRecord] = [:]
        let changes = try store.write(provenance, at: planner.now, in: transaction) { writer in
            var changes: [RecordChange] = []
            for (index, ready) in all.enumerated() where ready.write.request.isDeletion {
                guard !ready.write.isSettled, let gone = try writer.delete(type: ready.type, id: ready.write.id) else {
                    kinds[index] = ready.write.present == nil ? .absent : .deleted
                    continue
                }
                kinds[index] = .deleted
                changes.append(change(ready, number: gone, put: nil))
            }
            var results = try writer.write(
                contentsOf: all.filter { !$0.write.request.isDeletion }.compactMap { ready in
                    ready.record.map { ($0, isNew: ready.write.isNew) }
                }
            ).makeIterator()
            for (index, ready) in all.enumerated() where !ready.write.request.isDeletion {
                guard let record = ready.record else {
                    kinds[index] = .unchanged
                    continue
                }
                guard let result = results.next(), let put = result else { throw OutdatedPlan() }
                kinds[index] = kind(of: put, replacing: ready.write.present)
                if put.outcome != .unchanged {
                    written[index] = StoredRecord(record, put: put, provenance: provenance, at: planner.now)
                }
                if put.outcome != .unchanged { changes.append(change(ready, number: put.number, put: put)) }
            }
            return changes
        }
        // 3. The further steps, and the audit.
        try admission?.follow(changes, submissionID: provenance.submissionID, in: transaction)
        try access.audit.record(
            RecordDecision.permitted.decision, by: grant.actor, action: .writeRecord,
            targets: all.map { ready in
                Target(
                    resourceType: ready.type, resourceID: ready.write.id,
                    subject: ready.record?.subject ?? ready.write.present?.subject)
            }, in: transaction)
        var bytes = Self.maximumAnsweredBytes
        return try all.enumerated().map { index, ready in
            if ready.write.isHidden {
                return WriteOutcome(kind: .absent, type: ready.type, id: ready.write.id, record: nil, isShown: false)
            }
            // A written record is known; any other is read while the response may contain more bytes.
            let record =
                try written[index] ?? store.read(type: ready.type, id: ready.write.id, in: transaction)
            bytes -= record?.content.count ?? 0
            let facts = ready.facts ?? ready.write.present?.facts
            let isShown =
                bytes >= 0
                && facts.map { policy.decide(grant, .read, record: $0, at: planner.now).isPermitted } ?? false
            return WriteOutcome(
                kind: kinds[index] ?? .unchanged, type: ready.type, id: ready.write.id,
                record: isShown ? record : record?.withoutContent, isShown: isShown)
        }
    }

    /// Maximum number of bytes of resources in one response; the entries beyond it have no resource.
    private static let maximumAnsweredBytes = 32 << 20

    /// Returns the outcome of a stored resource. The update of a deleted resource creates it again
    /// (<https://hl7.org/fhir/R4/http.html#update>).
    private func kind(of put: PutResult, replacing present: PlannedWrite.Present?) -> WriteOutcome.Kind {
        switch put.outcome {
        case .created: .created
        case .unchanged: .unchanged
        default: present?.record.isDeleted == true ? .created : .updated
        }
    }

    private func change(_ ready: Ready, number: Int64, put: PutResult?) -> RecordChange {
        RecordChange(
            type: ready.type, id: ready.write.id, number: number, subject: ready.record?.subject,
            formerSubject: ready.write.present?.subject, put: put, prepared: ready.admitted?.prepared)
    }

    /// - Parameter permitted: the participants of whom resources of a type may be written, as far as already checked.
    private func check(
        _ ready: Ready, _ permitted: inout [String: Set<String>], in transaction: any SQLTransaction
    ) throws {
        let write = ready.write
        guard !write.isSettled else {
            // The precondition of a deletion may apply even where there is no resource.
            if write.request.isDeletion { try checkPreconditions(write) }
            return
        }
        // 1. The policy, which also decides whether the caller may detect the resource.
        let decision = decision(ready)
        guard decision.isPermitted else { throw WriteRefusal(decision, write.target) }
        guard write.present?.record.provenance.isOfPermission != true else {
            throw WriteRefusal(RecordsFailure(RecordGuard.refusal), write.target)
        }
        // 2. The preconditions of the client.
        try checkPreconditions(write)
        // 3. The participants.
        let participants = (ready.facts?.owners ?? []).union(write.present?.facts.owners ?? [])
            .subtracting(permitted[ready.type] ?? [])
        let register = DeletionRegister()
        if try participants.contains(where: { try register.isDeleted($0, in: transaction) }) {
            throw WriteRefusal(.participantDeleted, write.target)
        }
        do { try admission?.permit(participants, type: ready.type, id: ready.write.id, in: transaction) } catch let
            error
            as RecordAdmissionError
        {
            throw WriteRefusal(RecordsFailure(error), write.target)
        }
        permitted[ready.type, default: []].formUnion(participants)
    }

    private func decision(_ ready: Ready) -> RecordDecision {
        let now = planner.now
        switch (ready.facts, ready.write.present) {
        case (nil, let present?): return policy.decideDelete(grant, of: present.facts, at: now)
        case (nil, nil): return policy.decide(grant, .delete, type: ready.type, at: now)
        case (let new?, let present?): return policy.decideUpdate(grant, from: present.facts, to: new, at: now)
        case (let new?, nil): return policy.decideCreate(grant, of: new, at: now)
        }
    }

    private func checkPreconditions(_ write: PlannedWrite) throws {
        let version = write.present.flatMap { $0.record.isDeleted ? nil : $0.record.version }
        if let wanted = write.request.ifMatch, !wanted.takes(version) {
            throw WriteRefusal(.versionConflict, write.target)
        }
        if let unwanted = write.request.ifNoneMatch, unwanted.takes(version) {
            throw WriteRefusal(.exists, write.target)
        }
    }
}

extension WriteExecution.Ready {
    var type: String { write.request.type }
}

extension WriteRequest {
    var isDeletion: Bool { if case .delete = change { true } else { false } }
}

extension StoredRecord {
    /// Creates the record of a resource that was just stored.
    fileprivate init(_ record: NewRecord, put: PutResult, provenance: RecordProvenance, at: Date) {
        self.init(
            type: record.type, id: record.id, version: put.version, lastUpdated: SQLTimestamp.rounded(at),
            isDeleted: false, content: record.content, provenance: provenance)
    }
}
