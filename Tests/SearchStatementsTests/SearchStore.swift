import AccessPolicy
import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

/// A store with records, and the same records in memory.
struct SearchStore {
    struct Record {
        let number: Int64
        let type: String
        let id: String
        let values: SearchValues
        let facts: RecordFacts
        let bytes: Data
    }

    let database: any SQLDatabase
    /// The records that are not deleted, in the order of their numbers.
    let records: [Record]

    static let time = Date(timeIntervalSince1970: 1_790_000_000)
    static let base = "http://host/fhir"

    /// Passes the body a store with the resources; those with an index in `deleted` are deleted again.
    static func with(
        _ resources: [String], deleted: Set<Int> = [], on engine: TestEngine = .chosen,
        _ body: (SearchStore) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", RecordsSchema.sections)], on: engine) { database in
            try await body(try await filled(database, resources: resources, deleted: deleted))
        }
    }

    private static func filled(
        _ database: any SQLDatabase, resources: [String], deleted: Set<Int>
    ) async throws -> SearchStore {
        let records = try await database.write { transaction in
            var records: [Record] = []
            let provenance = RecordProvenance(submissionID: "s", clientID: "c", keyID: nil, receivedAt: time)
            for (index, json) in resources.enumerated() {
                let content = Data(json.utf8)
                let resource = try Resource(content)
                let id = resource.id ?? ""
                let number = try RecordStore().write(provenance, at: time, in: transaction) { records in
                    let number = try records.put(NewRecord(resource, id: id, content: content, at: [base])).number
                    if deleted.contains(index) { _ = try records.delete(type: resource.resourceType, id: id) }
                    return number
                }
                guard !deleted.contains(index), let values = SearchValues(indexing: resource) else { continue }
                let subject = SearchIndex.subject(of: resource, id: id, at: [base])
                records.append(
                    Record(
                        number: number, type: resource.resourceType, id: id, values: values,
                        facts: RecordFacts(resource, storedAs: id, subject: subject, at: [base]), bytes: content))
            }
            return records
        }
        return SearchStore(database: database, records: records)
    }

    /// Returns the records with the facts for a grant, whose scopes may be limited by searches.
    func records(judgedBy grant: AccessGrant?) throws -> [Record] {
        guard let grant else { return records }
        return try records.map { record in
            let facts = RecordFacts(
                try Resource(record.bytes), storedAs: record.id, subject: nil, at: [Self.base],
                asking: grant.queries(of: record.type))
            return Record(
                number: record.number, type: record.type, id: record.id, values: record.values, facts: facts,
                bytes: record.bytes)
        }
    }

    /// Returns the response to a search with full access, or with a grant.
    func answer(
        _ scope: SearchQuery.Scope, _ query: String, by grant: AccessGrant? = nil, limits: SearchLimits = .standard
    ) async throws -> RecordSearch.Answer {
        let search = try search(scope, query, by: grant, limits: limits)
        return try await database.read { try search.answer(from: RecordStore(), in: $0) }
    }

    func search(
        _ scope: SearchQuery.Scope, _ text: String, by grant: AccessGrant? = nil, limits: SearchLimits = .standard
    ) throws -> RecordSearch {
        let query = try SearchQuery(
            scope, parameters: Self.parameters(text), strict: true, now: Self.time, ownBases: [Self.base])
        let policy = Policy()
        func filter(_ interaction: RecordInteraction) -> RecordFilter {
            grant.map { policy.filter($0, interaction, at: Self.time) } ?? .everything
        }
        @Sendable func permits(_ interaction: RecordInteraction, _ type: String) -> Bool {
            grant.map { policy.decide($0, interaction, type: type, at: Self.time).isPermitted } ?? true
        }
        return RecordSearch(
            query: query, searched: filter(.searchType), readable: filter(.read),
            isSearchable: { permits(.searchType, $0) }, isReadable: { permits(.read, $0) }, ownBases: [Self.base],
            limits: limits)
    }

    /// Returns the ids that a search finds, and included ids after a `+`.
    func ids(_ scope: SearchQuery.Scope, _ query: String, by grant: AccessGrant? = nil) async throws -> [String] {
        let answer = try await answer(scope, query, by: grant)
        return answer.matches.map(\.record.id) + answer.included.map { "+" + $0.record.id }
    }

    func ids(_ type: String, _ query: String, by grant: AccessGrant? = nil) async throws -> [String] {
        try await ids(.type(type), query, by: grant)
    }

    /// Parses `a=b&c=d` without decoding.
    static func parameters(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (pair[0], pair.count > 1 ? pair[1] : "")
        }
    }
}
