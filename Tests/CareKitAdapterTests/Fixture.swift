import CareKitStore
import CarePlans
import CareStores
import CareTestSupport
import Core
import Foundation
import Synchronization
import Testing

@testable import CareKitAdapter

typealias Vector = OCKRevisionRecord.KnowledgeVector

extension OCKStore {
    /// A store without a remote.
    static func alone() -> OCKStore { OCKStore(name: UUID().uuidString, type: .inMemory) }

    var knowledge: Vector { context.knowledgeVector }
    var process: UUID { context.clockID }
    var tasks: [OCKTask] {
        get async throws { try await fetchTasks(query: OCKTaskQuery()) }
    }
}

enum Make {
    static let day = Date(timeIntervalSinceReferenceDate: 790_000_000)

    static func schedule(start: Date = day) -> OCKSchedule {
        OCKSchedule(composing: [OCKScheduleElement(start: start, end: nil, interval: DateComponents(day: 1))])
    }

    static func task(_ id: String = "a", title: String? = nil, start: Date = day) -> OCKTask {
        OCKTask(id: id, title: title, carePlanUUID: nil, schedule: schedule(start: start))
    }

    /// A version as another copy sends it.
    static func sent<Value: OCKVersionedObjectCompatible>(
        _ value: Value, after previous: [UUID] = [], at seconds: Double = 0
    )
        -> Value
    {
        var value = value
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000 + seconds)
        value.uuid = UUID()
        (value.createdDate, value.updatedDate, value.effectiveDate) = (date, date, date)
        value.previousVersionUUIDs = previous
        return value
    }

    static func record(_ entities: OCKEntity..., vector: Vector = Vector([UUID(): 1])) -> OCKRevisionRecord {
        OCKRevisionRecord(entities: entities, knowledgeVector: vector)
    }

    static func revision(_ entities: [OCKEntity], _ vector: KnowledgeVector) throws -> CareRevision {
        CareRevision(try entities.map { try CareEntity($0) }, knowledgeVector: vector)
    }
}

/// A server with answers that a test sets, and a record of the requests.
final class ScriptedServer: CareServer {
    struct State {
        var pages: [CareAnswer] = []
        var failure: CareServerError?
        var failsAtPage: Int?
        var pushFailure: CareServerError?
        var pulls: [(since: KnowledgeVector, page: String?, wait: Int)] = []
        var pushes: [(revisions: [CareRevision], knowledge: KnowledgeVector)] = []
        var news: [CareAnswer] = []
        var waiters: [CheckedContinuation<CareAnswer, any Error>] = []
        var running = 0
        var maximumRunning = 0
    }

    let state = Mutex(State())

    init(_ pages: CareAnswer...) { state.withLock { $0.pages = pages } }

    func set(_ pages: CareAnswer...) { state.withLock { $0.pages = pages } }
    var pushes: [(revisions: [CareRevision], knowledge: KnowledgeVector)] { state.withLock { $0.pushes } }
    var pulls: [(since: KnowledgeVector, page: String?, wait: Int)] { state.withLock { $0.pulls } }

    private func answer(_ knowledge: KnowledgeVector, page: String?, wait: Int) throws -> CareAnswer {
        try state.withLock { state in
            state.pulls.append((knowledge, page, wait))
            if let failure = state.failure { throw failure }
            let index = page.flatMap { Int($0) } ?? 0
            if state.failsAtPage == index { throw CareServerError("connection-failed") }
            guard state.pages.indices.contains(index) else {
                return CareAnswer(revisions: [], knowledgeVector: knowledge, next: nil)
            }
            var answer = state.pages[index]
            answer.next = index + 1 < state.pages.count ? String(index + 1) : nil
            return answer
        }
    }

    func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int) async throws
        -> CareAnswer
    {
        if seconds > 0 {
            return try await withCheckedThrowingContinuation { continuation in
                let ready = state.withLock { state -> CareAnswer? in
                    state.pulls.append((knowledge, page, seconds))
                    if !state.news.isEmpty { return state.news.removeFirst() }
                    state.waiters.append(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }
        begin()
        defer { end() }
        await Task.yield()
        return try answer(knowledge, page: page, wait: seconds)
    }

    private func begin() {
        state.withLock { state in
            state.running += 1
            state.maximumRunning = max(state.maximumRunning, state.running)
        }
    }
    private func end() { state.withLock { $0.running -= 1 } }

    /// Answers the request that waits, or the next one.
    func announce(_ answer: CareAnswer) {
        let waiter = state.withLock { state -> CheckedContinuation<CareAnswer, any Error>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.news.append(answer)
            return nil
        }
        waiter?.resume(returning: answer)
    }

    func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
        begin()
        defer { end() }
        await Task.yield()
        return try state.withLock { state in
            if let failure = state.pushFailure { throw failure }
            state.pushes.append((revisions, knowledge))
            return knowledge
        }
    }
}

/// A delegate that counts requests and keeps progress.
final class WatchingDelegate: OCKRemoteSynchronizationDelegate {
    let state = Mutex((requests: 0, progress: [Double]()))
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (requests, continuation) = AsyncStream.makeStream() }

    func didRequestSynchronization(_ remote: any OCKRemoteSynchronizable) {
        state.withLock { $0.requests += 1 }
        continuation.yield()
    }

    func remote(_ remote: any OCKRemoteSynchronizable, didUpdateProgress progress: Double) {
        state.withLock { $0.progress.append(progress) }
    }

    /// Waits for the next request.
    func request() async {
        for await _ in requests { return }
    }
}

/// A synchronizer with a store that synchronises only when asked.
func connected(_ server: any CareServer, delegate: (any OCKRemoteSynchronizationDelegate)? = nil) -> (
    store: OCKStore, remote: CareKitSynchronizer
) {
    let remote = CareKitSynchronizer(
        server: server, options: CareKitSyncOptions(automaticallySynchronizes: false))
    remote.delegate = delegate
    let store = OCKStore(name: UUID().uuidString, type: .inMemory, remote: remote)
    remote.connect(to: store)
    return (store, remote)
}
