import AccessPolicy
import Core
import FHIR
import Foundation
import RecordStorage
import SearchStatements
import Storage

extension RecordsService {
    /// Maximum number of shared resources that are included with a page.
    private static let maximumShared = 200

    /// Returns a page of all resources about a patient: the Patient, the patient's resources, and the shared resources
    /// that these refer to, such as the organization (<https://hl7.org/fhir/R4/patient-operation-everything.html>).
    ///
    /// Resources outside of the grant are omitted and do not affect the pages.
    ///
    /// - Throws: ``RecordsFailure``; for a hidden Patient, the same as for a Patient that does not exist.
    func everything(
        ofPatient id: String, page: EverythingPage, url: String, by grant: AccessGrant,
        within time: SearchDeadline? = nil
    ) async throws -> BundlePage {
        // The read of the Patient decides whether there is a result; the audit contains it.
        _ = try await read(type: Patient.resourceType, id: id, by: AuthenticatedCaller(grant))
        let (policy, clock, store) = (access.audit.policy, clock, store)
        let time = if let time { time } else { try await allowance(for: grant) }
        let found = try await reading(within: time, for: grant) { transaction in
            let now = clock()
            let before = time.answer.taken
            var rows = try Self.page(
                of: id, page, store,
                showing: { type in
                    policy.decide(grant, .read, type: type, at: now).isPermitted
                        ? policy.filter(grant, .read, at: now) : nil
                }, within: time.answer, in: transaction)
            // Where the referenced resources do not fit, the page gets fewer records.
            var referred: [StoredRecord] = []
            while true {
                do {
                    referred = try Self.referred(
                        by: rows.shown.map(\.record), page, ownBases: [url], to: grant, store, within: time.answer,
                        in: transaction
                    ) { facts in policy.decide(grant, .read, record: facts, at: now).isPermitted }
                    break
                } catch let exceeded as AnswerAllowance.Exceeded {
                    guard rows.shown.count > 1 else { throw exceeded }
                    rows = (Array(rows.shown.prefix(rows.shown.count / 2)), true)
                    time.answer.reset(to: before)
                    for found in rows.shown { try time.answer.require(found.record.content.count) }
                }
            }
            let owners = try rows.shown.reduce(into: Set<String>()) { owners, found in
                owners.formUnion(
                    try RecordProtection.facts(
                        number: found.number, type: found.record.type, subject: found.subject, in: transaction
                    ).owners)
            }
            return (shown: rows.shown, isCut: rows.isCut, referred: referred, owners: owners)
        }
        // No resource is returned without an audit row, which names its owners.
        try await access.audit.record(
            RecordDecision.permitted.decision, by: grant.actor, action: .searchRecords,
            target: Target(resourceType: Patient.resourceType, resourceID: id, subject: id), showing: found.owners)
        var bundle = FHIR.Bundle(type: .searchset)
        let address = "\(Patient.resourceType)/\(id)/$everything"
        bundle.link = [link("self", Self.address(url, path: address, parameters: page.used))]
        if found.isCut, let last = found.shown.last {
            let cursor = EverythingPage.RecordCursor(type: last.record.type, number: last.number)
            let next = page.used + [("_count", String(page.count)), ("_cursor", cursor.text)]
            bundle.link += [link("next", Self.address(url, path: address, parameters: next))]
        }
        let entries =
            found.shown.filter { page.takes($0.record.type) }.map {
                BundlePage.Entry(record: $0.record, kind: .found(.match, nil))
            } + found.referred.map { BundlePage.Entry(record: $0, kind: .found(.include, nil)) }
        return BundlePage(
            head: bundle, entries: entries, url: url, outcome: OperationOutcome(ignored: page.ignored),
            allowance: time.answer)
    }

