import AccessPolicy
import BulkExport
import Core
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import Identity
import RecordStorage
import SearchStatements
import Storage

/// Processes requests for records. It does not depend on HTTP, except for the semantics of methods and the status
/// codes.
package struct RecordsService: Sendable {
    let database: any SQLDatabase
    let access: AccessStores
    let clock: @Sendable () -> Date
    /// Returns the device of a token, where the queue's store is available: its requests are refused and recorded in
    /// the audit. Elsewhere its token is unknown.
    let devices: (@Sendable (String) async throws -> Actor?)?
    /// The rules for written resources; nil where there are no others.
    let admission: (any RecordAdmission)?
    /// Finds the targets of conditional interactions.
    var matching: any RecordMatching
    let newID: @Sendable () -> UUID
    /// Deallocates the thousands of objects of a request in the background.
    let executor = BackgroundExecutor()
    /// Runs tasks that may compute for a long time.
    let longWork = LongWorkExecutor()
    /// The exports; nil where exports are off.
    let exports: Exports?
    /// The resources that the study publishes; they change only with its files.
    let published: PublishedResources
    /// The maximum size of a stored resource.
    let maximumBytes: Int
    /// The base URLs of this server, without a final slash. References that begin with one of them are to its own
    /// resources.
    private(set) var ownBases: [String] = []
    var limits = SearchLimits.standard
    /// Limits on lookups that are repeated under the lock of the writer.
    var lookupLimits = WriteLookup.Limits()
    /// Decides which caller searches next.
    var searches = SearchSchedule()
    /// Limits the bytes of all responses in memory.
    var answers = AnswerBudget()
    /// Maximum number of bytes of records in one response.
    var answerBytes = AnswerAllowance.standard
    /// The limit on the bytes that an app writes to a patient's records on a day.
    var quota = WriteQuota(bytes: 1 << 30)
    /// Whether the disk has space for writes.
    var hasRoom: @Sendable () -> Bool = { true }
    let store = RecordStore()

    init(
        database: any SQLDatabase, access: AccessStores,
        devices: (@Sendable (String) async throws -> Actor?)? = nil,
        admission: (any RecordAdmission)? = nil, matching: any RecordMatching = SearchMatching(),
        published: PublishedResources = PublishedResources([]), maximumBytes: Int = 4 << 20,
        exports: Exports? = nil,
        newID: @escaping @Sendable () -> UUID = { .random() }, clock: @escaping @Sendable () -> Date
    ) {
        self.devices = devices
        self.admission = admission
        self.matching = matching
        self.newID = newID
        self.published = published
        self.maximumBytes = maximumBytes
        self.exports = exports
        self.database = database
        self.access = access
        self.clock = clock
    }

    /// Returns the service with the base URL of a request.
    func reached(at url: String) -> RecordsService {
        var service = self
        service.ownBases = [url]
        if matching is SearchMatching { service.matching = SearchMatching(ownBases: [url]) }
        return service
    }

    /// Reads within the time limit of a request.
    ///
    /// - Parameters:
    ///   - time: the remaining time of the request; nil where this is its only read.
    ///   - grant: the caller in the schedule of searches.
    /// - Throws: ``StorageError`` `storage-time-limit`; the errors of ``SearchSchedule/running(for:_:)``.
    func reading<T: Sendable>(
        within time: SearchDeadline? = nil, for grant: AccessGrant,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        let time = time ?? EntryScope.current?.time ?? SearchDeadline(limits)
        return try await searches.running(for: grant.callerKey) {
            try await database.read { transaction in
                try time.limiting(transaction) { try body(transaction) }
            }
        }
    }

    /// Returns the limits of one request: the time for searches, and the bytes of its response.
    ///
    /// - Throws: ``AnswerBudget/Busy`` where no bytes are free for a response.
    func allowance(for grant: AccessGrant) async throws -> SearchDeadline {
        if let scope = EntryScope.current { return scope.time }
        let reservation = try await answers.reserve(for: grant.callerKey)
        return SearchDeadline(limits, answer: AnswerAllowance(bytes: answerBytes, reservation: reservation))
    }

    /// Reserves the first bytes of a response; nil for an entry of a Bundle, whose response has them.
    ///
    /// - Throws: ``AnswerBudget/Busy`` where no bytes are free for a response.
    func reservation(for grant: AccessGrant) async throws -> AnswerReservation? {
        if EntryScope.current != nil { return nil }
        return try await answers.reserve(for: grant.callerKey)
    }

    /// Returns the grant of a token's bearer.
    func grant(bearer token: String?) async throws -> AccessGrant {
        if let scope = EntryScope.current { return scope.grant }
        if let token {
            if let grant = try await access.tokens.grant(bearer: token) { return grant }
            if let device = try await devices?(token) { return AccessGrant(device) }
        }
        throw RecordsFailure.unauthenticated
    }

    /// Returns the caller with a token, possibly from the token cache. The grant must be checked again in the
    /// transaction.
    func caller(bearer token: String?) async throws -> AuthenticatedCaller {
        if let scope = EntryScope.current { return AuthenticatedCaller(scope.grant) }
        if let token {
            if let bearer = try await access.tokens.recentBearer(of: token) { return AuthenticatedCaller(bearer) }
            if let device = try await devices?(token) { return AuthenticatedCaller(AccessGrant(device)) }
        }
        throw RecordsFailure.unauthenticated
    }

    func read(type: String, id: String, by caller: AuthenticatedCaller) async throws -> StoredRecord {
        try await version(type: type, id: id, .read, by: caller) { store, transaction in
            try store.read(type: type, id: id, in: transaction)
        }
    }

    func read(type: String, id: String, version: String, by caller: AuthenticatedCaller) async throws -> StoredRecord {
        guard let number = Int64(version) else { throw RecordsFailure.notFound }
        return try await self.version(type: type, id: id, .versionRead, by: caller) { store, transaction in
            try store.read(type: type, id: id, version: number, in: transaction)
        }
    }

    /// Reads a version in the transaction that writes its audit row, which changes the thread only once.
    private func version(
        type: String, id: String, _ interaction: RecordInteraction, by caller: AuthenticatedCaller,
        _ find: @escaping @Sendable (RecordStore, any SQLTransaction) throws -> StoredRecord?
    ) async throws -> StoredRecord {
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let store = store
        // A refusal is not an error of the transaction, which other requests share.
        let answer: Result<StoredRecord, RecordsFailure> = try await access.audit.recorded { transaction in
            guard let grant = try caller.grant(access, in: transaction) else { return .failure(.unauthenticated) }
            let stored = try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: transaction)
            let found = try find(store, transaction)
            let decisive = try found.flatMap { try store.decisive(for: $0, in: transaction) }
            let decision = try decision(
                grant, interaction, type: type, id: id, newest: stored?.facts, version: decisive)
            try access.audit.record(
                decision.decision, by: grant.actor, action: .readRecord,
                target: Target(resourceType: type, resourceID: id, subject: stored?.subject), in: transaction)
            if let refusal = decision.refusal { return .failure(refusal) }
            guard let record = found else { return .failure(.notFound) }
            return record.isDeleted ? .failure(.gone) : .success(record)
        }
        return try answer.get()
    }

    /// Decides about a version of a record. A version is shown only where the newest one is.
    ///
    /// - Parameters:
    ///   - newest: the facts of the newest version; nil where there is no such record: then the type decides.
    ///   - version: the decisive version (``RecordStore/decisive(for:in:)``).
    private func decision(
        _ grant: AccessGrant, _ interaction: RecordInteraction, type: String, id: String, newest: RecordFacts?,
        version: StoredRecord?
    ) throws -> RecordDecision {
        let (policy, now) = (access.audit.policy, clock())
        var facts = newest.map { [$0] } ?? []
        var own: RecordFacts?
        if let newest, interaction != .read, let version {
            let read = try RecordFacts(
                version: version, newest: newest, at: ownBases, asking: grant.queries(of: type))
            own = read
            facts.append(read)
        }
        if let decision = policy.decideOwn(grant, interaction, type: type, id: id, facts: facts, at: now) {
            return decision
        }
        guard let newest else { return policy.decide(grant, interaction, type: type, at: now) }
        guard let own else { return policy.decide(grant, interaction, record: newest, at: now) }
        return policy.decide(grant, interaction, version: own, newest: newest, at: now)
    }

    /// Returns the history of a resource as a Bundle (<https://hl7.org/fhir/R4/http.html#history>), with the versions
    /// that the grant permits. It has the total for a caller who sees everything.
    func history(
        type: String, id: String, page asked: HistoryPage, url: String, by grant: AccessGrant,
        within time: SearchDeadline? = nil
    ) async throws -> BundlePage {
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let store = store
        let stored = try await database.lookUp {
            try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: $0)
        }
        try await permit(
            grant, by: decision(grant, .historyOfInstance, type: type, id: id, newest: stored?.facts, version: nil),
            to: Target(resourceType: type, resourceID: id, subject: stored?.subject))
        guard stored != nil else { throw RecordsFailure.notFound }
        let (policy, clock) = (access.audit.policy, clock)
        @Sendable func showsAll() -> Bool { policy.filter(grant, .historyOfInstance, at: clock()) == .everything }
        let limit = asked.count
        let time = if let time { time } else { try await allowance(for: grant) }
        let (records, isCut, total): ([StoredRecord], Bool, Int?) = try await reading(within: time, for: grant) {
            transaction in
            let isWhole = showsAll()
            let counted =
                asked.isNarrowed
                ? try transaction.first(asked.totalSQL, asked.totalParameters(type: type, id: id))
                : try transaction.first(RecordStore.versionCountSQL, [RecordKey.value(type: type, id: id)])
            // Hidden versions are not counted.
            let total = isWhole ? Int(counted?.integerIfPresent("total") ?? 0) : nil
            // The record may have another owner, or be hidden, since the decision.
            let newest = try store.facts(
                ofType: type, id: id, asking: grant.queries(of: type), in: transaction)?.facts
            var shown: [StoredRecord] = []
            var before = asked.before
            let step = min(limit + 1, Self.contentsAtATime)
            // Hidden versions do not affect the pages.
            while shown.count <= limit {
                let page = try store.history(type: type, id: id, before: before, limit: step, in: transaction)
                for version in try asked.taking(page, in: transaction) where shown.count <= limit {
                    let isShown =
                        try isWhole
                        || decision(
                            grant, .historyOfInstance, type: type, id: id, newest: newest,
                            version: store.decisive(for: version, in: transaction)
                        ).isPermitted
                    guard isShown else { continue }
                    guard shown.count == limit || time.answer.takes(version.content.count) else {
                        guard !shown.isEmpty else { throw time.answer.exceeded }
                        return (shown, true, total)
                    }
                    shown.append(version)
                }
                guard page.count == step, let last = page.last else { break }
                before = last.version
            }
            return (shown, shown.count > limit, total)
        }
        var bundle = FHIR.Bundle(type: .history)
        bundle.total = total
        let page = records.prefix(limit)
        let address = "\(type)/\(id)/_history"
        bundle.link = [link("self", Self.address(url, path: address, parameters: asked.used))]
        if isCut, let last = page.last {
            let next = asked.used + [("_count", String(limit)), ("_cursor", Cursor.text(last.version))]
            bundle.link += [link("next", Self.address(url, path: address, parameters: next))]
        }
        let revived = try await reading(within: time, for: grant) { transaction in
            let isWhole = showsAll()
            let newest = try store.facts(
                ofType: type, id: id, asking: grant.queries(of: type), in: transaction)?.facts
            return try store.revived(among: page, in: transaction) { former in
                try isWhole
                    || decision(
                        grant, .historyOfInstance, type: type, id: id, newest: newest,
                        version: store.decisive(for: former, in: transaction)
                    ).isPermitted
            }
        }
        return BundlePage(
            head: bundle,
            entries: page.enumerated().map {
                BundlePage.Entry(record: $1, kind: .version(isRevived: revived.contains($0)))
            }, url: url, allowance: time.answer)
    }

    /// The number of contents that are read at a time where their sizes are not known before.
    static let contentsAtATime = 16

    static func match(
        _ resource: Resource, at url: String, as mode: SearchEntryMode = .match
    ) -> FHIR.Bundle.Entry {
        var entry = FHIR.Bundle.Entry()
        entry.fullUrl = url
        entry.resource = resource
        var search = FHIR.Bundle.Entry.Search()
        search.mode = mode
        entry.search = search
        return entry
    }

    /// Records a decision in the audit, and throws the response where it does not permit the interaction.
    func permit(_ grant: AccessGrant, by decision: RecordDecision, to target: Target) async throws {
        let action: Action = target.resourceID == nil ? .searchRecords : .readRecord
        try await access.audit.record(decision.decision, by: grant.actor, action: action, target: target, showing: [])
        if let refusal = decision.refusal { throw refusal }
    }

    func link(_ relation: String, _ url: String) -> FHIR.Bundle.Link {
        FHIR.Bundle.Link(relation: relation, url: url)
    }

    /// - Parameter path: the path relative to the base URL; empty for the base URL itself.
    static func address(_ url: String, path: String, parameters: [(name: String, value: String)]) -> String {
        let address = path.isEmpty ? url : "\(url)/\(path)"
        guard !parameters.isEmpty else { return address }
        let query = parameters.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(
            separator: "&")
        return "\(address)?\(query)"
    }
}

extension RecordDecision {
    /// The response where the interaction is not permitted.
    fileprivate var refusal: RecordsFailure? {
        switch self {
        case .permitted: nil
        case .hidden: .notFound
        case .refused(.grantEnded): .unauthenticated
        case .refused: .forbidden
        }
    }
}
