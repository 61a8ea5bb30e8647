import AccessPolicy
import FHIR
import FHIRSearch
import RecordStorage
import Storage

/// Finds the records that are included with a page: each once, none that the page already contains, and only records
/// that the caller may read.
package struct IncludedRecords {
    /// A record with the values of its row.
    package struct Found {
        package let number: Int64
        package let subject: String?
        package let record: StoredRecord

        package var key: Key { Key(type: record.type, id: record.id) }
    }

    package struct Key: Hashable {
        package let type: String
        package let id: String
    }

    /// The records that the grant may read, not only find.
    package let filter: RecordFilter
    /// Whether the grant may read any record of a type.
    package let isReadable: (String) -> Bool
    /// The server's own base URLs, as written.
    package let ownBases: [String]
    package let transaction: any SQLTransaction
    package let types: () throws -> [String]
    /// The allowance for their bytes.
    package let allowance: AnswerAllowance

    /// Maximum number of included records of a page.
    package static let maximumCount = 1_000
    /// Maximum number of rounds of `:iterate`.
    static let maximumRounds = 10
    /// Maximum number of ids in a query.
    private static let chunk = 200

    /// The records found so far.
    private struct Collection {
        var seen: Set<Key>
        var all: [Found] = []

        mutating func add(_ one: Found) throws {
            guard seen.insert(one.key).inserted else { return }
            all.append(one)
            guard all.count <= IncludedRecords.maximumCount else { throw SearchConditionError.tooManyIncluded }
        }
    }

    /// Returns the included records.
    ///
    /// - Throws: ``SearchConditionError`` `too-costly` where a limit is exceeded; ``AnswerAllowance/Exceeded``.
    package func found(with page: [Found], by includes: [SearchInclude]) throws -> [Found] {
        var collection = Collection(seen: Set(page.map(\.key)))
        var latest = page
        for round in 0... {
            let asked = round == 0 ? includes : includes.filter(\.isIterated)
            guard !latest.isEmpty, !asked.isEmpty else { break }
            guard round < Self.maximumRounds else { throw SearchConditionError.tooManyIncluded }
            let count = collection.all.count
            for include in asked {
                switch include.direction {
                case .forward: try addReferred(to: include, from: latest, to: &collection)
                case .reverse: try addReferring(by: include, to: latest, to: &collection)
                }
            }
            latest = Array(collection.all[count...])
        }
        return collection.all
    }

    // MARK: Targets of references

    private func addReferred(
        to include: SearchInclude, from resources: [Found], to collection: inout Collection
    ) throws {
        var ids: [String: Set<String>] = [:]
        var urls: [String: Set<String>] = [:]
        for resource in resources {
            let codes = include.parameters(of: resource.record.type)
            guard !codes.isEmpty, let values = SearchValues(indexing: try resource.record.resource()) else { continue }
            for entry in values.entries {
                let parameter = values.tree.parameters[entry.parameter]
                guard codes.contains(parameter.code), case .reference(let reference) = entry.value else { continue }
                collect(reference, of: parameter, for: include, into: &ids, urls: &urls)
            }
        }
        for (type, wanted) in ids.sorted(by: { $0.key < $1.key }) {
            let seen = collection.seen
            let unseen = wanted.filter { !seen.contains(Key(type: type, id: $0)) }.sorted()
            try add(type, unseen, to: &collection) { RecordKey.isOne(of: $0, type: type) }
        }
        for (type, wanted) in urls.sorted(by: { $0.key < $1.key }) {
            guard let url = ReferringRecords.url(of: type) else { continue }
            try add(type, wanted.sorted(), to: &collection) { urls in
                SQLFragment(
                    "r.number IN (SELECT e.number FROM search_term c JOIN record_term e ON e.term = c.number"
                        + " WHERE c.type = ? AND c.parameter = ? AND c.code IN ", [SQLValue(type), SQLValue(url)])
                    + .list(urls.map { SQLValue($0) }) + ")"
            }
        }
    }

    private func collect(
        _ reference: SearchReference, of parameter: SearchParameterTable.Parameter, for include: SearchInclude,
        into ids: inout [String: Set<String>], urls: inout [String: Set<String>]
    ) {
        let isHere = reference.base.map { base in ownBases.contains { SearchIndex.indexed($0) == base } } ?? true
        if let type = reference.type, let id = reference.id, isHere, include.target == nil || include.target == type {
            ids[type, default: []].insert(id)
        }
        if let url = reference.url {
            let text = reference.version.map { url + "|" + $0 } ?? url
            for type in parameter.targets
            where (include.target == nil || include.target == type) && ReferringRecords.url(of: type) != nil {
                urls[type, default: []].insert(text)
            }
        }
    }

    // MARK: Referring records

    private func addReferring(
        by include: SearchInclude, to resources: [Found], to collection: inout Collection
    ) throws {
        let meant = resources.filter { include.target == nil || include.target == $0.record.type }
        let byType = Dictionary(grouping: meant) { $0.record.type }.sorted { $0.key < $1.key }
        for source in try include.source.map({ [$0] }) ?? types() {
            for (target, those) in byType {
                let codes = include.parameters(of: source, to: target)
                guard !codes.isEmpty else { continue }
                let parameters = try codes.map {
                    try ReferringRecords(type: source, parameter: $0, ownBases.map(SearchIndex.indexed))
                }
                try add(source, those.map(\.record.id), to: &collection) { ids in
                    .any(parameters.map { $0.referring(to: target, ids: ids) })
                }
                guard ReferringRecords.url(of: target) != nil else { continue }
                let urls = Set(try those.flatMap { Self.urls(of: try $0.record.resource()) })
                try add(source, urls.sorted(), to: &collection) { urls in
                    .any(parameters.map { $0.referring(toURLs: urls) })
                }
            }
        }
    }

    /// Returns the URLs by which other resources refer to a definition.
    private static func urls(of resource: Resource) -> [String] {
        (SearchValues(indexing: resource)?["url"] ?? []).compactMap { if case .uri(let url) = $0 { url } else { nil } }
    }

    // MARK: Reading

    /// Adds the readable records of a type that meet a condition. The limit of the query is high enough that none is
    /// left out.
    private func add(
        _ type: String, _ keys: [String], to collection: inout Collection,
        where condition: ([String]) -> SQLFragment
    ) throws {
        guard isReadable(type) else { return }
        for start in stride(from: 0, to: keys.count, by: Self.chunk) {
            let some = Array(keys[start..<min(keys.count, start + Self.chunk)])
            let statement = try Self.statement(
                type: type, condition(some), showing: filter, limit: Self.maximumCount + collection.seen.count + 1,
                in: transaction)
            let rows = try transaction.query(statement.sql, statement.parameters) { row in
                let key = Key(type: try row.text("type"), id: try row.text("id"))
                guard try collection.seen.contains(key) || allowance.takes(row) else { throw allowance.exceeded }
                return true
            }
            for row in rows { try collection.add(Found(row, in: transaction)) }
        }
    }

    package static func statement(
        type: String, _ condition: SQLFragment, showing filter: RecordFilter, limit: Int,
        newestFirst: Bool = false, in transaction: any SQLTransaction
    ) throws -> SQLFragment {
        let shown = try SQLFragment(showing: filter, type: type, in: transaction)
        return SQLFragment(
            RecordStore.versions + " AND v.version = r.version WHERE r.type = ? AND r.deleted = 0 AND "
                + shown.sql + " AND ", [SQLValue(type)] + shown.parameters) + condition
            + SQLFragment(" ORDER BY r.number\(newestFirst ? " DESC" : "") LIMIT ?", [SQLValue(limit)])
    }
}

extension IncludedRecords.Found {
    /// Creates the record from a row of ``RecordStore/versions``.
    package init(_ row: SQLRow, in transaction: any SQLTransaction) throws {
        self.init(
            number: try row.integer("number"), subject: row.textIfPresent("subject"),
            record: try RecordStore.record(row, in: transaction))
    }

    /// Returns the patients that the audit names for it.
    package func owners(in transaction: any SQLTransaction) throws -> Set<String> {
        if let subject { return [subject] }
        return try RecordProtection.facts(
            number: number, type: record.type, subject: nil, in: transaction
        ).owners
    }
}
