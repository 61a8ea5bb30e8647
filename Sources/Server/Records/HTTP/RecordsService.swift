import Core
import FHIR
import Foundation
import Storage
import Trust

/// Answers requests for records. It knows nothing of HTTP but methods' meanings and status codes.
struct RecordsService: Sendable {
    let database: any SQLDatabase
    let access: AccessControl
    let clock: @Sendable () -> Date
    /// The device that has a token, where the queue's store is at hand too: it is told that it may not, and the audit has
    /// it. Elsewhere its token is one that nobody knows.
    let devices: (@Sendable (String) async throws -> Actor?)?
    let store = RecordStore()

    init(
        database: any SQLDatabase, access: AccessControl,
        devices: (@Sendable (String) async throws -> Actor?)? = nil, clock: @escaping @Sendable () -> Date
    ) {
        self.devices = devices
        self.database = database
        self.access = access
        self.clock = clock
    }

    /// Who asks: the bearer of a token.
    func actor(bearer token: String?) async throws -> Actor {
        if let token {
            if let staff = try await access.authenticate(bearer: token) { return staff }
            if let device = try await devices?(token) { return device }
        }
        throw RecordsFailure.unauthenticated
    }

    func read(type: String, id: String, by actor: Actor) async throws -> StoredRecord {
        try await version(type: type, id: id, by: actor) { store, transaction in
            try store.read(type: type, id: id, in: transaction)
        }
    }

    func read(type: String, id: String, version: String, by actor: Actor) async throws -> StoredRecord {
        guard let number = Int64(version) else { throw RecordsFailure.notFound }
        return try await self.version(type: type, id: id, by: actor) { store, transaction in
            try store.read(type: type, id: id, version: number, in: transaction)
        }
    }

    private func version(
        type: String, id: String, by actor: Actor,
        _ find: @escaping @Sendable (RecordStore, any SQLTransaction) throws -> StoredRecord?
    ) async throws -> StoredRecord {
        guard RecordType.all.contains(type) else { throw RecordsFailure.unknownType }
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let store = store
        let (subject, found) = try await database.read { transaction in
            (try store.subject(ofType: type, id: id, in: transaction), try find(store, transaction))
        }
        try await permit(actor, .readRecord, Target(resourceType: type, resourceID: id, subject: subject))
        guard let record = found else { throw RecordsFailure.notFound }
        guard !record.isDeleted else { throw RecordsFailure.gone }
        return record
    }

    /// The history of a resource as a Bundle (<https://hl7.org/fhir/R4/http.html#history>).
    func history(
        type: String, id: String, page asked: HistoryPage, url: String, by actor: Actor
    ) async throws -> FHIR.Bundle {
        guard RecordType.all.contains(type) else { throw RecordsFailure.unknownType }
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let store = store
        let subject = try await database.read { try store.subject(ofType: type, id: id, in: $0) }
        try await permit(actor, .readRecord, Target(resourceType: type, resourceID: id, subject: subject))
        let limit = asked.count
        let (records, total): ([StoredRecord], Int) = try await database.read { transaction in
            let total = try transaction.first(
                RecordStore.versionCountSQL, [SQLValue(type), SQLValue(id)])
            return (
                try store.history(type: type, id: id, before: asked.before, limit: limit + 1, in: transaction),
                Int(total?.integerIfPresent("total") ?? 0)
            )
        }
        guard total > 0 else { throw RecordsFailure.notFound }
        var bundle = FHIR.Bundle(type: .history)
        bundle.total = total
        let page = records.prefix(limit)
        bundle.link = [link("self", "\(url)/\(type)/\(id)/_history")]
        if records.count > limit, let last = page.last {
            let next = "\(url)/\(type)/\(id)/_history?_count=\(limit)&_cursor=\(Cursor.text(last.version))"
            bundle.link += [link("next", next)]
        }
        bundle.entry = try page.map { record in
            var entry = FHIR.Bundle.Entry()
            entry.fullUrl = "\(url)/\(type)/\(id)"
            if !record.isDeleted { entry.resource = try record.resource() }
            let method: HTTPVerb = record.isDeleted ? .delete : record.version == 1 ? .post : .put
            entry.request = FHIR.Bundle.Entry.Request(method: method, url: method == .post ? type : "\(type)/\(id)")
            var response = FHIR.Bundle.Entry.Response(status: method == .post ? "201" : "200")
            response.etag = "W/\"\(record.version)\""
            response.lastModified = DateTime(record.lastUpdated)
            entry.response = response
            return entry
        }
        return bundle
    }

