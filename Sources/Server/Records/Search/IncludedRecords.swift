import FHIR
import Storage
import Trust

/// Finds what comes with the resources of a page: each once, never what is on the page already, and of everything only what
/// may be read.
struct IncludedRecords {
    /// A record that was found, with what its row says.
    struct Found {
        let number: Int64
        let subject: String?
        let record: StoredRecord

        var key: Key { Key(type: record.type, id: record.id) }
    }

    struct Key: Hashable {
        let type: String
        let id: String
    }

    /// What the grant may read: not merely find.
    let filter: RecordFilter
    /// Whether it may read anything of a type.
    let isReadable: (String) -> Bool
    /// The server's own base URLs, as they are written.
    let ownBases: [String]
    let transaction: any SQLTransaction
    let types: () throws -> [String]
    /// The bytes that they may have.
    let allowance: AnswerAllowance

    /// So many may come with a page.
    static let most = 1_000
    /// So often may what came bring more.
    static let mostRounds = 10
    /// So many ids are asked for at a time.
    private static let chunk = 200

    /// What was found so far.
    private struct Collection {
        var seen: Set<Key>
        var all: [Found] = []

        mutating func add(_ one: Found) throws {
            guard seen.insert(one.key).inserted else { return }
            all.append(one)
            guard all.count <= IncludedRecords.most else { throw SearchConditionError.tooManyIncluded }
        }
    }

    /// - Throws: ``SearchConditionError`` `too-costly` for more than is brought; ``AnswerAllowance/Exceeded``.
    func found(with page: [Found], by includes: [SearchInclude]) throws -> [Found] {
        var collection = Collection(seen: Set(page.map(\.key)))
        var latest = page
        for round in 0... {
            let asked = round == 0 ? includes : includes.filter(\.isIterated)
            guard !latest.isEmpty, !asked.isEmpty else { break }
            guard round < Self.mostRounds else { throw SearchConditionError.tooManyIncluded }
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

    // MARK: What the resources refer to

    private func addReferred(
        to include: SearchInclude, from resources: [Found], to collection: inout Collection
    ) throws {
        var ids: [String: Set<String>] = [:]
        var urls: [String: Set<String>] = [:]
        for resource in resources {
            let codes = include.parameters(of: resource.record.type)
            guard !codes.isEmpty, let values = SearchValues(of: try resource.record.resource()) else { continue }
            for entry in values.entries {
                let parameter = values.tree.parameters[entry.parameter]
                guard codes.contains(parameter.code), case .reference(let reference) = entry.value else { continue }
                note(reference, parameter, include, &ids, &urls)
            }
        }
        for (type, wanted) in ids.sorted(by: { $0.key < $1.key }) {
            let seen = collection.seen
            let unseen = wanted.filter { !seen.contains(Key(type: type, id: $0)) }.sorted()
            try add(type, unseen, to: &collection) { RecordAddress.isOne(of: $0, type: type) }
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

    private func note(
        _ reference: SearchReference, _ parameter: SearchParameterTable.Parameter, _ include: SearchInclude,
        _ ids: inout [String: Set<String>], _ urls: inout [String: Set<String>]
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

    // MARK: What refers to the resources

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

    /// The URLs that a definition is referred to by.
    private static func urls(of resource: Resource) -> [String] {
        (SearchValues(of: resource)?["url"] ?? []).compactMap { if case .uri(let url) = $0 { url } else { nil } }
    }

    // MARK: Reading

    /// Adds the records of a type that may be read and are as a condition says; so many that there is none left out.
    private func add(
        _ type: String, _ keys: [String], to collection: inout Collection,
        where condition: ([String]) -> SQLFragment
    ) throws {
        guard isReadable(type) else { return }
        for start in stride(from: 0, to: keys.count, by: Self.chunk) {
            let some = Array(keys[start..<min(keys.count, start + Self.chunk)])
            let statement = try Self.statement(
                type: type, condition(some), showing: filter, limit: Self.most + collection.seen.count + 1,
                in: transaction)
            let rows = try transaction.query(statement.sql, statement.parameters) { row in
                let key = Key(type: try row.text("type"), id: try row.text("id"))
                guard try collection.seen.contains(key) || allowance.takes(row) else { throw allowance.exceeded }
                return true
            }
            for row in rows { try collection.add(Found(row, in: transaction)) }
        }
    }

    static func statement(
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
    /// The record of a row that ``RecordStore/versions`` selects.
    init(_ row: SQLRow, in transaction: any SQLTransaction) throws {
        self.init(
            number: try row.integer("number"), subject: row.textIfPresent("subject"),
            record: try RecordStore.record(row, in: transaction))
    }

    /// The patients whom the audit names for it.
    func owners(in transaction: any SQLTransaction) throws -> Set<String> {
        if let subject { return [subject] }
        return try RecordProtection.facts(
            number: number, type: record.type, subject: nil, in: transaction
        ).owners
    }
}
