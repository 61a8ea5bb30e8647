import AccessPolicy
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation

/// The entries of a transaction: the writes are performed together, then the other entries are read
/// (<https://hl7.org/fhir/R4/http.html#trules>). The reads are checked before the writes, so that a failing entry
/// leaves nothing written.
struct TransactionEntries {
    private let entries: [BundleEntry]
    private let reader: BundleReader
    private let service: RecordsService
    private let grant: AccessGrant

    init(_ entries: [BundleEntry], reader: BundleReader, service: RecordsService, grant: AccessGrant) {
        self.entries = entries
        self.reader = reader
        self.service = service
        self.grant = grant
    }

    /// - Throws: ``RecordsFailure`` of the first entry that fails; then nothing is written.
    func perform(
        url: String, returning preference: ReturnPreference, within allowance: RequestAllowance
    ) async throws -> BundleAnswer {
        var answers = [BundleAnswer.Entry?](repeating: nil, count: entries.count)
        let indices = entries.indices.filter { if case .write = entries[$0] { true } else { false } }
        let writes = indices.compactMap { index -> WriteRequest? in
            guard case .write(var write) = entries[index] else { return nil }
            write.entry = index
            return write
        }
        var known: [Int: BundleAnswer.Entry] = [:]
        do {
            if writes.isEmpty {
                known = try await check([])
            } else {
                let outcomes = try await service.write(writes, by: grant, url: url, within: allowance) { plans in
                    known = try await check(plans)
                }
                for (index, outcome) in zip(indices, outcomes) {
                    answers[index] = RecordsService.entry(
                        outcome, returning: preference, within: allowance.time.answer)
                }
            }
        } catch let failure as EntryFailure {
            throw failure.failure.of(entry: failure.index)
        }
        // The writes are stored. An entry that can no longer be read reports that in its own outcome.
        for (index, entry) in entries.enumerated() {
            guard case .request(let request) = entry else { continue }
            if let answer = known[index] {
                answers[index] = answer
                continue
            }
            do { answers[index] = try await reader.read(request) } catch {
                answers[index] = RecordsService.entry(RecordsFailure(error))
            }
        }
        return BundleAnswer(
            type: .transactionResponse, entries: answers.compactMap { $0 }, allowance: allowance.time.answer)
    }

    private struct EntryFailure: Error {
        let failure: RecordsFailure
        let index: Int
    }

    /// Checks whether all reading entries can be read after the writes.
    ///
    /// - Returns: the responses that do not depend on the writes, by the indices of their entries.
    private func check(_ plans: [PlannedWrite]) async throws -> [Int: BundleAnswer.Entry] {
        var known: [Int: BundleAnswer.Entry] = [:]
        for (index, entry) in entries.enumerated() {
            guard case .request(let request) = entry else { continue }
            do {
                if let plan = plan(of: request, plans), try decide(request, plan) { continue }
                let answer = try await reader.read(request)
                guard plans.isEmpty || request.isOfOneVersion else {
                    reader.giveBack(answer)
                    continue
                }
                known[index] = answer
            } catch {
                throw EntryFailure(failure: RecordsFailure(error), index: index)
            }
        }
        return known
    }

    /// Returns the write to the resource that an entry reads.
    private func plan(of request: EntryRequest, _ plans: [PlannedWrite]) -> PlannedWrite? {
        guard let (type, id, _) = request.named else { return nil }
        return plans.first { $0.request.type == type && $0.id == id && !($0.isSettled && !$0.request.isDeletion) }
    }

    /// Decides about an entry that reads a resource which another entry writes.
    ///
    /// - Returns: whether it is decided; otherwise the entry must be read.
    /// - Throws: ``RecordsFailure`` where it cannot be read afterwards.
    private func decide(_ request: EntryRequest, _ plan: PlannedWrite) throws -> Bool {
        guard let interaction = request.named?.interaction else { return false }
        if plan.request.isDeletion {
            switch interaction {
            case .read, .other: throw plan.present == nil ? RecordsFailure.notFound : .gone
            case .history, .versionRead: return false
            }
        }
        guard let resource = plan.resource else { return false }
        let wanted: RecordInteraction
        switch interaction {
        case .versionRead(let version):
            guard version == String(plan.nextVersion) else { return false }
            wanted = .versionRead
        case .history: wanted = .historyOfInstance
        case .read, .other: wanted = .read
        }
        let facts = RecordFacts(
            resource, storedAs: plan.id,
            subject: SearchIndex.subject(of: resource, id: plan.id, at: service.ownBases), at: service.ownBases,
            asking: grant.queries(of: plan.request.type))
        let decision = service.access.audit.policy.decide(grant, wanted, record: facts, at: service.clock())
        guard decision.isPermitted else { throw RecordsFailure(decision) }
        return true
    }
}
