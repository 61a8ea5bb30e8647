import FHIR
import Foundation
import Storage
import Trust

/// Performs planned writes inside of one transaction: all of them or none.
struct WriteExecution {
    let planner: WritePlanner
    let access: AccessControl
    let admission: (any WriteAdmission)?
    let provenance: RecordProvenance
    /// What the request has left to look for what is meant; others who write wait.
    let time: SearchTime

    private var grant: AccessGrant { planner.grant }
    private var policy: Policy { planner.policy }
    private var store: RecordStore { planner.store }

    /// A planned write with what will be stored; nil where it is deleted or there is nothing to do.
    struct Ready: Sendable {
        let write: PlannedWrite
        let admitted: AdmittedResource?
        let record: NewRecord?

        /// - Parameters:
        ///   - record: the record of what was admitted, where it was made before.
        ///   - ownBases: the server's own base URLs, without a last slash.
        ///   - queries: those of the grant for the type.
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

        /// What decides whether it may be stored.
        let facts: RecordFacts?
    }

    /// - Returns: what became of each, in the order of the requests.
    /// - Throws: ``WriteRefusal`` at the first that may not be, ``OutdatedPlan``, ``Storage/StorageError``.
    func perform(_ all: [Ready], in transaction: any SQLTransaction) throws -> [WriteOutcome] {
        // 1. Everything is decided before anything is written.
        var permitted: [String: Set<String>] = [:]
        try time.limiting(transaction) {
            for (place, ready) in all.enumerated() {
                do { try check(ready, &permitted, in: transaction) } catch var refusal as WriteRefusal {
                    if all.count > 1 { refusal.place = place }
                    throw refusal
                }
            }
        }
        // 2. What is deleted goes first (https://hl7.org/fhir/R4/http.html#trules).
        var kinds: [Int: WriteOutcome.Kind] = [:]
        var written: [Int: StoredRecord] = [:]
        let changes = try store.write(provenance, at: planner.now, in: transaction) { writer in
            var changes: [RecordChange] = []
            for (place, ready) in all.enumerated() where ready.write.request.isDeletion {
                guard !ready.write.isSettled, let gone = try writer.delete(type: ready.type, id: ready.write.id) else {
                    kinds[place] = ready.write.present == nil ? .absent : .deleted
                    continue
                }
                kinds[place] = .deleted
                changes.append(change(ready, gone, nil))
            }
            try writer.expect(all.lazy.filter { !$0.write.request.isDeletion }.compactMap(\.record))
            for (place, ready) in all.enumerated() where !ready.write.request.isDeletion {
                guard let record = ready.record else {
                    kinds[place] = .unchanged
                    written[place] = ready.write.present?.record
                    continue
                }
                let made = try ready.write.isNew ? writer.create(record) : writer.replace(record)
                guard let put = made else { throw OutdatedPlan() }
                written[place] =
                    put.outcome == .unchanged
                    ? ready.write.present?.record : StoredRecord(record, put, provenance, at: planner.now)
                kinds[place] = put.outcome == .created ? .created : put.outcome == .unchanged ? .unchanged : .updated
                if put.outcome != .unchanged { changes.append(change(ready, put.number, put)) }
            }
            return changes
        }
        // 3. The rest of the house, and the audit.
        try admission?.follow(changes, submissionID: provenance.submissionID, in: transaction)
        try access.record(
            RecordDecision.permitted.decision, grant.actor, .writeRecord,
            all.map { ready in
                Target(
                    resourceType: ready.type, resourceID: ready.write.id,
                    subject: ready.record?.subject ?? ready.write.present?.subject)
            }, in: transaction)
        return try all.enumerated().map { place, ready in
            // What was written is known; of what was deleted the version is read.
            let record =
                try written[place] ?? store.read(type: ready.type, id: ready.write.id, in: transaction)
            let facts = ready.facts ?? ready.write.present?.facts
            let isShown = facts.map { policy.decide(grant, .read, record: $0, at: planner.now).isPermitted } ?? false
            return WriteOutcome(
                kind: kinds[place] ?? .unchanged, type: ready.type, id: ready.write.id, record: record, isShown: isShown
            )
        }
    }

    private func change(_ ready: Ready, _ number: Int64, _ put: PutResult?) -> RecordChange {
        RecordChange(
            type: ready.type, id: ready.write.id, number: number, subject: ready.record?.subject,
            formerSubject: ready.write.present?.subject, put: put, prepared: ready.admitted?.prepared)
    }

    /// - Parameter permitted: the participants of whom resources of a type may be written, as far as it was asked.
    private func check(
        _ ready: Ready, _ permitted: inout [String: Set<String>], in transaction: any SQLTransaction
    ) throws {
        let write = ready.write
        // 1. It stands as it stood.
        if !write.isNew {
            let stored = try store.facts(
                ofType: ready.type, id: write.id, asking: grant.queries(of: ready.type), in: transaction)
            let present = try stored.map { _ in
                try store.read(type: ready.type, id: write.id, in: transaction)?.version
            }
            guard present == write.present.map({ $0.record.version }), stored?.facts == write.present?.facts else {
                throw OutdatedPlan()
            }
        }
        if let criteria = write.request.criteria {
            let found = try planner.matches(ready.type, criteria, write.target, in: transaction)
            guard found == write.matches else { throw OutdatedPlan() }
        }
        guard !write.isSettled else { return }
        // 2. The policy, which says first whether the resource is there at all.
        let decision = decision(ready)
        guard decision.isPermitted else { throw WriteRefusal(decision, write.target) }
        if write.request.isDeletion, write.present == nil { throw WriteRefusal(.notFound, write.target) }
        // 3. What the client knows of it.
        try checkPreconditions(write)
        // 4. The participants.
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
        if let wanted = write.request.ifMatch, wanted != version {
            throw WriteRefusal(.versionConflict, write.target)
        }
        if write.request.ifNoneMatch, version != nil { throw WriteRefusal(.exists, write.target) }
    }
}

extension WriteExecution.Ready {
    var type: String { write.request.type }
}

extension WriteRequest {
    var isDeletion: Bool { if case .delete = change { true } else { false } }
}

extension StoredRecord {
    /// What was just stored, as it is read.
    fileprivate init(_ record: NewRecord, _ put: PutResult, _ provenance: RecordProvenance, at: Date) {
        self.init(
            type: record.type, id: record.id, version: put.version, lastUpdated: SQLTimestamp.rounded(at),
            isDeleted: false, content: record.content, provenance: provenance)
    }
}