    /// A page of a search (<https://hl7.org/fhir/R4/http.html#search>).
    func search(
        type: String, parameters: [(name: String, value: String)], strict: Bool, url: String, by actor: Actor
    ) async throws -> FHIR.Bundle {
        guard RecordType.all.contains(type) else { throw RecordsFailure.unknownType }
        let store = store
        let query = try SearchQuery(type: type, parameters: parameters, strict: strict, now: clock())
        let target = Target(resourceType: type)
        guard access.decision(actor, .searchRecords, target).allowed else {
            try await permit(actor, .searchRecords, target)
            throw RecordsFailure.forbidden
        }
        let statement = SearchStatement(query)
        let (records, total, subjects): ([StoredRecord], Int, Set<String>) = try await database.read { transaction in
            let total = try transaction.first(statement.total, statement.parameters)
            guard !query.countOnly else { return ([], Int(total?.integerIfPresent("total") ?? 0), []) }
            let rows = try transaction.query(
                statement.page, statement.parameters + [SQLValue(query.after), SQLValue(query.count + 1)])
            let records = try rows.map { try RecordStore.record($0, in: transaction) }
            let subjects = try records.prefix(query.count).compactMap {
                try store.subject(ofType: $0.type, id: $0.id, in: transaction)
            }
            return (records, Int(total?.integerIfPresent("total") ?? 0), Set(subjects))
        }
        // Nothing is shown without its row, which says whose it is.
        try await access.record(
            access.decision(actor, .searchRecords, target), actor, .searchRecords, target, showing: subjects)
        var bundle = FHIR.Bundle(type: .searchset)
        bundle.total = total
        let page = records.prefix(query.count)
        bundle.link = [link("self", Self.address(url, type, query.used))]
        if !query.countOnly, records.count > query.count, let last = page.last {
            let number = try await database.read { transaction in
                try transaction.first(
                    "SELECT number FROM record WHERE type = ? AND id = ?", [SQLValue(last.type), SQLValue(last.id)])?
                    .integer("number") ?? 0
            }
            var used = query.used.filter { $0.name != "_count" }
            used += [("_count", String(query.count)), ("_cursor", Cursor.text(number))]
            bundle.link += [link("next", Self.address(url, type, used))]
        }
        bundle.entry = try page.map { record in
            Self.match(try record.resource(), at: "\(url)/\(record.type)/\(record.id)")
        }
        return bundle
    }

    private static func match(_ resource: Resource, at url: String) -> FHIR.Bundle.Entry {
        var entry = FHIR.Bundle.Entry()
        entry.fullUrl = url
        entry.resource = resource
        var search = FHIR.Bundle.Entry.Search()
        search.mode = .match
        entry.search = search
        return entry
    }

    /// A search's answer that is one page.
    static func bundle(
        of found: [Resource], type: String, used: [(name: String, value: String)], url: String
    ) -> FHIR.Bundle {
        var bundle = FHIR.Bundle(type: .searchset)
        bundle.total = found.count
        bundle.link = [FHIR.Bundle.Link(relation: "self", url: address(url, type, used))]
        bundle.entry = found.map { match($0, at: "\(url)/\(type)/\($0.id ?? "")") }
        return bundle
    }

    private func permit(_ actor: Actor, _ action: Action, _ target: Target) async throws {
        guard try await access.decide(actor, action, target).allowed else { throw RecordsFailure.forbidden }
    }

    private func link(_ relation: String, _ url: String) -> FHIR.Bundle.Link {
        FHIR.Bundle.Link(relation: relation, url: url)
    }

    private static func address(_ url: String, _ type: String, _ used: [(name: String, value: String)]) -> String {
        guard !used.isEmpty else { return "\(url)/\(type)" }
        let query = used.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(
            separator: "&")
        return "\(url)/\(type)?\(query)"
    }
}
