import AccessPolicy
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import RecordStorage
import SearchStatements
import Storage

extension RecordsService {
    /// Returns the history of a type, or of all types, as a Bundle: the versions that the grant permits, the newest
    /// first. The first page has the total for a caller who sees everything.
    ///
    /// - Parameter type: the type; nil for all types.
    func history(
        ofType type: String?, _ query: HistoryQuery, url: String, by grant: AccessGrant,
        within time: SearchDeadline? = nil
    ) async throws -> BundlePage {
        if let type, !RecordType.isHeld(type) { throw RecordsFailure.unknownType }
        let (policy, now, store) = (access.audit.policy, clock(), store)
        let interaction: RecordInteraction = type == nil ? .historyOfSystem : .historyOfType
        // 1. The types that the grant permits.
        let asked = query.types?.sorted() ?? RecordType.all
        let decisions = asked.map { ($0, policy.decide(grant, interaction, type: $0, at: now)) }
        let types = decisions.filter { $0.1.isPermitted }.map(\.0)
        guard let first = decisions.first, !types.isEmpty else {
            try await permit(
                grant, by: decisions.first?.1 ?? .refused(.insufficientScope), to: Target(resourceType: type))
            throw RecordsFailure.forbidden
        }
        let decision = types.isEmpty ? first.1 : .permitted
        // 2. Their versions.
        let clock = clock
        let time = if let time { time } else { try await allowance(for: grant) }
        let found = try await reading(within: time, for: grant) { transaction in
            let now = clock()
            let filter = policy.filter(grant, interaction, at: now)
            let held = Set(try store.types(in: transaction))
            let statements = try types.filter(held.contains).map {
                try HistoryStatement(type: $0, query, showing: filter, in: transaction)
            }
            let versions = try versions(
                statements, query, to: grant, isWhole: filter == .everything, within: time.answer, in: transaction
            ) { own, newest in
                policy.decide(grant, interaction, version: own, newest: newest, at: now).isPermitted
            }
            var total: Int?
            if filter == .everything, query.before == nil {
                total = try transaction.queries(statements.flatMap(\.totals)).reduce(0) {
                    $0 + Int(try $1.first?.integer("total") ?? 0)
                }
            }
            return (versions: versions.shown, isCut: versions.isCut, total: total)
        }
        // 3. No version is returned without an audit row, which names its owners.
        let shown = found.versions
        try await access.audit.record(
            decision.decision, by: grant.actor, action: .searchRecords, target: Target(resourceType: type),
            showing: shown.reduce(into: []) { $0.formUnion($1.owners) })
        var bundle = FHIR.Bundle(type: .history)
        bundle.total = found.total
        let address = type.map { "\($0)/_history" } ?? "_history"
        bundle.link = [link("self", Self.address(url, path: address, parameters: query.used))]
        if found.isCut, let last = shown.last {
            let next = query.used + [("_count", String(query.count)), ("_cursor", last.cursor.text)]
            bundle.link += [link("next", Self.address(url, path: address, parameters: next))]
        }
        let records = shown.map(\.record)
        let revived = try await reading(within: time, for: grant) { transaction in
            let now = clock()
            let isWhole = policy.filter(grant, interaction, at: now) == .everything
            return try store.revived(among: records, in: transaction) { former in
                try owners(of: former, to: grant, isWhole: isWhole, in: transaction) { own, newest in
                    policy.decide(grant, interaction, version: own, newest: newest, at: now).isPermitted
                } != nil
            }
        }
        return BundlePage(
            head: bundle,
            entries: records.enumerated().map {
                BundlePage.Entry(record: $1, kind: .version(isRevived: revived.contains($0)))
            }, url: url, allowance: time.answer)
    }

    /// A version with its cursor.
    private struct Version {
        let cursor: HistoryQuery.VersionCursor
        let record: StoredRecord
        /// The owners of the version and of the newest version.
        let owners: Set<String>
    }

    /// Returns the versions of the page, and whether another page follows.
    private func versions(
        _ statements: [HistoryStatement], _ query: HistoryQuery, to grant: AccessGrant, isWhole: Bool,
        within allowance: AnswerAllowance, in transaction: any SQLTransaction,
        where isShown: (_ own: RecordFacts, _ newest: RecordFacts) -> Bool
    ) throws -> (shown: [Version], isCut: Bool) {
        let wanted = query.count + 1
        var before = query.before ?? .end
        var shown: [Version] = []
        while shown.count <= query.count {
            // Of each type the versions that may belong to the page; of these the newest are on it.
            let rows = try transaction.queries(statements.flatMap { $0.queries(before: before, limit: wanted) })
            let cursors = try rows.joined().map { row in
                HistoryQuery.VersionCursor(
                    stored: try row.integer("stored"), number: try row.integer("number"),
                    version: try row.integer("version"))
            }
            .sorted(by: >).prefix(wanted)
            for start in stride(from: 0, to: cursors.count, by: Self.contentsAtATime) {
                let some = Array(cursors).dropFirst(start).prefix(Self.contentsAtATime)
                let found = try transaction.queries(
                    some.map { SQLQuery(HistoryStatement.versionSQL, [SQLValue($0.number), SQLValue($0.version)]) })
                for (cursor, rows) in zip(some, found) {
                    guard let row = rows.first else { continue }
                    let record = try RecordStore.record(row, in: transaction)
                    let whose = try owners(of: record, to: grant, isWhole: isWhole, in: transaction, where: isShown)
                    guard let owners = whose else { continue }
                    guard shown.count < query.count, allowance.takes(record.content.count) else {
                        guard !shown.isEmpty else { throw allowance.exceeded }
                        return (shown, true)
                    }
                    shown.append(Version(cursor: cursor, record: record, owners: owners))
                }
            }
            guard cursors.count == wanted, let last = cursors.last else { break }
            before = last
        }
        return (shown, false)
    }

    /// Returns the owners of a version and of the newest version; nil where the version is hidden.
    private func owners(
        of record: StoredRecord, to grant: AccessGrant, isWhole: Bool, in transaction: any SQLTransaction,
        where isShown: (_ own: RecordFacts, _ newest: RecordFacts) -> Bool
    ) throws -> Set<String>? {
        let queries = grant.queries(of: record.type)
        guard let newest = try store.facts(ofType: record.type, id: record.id, asking: queries, in: transaction)?.facts
        else { return nil }
        var owners = newest.owners
        if let decisive = try store.decisive(for: record, in: transaction) {
            let own = try RecordFacts(version: decisive, newest: newest, at: ownBases, asking: queries)
            guard isWhole || isShown(own, newest) else { return nil }
            owners.formUnion(own.owners)
        }
        return owners
    }
}
