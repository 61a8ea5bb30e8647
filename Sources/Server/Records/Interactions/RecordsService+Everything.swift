import Core
import FHIR
import Foundation
import Storage
import Trust

extension RecordsService {
    /// So many resources that belong to nobody are brought with a page at most.
    private static let mostShared = 200

    /// A page of all that is about a patient: the Patient, what belongs to them, and what of that refers to resources that
    /// are shared, such as the organization (<https://hl7.org/fhir/R4/patient-operation-everything.html>).
    ///
    /// What the grant does not show is not there, and has no place on a page.
    /// - Throws: ``RecordsFailure``; where the Patient is hidden, as where there is none.
    func everything(
        ofPatient id: String, page: EverythingPage, url: String, by grant: AccessGrant
    ) async throws -> FHIR.Bundle {
        // The Patient decides whether there is anything; that read is in the audit.
        _ = try await read(type: Patient.resourceType, id: id, by: RecordCaller(grant))
        let (policy, now, store) = (access.policy, clock(), store)
        let found = try await reading { transaction in
            let rows = try Self.rows(
                of: id, page, store,
                showing: { type in
                    policy.decide(grant, .read, type: type, at: now).isPermitted
                        ? policy.filter(grant, .read, at: now) : nil
                }, in: transaction)
            let shown = rows.prefix(page.count)
            let referred = try Self.referred(
                by: shown.map(\.record), page, ownBases: [url], to: grant, store, in: transaction
            ) { facts in
                policy.decide(grant, .read, record: facts, at: now).isPermitted
            }
            let owners = try shown.reduce(into: Set<String>()) { owners, row in
                owners.formUnion(
                    try RecordProtection.facts(
                        number: row.number, type: row.record.type, subject: row.subject, in: transaction
                    ).owners)
            }
            return (rows: rows, referred: referred, owners: owners)
        }
        // Nothing is shown without its row, which says whose it is.
        try await access.record(
            RecordDecision.permitted.decision, grant.actor, .searchRecords,
            Target(resourceType: Patient.resourceType, resourceID: id, subject: id), showing: found.owners)
        let shown = found.rows.prefix(page.count)
        var bundle = FHIR.Bundle(type: .searchset)
        let address = "\(Patient.resourceType)/\(id)/$everything"
        bundle.link = [link("self", Self.address(url, address, page.used))]
        if found.rows.count > page.count, let last = shown.last {
            let place = EverythingPage.Place(type: last.record.type, number: last.number)
            let next = page.used + [("_count", String(page.count)), ("_cursor", place.text)]
            bundle.link += [link("next", Self.address(url, address, next))]
        }
        bundle.entry =
            try shown.filter { page.takes($0.record.type) }.map {
                Self.match(try $0.record.resource(), at: "\(url)/\($0.record.type)/\($0.record.id)")
            }
            + found.referred.map { Self.match(try $0.resource(), at: "\(url)/\($0.type)/\($0.id)", as: .include) }
        if let outcome = OperationOutcome(ignored: page.ignored) { bundle.entry.append(outcome.searchEntry) }
        return bundle
    }

    /// A record with its place.
    private struct Row {
        let number: Int64
        let subject: String?
        let record: StoredRecord
    }