    /// Returns the records of the page, and whether another page follows: the Patient first, then the other types by
    /// name.
    private static func page(
        of patient: String, _ page: EverythingPage, _ store: RecordStore, showing filter: (String) -> RecordFilter?,
        within allowance: AnswerAllowance, in transaction: any SQLTransaction
    ) throws -> (shown: [IncludedRecords.Found], isCut: Bool) {
        let others = try store.types(in: transaction).filter { $0 != Patient.resourceType }
        var types = [Patient.resourceType] + others
        if !page.takesReferred { types.removeAll { !page.takes($0) } }
        if let after = page.after { types = types.firstIndex(of: after.type).map { Array(types[$0...]) } ?? [] }
        var shown: [IncludedRecords.Found] = []
        for type in types {
            guard let filter = filter(type) else { continue }
            let after = page.after?.type == type ? page.after?.number ?? 0 : 0
            let limit = page.count + 1 - shown.count
            let isShown = try SQLFragment(showing: filter, type: type, in: transaction)
            var condition = "r.type = ? AND r.deleted = 0 AND r.number > ? AND " + isShown.sql
            var values = [SQLValue(type), SQLValue(after)] + isShown.parameters
            if let since = page.since {
                condition += " AND r.updated_ms >= ?"
                values.append(SQLValue(since))
            }
            if let time = page.time, type != Patient.resourceType {
                let isThen = CareTime(of: type).overlaps(low: time.low, high: time.high)
                condition += " AND " + isThen.sql
                values += isThen.parameters
            }
            // The patient's own resources, and those with several owners, each by its index.
            let own = try transaction.query(ownSQL(condition), values + [SQLValue(patient), SQLValue(limit)])
            let among = try transaction.query(amongSQL(condition), values + [SQLValue(patient), SQLValue(limit)])
            let numbers = try (own + among).map { try $0.integer("number") }.sorted().prefix(limit)
            let wanted = Array(numbers.prefix(page.count - shown.count))
            let found = try RecordSearch.records(numbered: wanted, within: allowance, in: transaction)
            shown += found
            guard found.count == numbers.count else {
                if shown.isEmpty { throw allowance.exceeded }
                return (shown, true)
            }
        }
        return (shown, false)
    }

    static func ownSQL(_ condition: String) -> String {
        "SELECT r.number FROM record r WHERE " + condition + " AND r.subject = ? ORDER BY r.number LIMIT ?"
    }

    static func amongSQL(_ condition: String) -> String {
        "SELECT r.number FROM record r WHERE " + condition
            + " AND r.subject IS NULL AND r.number IN (SELECT p.number FROM record_protection p"
            + " WHERE p.kind = 'owner' AND p.value = ?) ORDER BY r.number LIMIT ?"
    }

    /// Returns the referenced resources that do not belong to the patient, without duplicates: shared resources, and
    /// the Binaries of attachments.
    private static func referred(
        by records: [StoredRecord], _ page: EverythingPage, ownBases: [String], to grant: AccessGrant,
        _ store: RecordStore, within allowance: AnswerAllowance, in transaction: any SQLTransaction,
        where isShown: (RecordFacts) -> Bool
    ) throws -> [StoredRecord] {
        guard page.takesReferred else { return [] }
        var seen: Set<String> = []
        var found: [StoredRecord] = []
        for record in records {
            for literal in literals(in: try record.resource().json, ownBases)
            where found.count < maximumShared && page.takes(literal.type)
                && seen.insert("\(literal.type)/\(literal.id)").inserted
            {
                guard
                    let stored = try store.facts(
                        ofType: literal.type, id: literal.id, asking: grant.queries(of: literal.type), in: transaction),
                    // A Binary that has owners is returned with their own resources.
                    stored.facts.isShared || literal.type == EverythingPage.binary && stored.facts.owners.isEmpty,
                    isShown(stored.facts),
                    let referred = try store.read(type: literal.type, id: literal.id, in: transaction),
                    !referred.isDeleted,
                    page.since.map({ Milliseconds.of(referred.lastUpdated) >= $0 }) ?? true
                else { continue }
                try allowance.require(referred.content.count)
                found.append(referred)
            }
        }
        return found
    }

    /// Returns a resource's local references that may be included, ordered by type and id.
    private static func literals(in json: JSON, _ ownBases: [String]) -> [LiteralReference] {
        var found: Set<LiteralReference> = []
        collect(json, at: ownBases, into: &found)
        return found.sorted { ($0.type, $0.id) < ($1.type, $1.id) }
    }

    private static func collect(_ json: JSON, at ownBases: [String], into found: inout Set<LiteralReference>) {
        switch json {
        case .array(let items): for item in items { collect(item, at: ownBases, into: &found) }
        case .object(let object):
            for member in object.members {
                guard let text = member.value.string else {
                    collect(member.value, at: ownBases, into: &found)
                    continue
                }
                // A reference, or the URL of an attachment.
                guard ["reference", "url"].contains(member.key), let literal = LiteralReference(text),
                    EverythingPage.isReferred(literal.type), literal.isLocal(to: ownBases),
                    member.key == "reference" || literal.type == EverythingPage.binary
                else { continue }
                found.insert(literal)
            }
        default: return
        }
    }
}
