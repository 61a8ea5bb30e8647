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
    /// What the rest of the house says of what is written; nil where there is no other.
    let admission: (any RecordAdmission)?
    /// Finds what conditional interactions mean.
    var matching: any RecordMatching
    let newID: @Sendable () -> UUID
    /// Lets go of what requests bring beside the answer: thousands of objects.
    let executor = BackgroundExecutor()
    /// Runs what may compute for long.
    let longWork = LongWorkExecutor()
    /// The exports; nil where none are made.
    let exports: Exports?
    /// The content that is published with the study and written with its files alone.
    let published: PublishedResources
    /// The limit on a stored resource.
    let maximumBytes: Int
    /// The base URLs that this server is reached at, without a last slash: references with one of them in front are to
    /// resources of its own.
    private(set) var ownBases: [String] = []
    var limits = SearchLimits.standard
    /// Limits on lookups that are repeated inside of the lock of the writer.
    var lookupLimits = WriteLookup.Limits()
    /// Decides which caller searches next.
    var searches = SearchSchedule()
    /// Bounds the bytes of all answers in memory.
    var answers = AnswerBudget()
    /// Maximum bytes of the records of one answer.
    var answerBytes = AnswerAllowance.standard
    /// The bytes that an app may write of a patient in a day.
    var quota = WriteQuota(bytes: 1 << 30)
    /// Whether the disk has room for what is written.
    var hasRoom: @Sendable () -> Bool = { true }
    let store = RecordStore()

    init(
        database: any SQLDatabase, access: AccessControl,
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

    /// The service as it is reached at the base URL of a request.
    func reached(at url: String) -> RecordsService {
        var service = self
        service.ownBases = [url]
        if matching is SearchMatching { service.matching = SearchMatching(ownBases: [url]) }
        return service
    }

    /// Reads what is asked for, for as long as one request may.
    ///
    /// - Parameters:
    ///   - time: what the request has left; nil where this is all that it reads.
    ///   - grant: whose turn it takes.
    /// - Throws: ``StorageError`` `storage-time-limit`; what ``SearchSchedule/running(for:_:)`` throws.
    func reading<T: Sendable>(
        within time: SearchTime? = nil, for grant: AccessGrant,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        let time = time ?? EntryScope.current?.time ?? SearchTime(limits)
        return try await searches.running(for: grant.callerKey) {
            try await database.read { transaction in
                try time.limiting(transaction) { try body(transaction) }
            }
        }
    }

    /// What one request may take: the time to look, and the bytes of its answer.
    ///
    /// - Throws: ``ServerHTTP/HTTPFailure/serverBusy(retryAfter:)`` where no bytes are free for an answer.
    func allowance(for grant: AccessGrant) async throws -> SearchTime {
        if let scope = EntryScope.current { return scope.time }
        let reservation = try await answers.reserve(for: grant.callerKey)
        return SearchTime(limits, answer: AnswerAllowance(bytes: answerBytes, reservation: reservation))
    }

    /// Reserves the first bytes of an answer; nil for an entry of a Bundle, whose answer has them.
    ///
    /// - Throws: ``ServerHTTP/HTTPFailure/serverBusy(retryAfter:)`` where no bytes are free for an answer.
    func reservation(for grant: AccessGrant) async throws -> AnswerReservation? {
        if EntryScope.current != nil { return nil }
        return try await answers.reserve(for: grant.callerKey)
    }

    /// What the bearer of a token may do.
    func grant(bearer token: String?) async throws -> AccessGrant {
        if let scope = EntryScope.current { return scope.grant }
        if let token {
            if let grant = try await access.grant(bearer: token) { return grant }
            if let device = try await devices?(token) { return AccessGrant(device) }
        }
        throw RecordsFailure.unauthenticated
    }

    /// Who has a token, for who looks at it again before anything comes of it.
    func caller(bearer token: String?) async throws -> RecordCaller {
        if let scope = EntryScope.current { return RecordCaller(scope.grant) }
        if let token {
            if let bearer = try await access.recentBearer(of: token) { return RecordCaller(bearer) }
            if let device = try await devices?(token) { return RecordCaller(AccessGrant(device)) }
        }
        throw RecordsFailure.unauthenticated
    }

    func read(type: String, id: String, by caller: RecordCaller) async throws -> StoredRecord {
        try await version(type: type, id: id, .read, by: caller) { store, transaction in
            try store.read(type: type, id: id, in: transaction)
        }
    }

    func read(type: String, id: String, version: String, by caller: RecordCaller) async throws -> StoredRecord {
        guard let number = Int64(version) else { throw RecordsFailure.notFound }
        return try await self.version(type: type, id: id, .versionRead, by: caller) { store, transaction in
            try store.read(type: type, id: id, version: number, in: transaction)
        }
    }

    /// Reads a version in the transaction that its row of the audit is written in: a thread is changed once for all.
    private func version(
        type: String, id: String, _ interaction: RecordInteraction, by caller: RecordCaller,
        _ find: @escaping @Sendable (RecordStore, any SQLTransaction) throws -> StoredRecord?
    ) async throws -> StoredRecord {
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let store = store
        // What is answered is no fault of the transaction, which others share.
        let answer: Result<StoredRecord, RecordsFailure> = try await access.recorded { transaction in
            guard let grant = try caller.grant(access, in: transaction) else { return .failure(.unauthenticated) }
            let stored = try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: transaction)
            let found = try find(store, transaction)
            let decisive = try found.flatMap { try store.decisive(for: $0, in: transaction) }
            let decision = try decision(
                grant, interaction, type: type, id: id, newest: stored?.facts, version: decisive)
            try access.record(
                decision.decision, grant.actor, .readRecord,
                Target(resourceType: type, resourceID: id, subject: stored?.subject), in: transaction)
            if let refusal = decision.refusal { return .failure(refusal) }
            guard let record = found else { return .failure(.notFound) }
            return record.isDeleted ? .failure(.gone) : .success(record)
        }
        return try answer.get()
    }

    /// Decides about a version of a record, which shows only where the newest does.
    ///
    /// - Parameters:
    ///   - newest: nil where there is no such record: then it is decided about the type.
    ///   - version: the one that is decisive for it (``RecordStore/decisive(for:in:)``).
    private func decision(
        _ grant: AccessGrant, _ interaction: RecordInteraction, type: String, id: String, newest: RecordFacts?,
        version: StoredRecord?
    ) throws -> RecordDecision {
        let (policy, now) = (access.policy, clock())
        var facts = newest.map { [$0] } ?? []
        var own: RecordFacts?
        if newest != nil, interaction != .read, let version {
            let read = RecordFacts(
                try version.resource(), storedAs: version.id, subject: nil, at: ownBases,
                asking: grant.queries(of: type))
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

    /// The history of a resource as a Bundle (<https://hl7.org/fhir/R4/http.html#history>), of the versions that the grant
    /// shows. How many there are is told to whom nothing is hidden.
    func history(
        type: String, id: String, page asked: HistoryPage, url: String, by grant: AccessGrant,
        within time: SearchTime? = nil
    ) async throws -> BundlePage {
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        guard Resource.isID(id) else { throw RecordsFailure.notFound }
        let store = store
        let stored = try await database.lookUp {
            try store.facts(ofType: type, id: id, asking: grant.queries(of: type), in: $0)
        }
        try await permit(
            grant, decision(grant, .historyOfInstance, type: type, id: id, newest: stored?.facts, version: nil),
            Target(resourceType: type, resourceID: id, subject: stored?.subject))
        guard stored != nil else { throw RecordsFailure.notFound }
        let isWhole = access.policy.filter(grant, .historyOfInstance, at: clock()) == .everything
        let limit = asked.count
        let time = if let time { time } else { try await allowance(for: grant) }
        let (records, isCut, total): ([StoredRecord], Bool, Int) = try await reading(within: time, for: grant) {
            transaction in
            let total =
                asked.isNarrowed
                ? try transaction.first(asked.totalSQL, asked.totalParameters(type: type, id: id))
                : try transaction.first(RecordStore.versionCountSQL, [RecordAddress.value(type: type, id: id)])
            // It may have been given to another, or hidden, since it was decided.
            let newest = try store.facts(
                ofType: type, id: id, asking: grant.queries(of: type), in: transaction)?.facts
            var shown: [StoredRecord] = []
            var before = asked.before
            let step = min(limit + 1, Self.contentsAtATime)
            // What is hidden has no place on a page.
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
                        return (shown, true, Int(total?.integerIfPresent("total") ?? 0))
                    }
                    shown.append(version)
                }
                guard page.count == step, let last = page.last else { break }
                before = last.version
            }
            return (shown, shown.count > limit, Int(total?.integerIfPresent("total") ?? 0))
        }
        var bundle = FHIR.Bundle(type: .history)
        if isWhole { bundle.total = total }
        let page = records.prefix(limit)
        let address = "\(type)/\(id)/_history"
        bundle.link = [link("self", Self.address(url, address, asked.used))]
        if isCut, let last = page.last {
            let next = asked.used + [("_count", String(limit)), ("_cursor", Cursor.text(last.version))]
            bundle.link += [link("next", Self.address(url, address, next))]
        }
        let revived = try await reading(within: time, for: grant) { try store.revived(among: page, in: $0) }
        return BundlePage(
            head: bundle,
            entries: page.enumerated().map {
                BundlePage.Entry(record: $1, kind: .version(isRevived: revived.contains($0)))
            }, url: url, allowance: time.answer)
    }

    /// The number of contents that are read at a time where their bytes are not known before.
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

    /// Writes the audit row of a decision, and throws what is answered where it permits nothing.
    func permit(_ grant: AccessGrant, _ decision: RecordDecision, _ target: Target) async throws {
        let action: Action = target.resourceID == nil ? .searchRecords : .readRecord
        try await access.record(decision.decision, grant.actor, action, target, showing: [])
        if let refusal = decision.refusal { throw refusal }
    }

    func link(_ relation: String, _ url: String) -> FHIR.Bundle.Link {
        FHIR.Bundle.Link(relation: relation, url: url)
    }

    /// - Parameter type: the path from the root; empty for the root itself.
    static func address(_ url: String, _ type: String, _ used: [(name: String, value: String)]) -> String {
        let address = type.isEmpty ? url : "\(url)/\(type)"
        guard !used.isEmpty else { return address }
        let query = used.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(
            separator: "&")
        return "\(address)?\(query)"
    }
}

extension RecordDecision {
    /// What is answered where it permits nothing.
    fileprivate var refusal: RecordsFailure? {
        switch self {
        case .permitted: nil
        case .hidden: .notFound
        case .refused(.grantEnded): .unauthenticated
        case .refused: .forbidden
        }
    }
}