    /// The page, and one row more where there is another: the Patient, then the other types by their names.
    private static func rows(
        of patient: String, _ page: EverythingPage, _ store: RecordStore, showing filter: (String) -> RecordFilter?,
        in transaction: any SQLTransaction
    ) throws -> [Row] {
        let others = try store.types(in: transaction).filter { $0 != Patient.resourceType }
        var types = [Patient.resourceType] + others
        if !page.takesReferred { types.removeAll { !page.takes($0) } }
        if let after = page.after { types = types.firstIndex(of: after.type).map { Array(types[$0...]) } ?? [] }
        var rows: [Row] = []
        for type in types {
            guard rows.count <= page.count, let filter = filter(type) else { continue }
            let after = page.after?.type == type ? page.after?.number ?? 0 : 0
            let limit = page.count + 1 - rows.count
            let shown = try SQLFragment(showing: filter, type: type, in: transaction)
            var condition = "r.type = ? AND r.deleted = 0 AND r.number > ? AND " + shown.sql
            var values = [SQLValue(type), SQLValue(after)] + shown.parameters
            if let since = page.since {
                condition += " AND r.updated_ms >= ?"
                values.append(SQLValue(since))
            }
            if let time = page.time, type != Patient.resourceType {
                let isThen = CareTime(of: type).overlaps(low: time.low, high: time.high)
                condition += " AND " + isThen.sql
                values += isThen.parameters
            }
            // Those that are theirs alone, and those that they have with others, each by its index.
            let own = try transaction.query(
                ownSQL(condition), values + [SQLValue(patient), SQLValue(limit)])
            let among = try transaction.query(
                amongSQL(condition), values + [SQLValue(patient), SQLValue(limit)])
            let found = try (own + among).map { row in
                Row(
                    number: try row.integer("number"), subject: row.textIfPresent("subject"),
                    record: try RecordStore.record(row, in: transaction))
            }
            rows += found.sorted { $0.number < $1.number }.prefix(limit)
        }
        return rows
    }

    static func ownSQL(_ condition: String) -> String {
        RecordStore.versions + " AND v.version = r.version WHERE " + condition
            + " AND r.subject = ? ORDER BY r.number LIMIT ?"
    }

    static func amongSQL(_ condition: String) -> String {
        RecordStore.versions + " AND v.version = r.version WHERE " + condition
            + " AND r.subject IS NULL AND r.number IN (SELECT p.number FROM record_protection p"
            + " WHERE p.kind = 'owner' AND p.value = ?) ORDER BY r.number LIMIT ?"
    }

    /// The resources that are not the patient's and that others refer to, each once: those that are shared, and the Binaries
    /// of attachments.
    private static func referred(
        by records: [StoredRecord], _ page: EverythingPage, ownBases: [String], to grant: AccessGrant,
        _ store: RecordStore, in transaction: any SQLTransaction, where isShown: (RecordFacts) -> Bool
    ) throws -> [StoredRecord] {
        guard page.takesReferred else { return [] }
        var seen: Set<String> = []
        var found: [StoredRecord] = []
        for record in records {
            for literal in literals(in: try record.resource().json, ownBases)
            where found.count < mostShared && page.takes(literal.type)
                && seen.insert("\(literal.type)/\(literal.id)").inserted
            {
                guard
                    let stored = try store.facts(
                        ofType: literal.type, id: literal.id, asking: grant.queries(of: literal.type), in: transaction),
                    // A Binary that is another patient's too comes with what is theirs.
                    stored.facts.isShared || literal.type == EverythingPage.binary && stored.facts.owners.isEmpty,
                    isShown(stored.facts),
                    let referred = try store.read(type: literal.type, id: literal.id, in: transaction),
                    !referred.isDeleted,
                    page.since.map({ Milliseconds.of(referred.lastUpdated) >= $0 }) ?? true
                else { continue }
                found.append(referred)
            }
        }
        return found
    }

    /// The references of a resource to resources of this server that may come with it, in the order of their types and ids.
    private static func literals(in json: JSON, _ ownBases: [String]) -> [LiteralReference] {
        var found: Set<LiteralReference> = []
        collect(json, ownBases, &found)
        return found.sorted { ($0.type, $0.id) < ($1.type, $1.id) }
    }

    private static func collect(_ json: JSON, _ ownBases: [String], _ found: inout Set<LiteralReference>) {
        switch json {
        case .array(let items): for item in items { collect(item, ownBases, &found) }
        case .object(let object):
            for member in object.members {
                guard let text = member.value.string else {
                    collect(member.value, ownBases, &found)
                    continue
                }
                // A reference, or the url of an attachment.
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
