import DeviceSystem
import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

/// A system that uploads at any time and outlives the app: responses come when a test requests them.
actor ModelUploads: UploadTransport {
    private let study: any Transport
    private(set) var begun: [QueuedUpload] = []
    private var underWay: [String: QueuedUpload] = [:]
    private var isRefusing = false
    nonisolated let answers: AsyncStream<UploadAnswer>
    private let sink: AsyncStream<UploadAnswer>.Continuation

    init(_ study: any Transport) {
        self.study = study
        (answers, sink) = AsyncStream.makeStream(of: UploadAnswer.self)
    }

    /// Accepts no upload from now on.
    func refuse(_ isRefusing: Bool = true) { self.isRefusing = isRefusing }

    func begin(_ upload: QueuedUpload) async throws {
        if isRefusing { throw URLError(.unknown) }
        begun.append(upload)
        underWay[upload.tag] = upload
    }

    func tagsUnderWay() async -> Set<String> { Set(underWay.keys) }

    /// Completes the latest upload, or that of the tag, and returns the response, which is not delivered yet.
    func finish(_ tag: String? = nil, keepingUnderWay: Bool = false) async throws -> UploadAnswer {
        let upload = try #require(tag.map { tag in begun.last { $0.tag == tag } } ?? begun.last)
        if !keepingUnderWay { underWay[upload.tag] = nil }
        guard let body = try? Data(contentsOf: upload.file) else { return UploadAnswer(tag: upload.tag, response: nil) }
        var request = upload.request
        request.body = body
        return UploadAnswer(tag: upload.tag, response: try? await study.send(request))
    }

    /// Loses the uploads in progress, as when a person ends the app.
    func lose() { underWay = [:] }

    func deliver(_ answer: UploadAnswer) { sink.yield(answer) }
    func end() { sink.finish() }
}

/// Sending by uploads of the system.
@Suite struct BackgroundSenderTests {
    private func store(_ folder: TemporaryFolder) throws -> DeviceStore {
        try DeviceStore.open(folder.url.appendingPathComponent("device"))
    }

    private func sender(
        _ store: DeviceStore, study: ModelStudy, uploads: ModelUploads, clock: WaitLog = WaitLog()
    ) throws -> BackgroundSender {
        BackgroundSender(store: store, connection: try study.connection(clock), uploads: uploads)
    }

    private func kinds(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap { OutboxEntry(name: $0) }.sorted()
            .map(\.kind)
    }

    @Test func entriesAreUploadedOneAfterTheOther() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entries = try ["Contract", "Patient", "Observation"].map { try store.outbox.append($0) }
        let sender = try sender(store, study: study, uploads: uploads)
        #expect(try await sender.handOver() == .underWay(entries[0]))
        #expect(try await sender.handOver() == .underWay(entries[0]), "it is not handed over twice")
        #expect(await uploads.begun.count == 1)
        #expect(try await sender.take(uploads.finish()) == .underWay(entries[1]))
        #expect(try await sender.take(uploads.finish()) == .underWay(entries[2]))
        #expect(try await sender.take(uploads.finish()) == .emptied)
        #expect(await study.arrivals == entries.map(\.submissionID))
        #expect(try store.outbox.sentSubmissions().map(\.entry) == entries)
        #expect(try await sender.handOver() == .emptied)
        let upload = try #require(await uploads.begun.first)
        #expect(upload.request.headers["Authorization"] == "Bearer t" && upload.request.body == nil)
        #expect(upload.request.headers["Tributary-Submission"] == entries[0].submissionID && upload.notBefore == nil)
        #expect(upload.file.lastPathComponent == entries[0].name && upload.tag.utf8.count <= 200)
    }

    @Test func responseIsProcessedByALaterProcess() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let uploads = ModelUploads(study)
        let entries = try ["Contract", "Observation"].map { try self.store(folder).outbox.append($0) }
        _ = try await sender(self.store(folder), study: study, uploads: uploads).handOver()
        let late = try await uploads.finish()
        // The process has ended; another one starts and receives the response.
        let later = try sender(self.store(folder), study: study, uploads: uploads)
        #expect(try await later.take(late) == .underWay(entries[1]))
        // This process knows the upload in progress, and does not begin it again.
        let last = try sender(self.store(folder), study: study, uploads: uploads)
        #expect(try await last.handOver() == .underWay(entries[1]))
        #expect(await uploads.begun.count == 2)
        #expect(try await last.take(uploads.finish()) == .emptied)
        #expect(await study.arrivals == entries.map(\.submissionID))
    }

    @Test func lostUploadIsHandedOverAgain() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entry = try store.outbox.append("Contract")
        let sender = try sender(store, study: study, uploads: uploads)
        _ = try await sender.handOver()
        let late = try await uploads.finish(keepingUnderWay: true)
        await uploads.lose()
        #expect(try await sender.handOver() == .underWay(entry))
        #expect(await uploads.begun.count == 2)
        // The lost upload had arrived: its acknowledgement counts, and that of the second upload is redundant.
        #expect(try await sender.take(late) == .emptied)
        let second = UploadAnswer(tag: await uploads.begun[1].tag, response: late.response)
        #expect(try await sender.take(second) == .emptied)
        #expect(try store.outbox.sentSubmissions().map(\.entry) == [entry])
    }

    @Test func submissionsLostByARestoredStudyAreSentBeforeTheCurrentOne() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let first = try store.outbox.append("Contract")
        let sender = try sender(store, study: study, uploads: uploads)
        _ = try await sender.handOver()
        #expect(try await sender.take(uploads.finish()) == .emptied)
        try await study.connection().refreshDeliveries(in: store)
        // The study is restored to a state before the Contract while the system has the next upload.
        let newest = try store.outbox.append("Observation")
        #expect(try await sender.handOver() == .underWay(newest))
        await study.restore()
        #expect(try await sender.take(uploads.finish()) == .underWay(first))
        #expect(try await sender.take(uploads.finish()) == .underWay(newest))
        #expect(try await sender.take(uploads.finish()) == .emptied)
        #expect(await study.arrivals == [first, first, newest].map(\.submissionID))
    }

    @Test func repeatedResponseSettlesAnEntryOnce() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entries = try ["Contract", "Patient", "Observation"].map { try store.outbox.append($0) }
        let sender = try sender(store, study: study, uploads: uploads)
        _ = try await sender.handOver()
        let first = try await uploads.finish()
        for _ in 0..<3 { #expect(try await sender.take(first) == .underWay(entries[1])) }
        #expect(await uploads.begun.count == 2, "the second is under way once")
        #expect(try store.outbox.sentSubmissions().map(\.entry) == [entries[0]])
        #expect(try kinds(store.outbox.folder) == ["Patient", "Observation"])
    }

    @Test func responseForAMissingEntryIsIgnored() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entries = try ["Contract", "Observation"].map { try store.outbox.append($0) }
        let sender = try sender(store, study: study, uploads: uploads)
        _ = try await sender.handOver()
        // Meanwhile another process sends everything in the foreground.
        #expect(try await study.connection().sendAll(from: store.outbox).sent == 2)
        #expect(try await sender.take(uploads.finish()) == .emptied)
        for tag in ["", "x", "../../etc/passwd/1", entries[1].name, "\(entries[1].name)/y"] {
            #expect(try await sender.take(UploadAnswer(tag: tag, response: nil)) == .emptied, "\(tag)")
            #expect(try await sender.take(UploadAnswer(tag: tag, response: .init(status: 422))) == .emptied, "\(tag)")
        }
        #expect(try store.outbox.sentSubmissions().map(\.entry) == entries)
        #expect(try store.outbox.refusedEntries().isEmpty)
    }

    @Test func onlyAResponseWithTheStudysMarkSettles() async throws {
        let (folder, study, clock) = (try TemporaryFolder(), ModelStudy(), WaitLog())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entry = try store.outbox.append("Contract")
        let sender = try sender(store, study: study, uploads: uploads, clock: clock)
        _ = try await sender.handOver()
        for status in [200, 201, 204, 302, 403, 404, 422, 500] {
            let tag = try #require(await uploads.begun.last).tag
            let page = UploadAnswer(tag: tag, response: .init(status: status, body: Data("<html>".utf8)))
            #expect(try await sender.take(page) == .underWay(entry), "\(status)")
        }
        #expect(try store.outbox.entries() == [entry])
        #expect(try store.outbox.refusedEntries().isEmpty)
    }

    @Test func refusedEntryIsMovedAndARefusedContractStops() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entries = try ["Contract", "Patient", "Observation"].map { try store.outbox.append($0) }
        let sender = try sender(store, study: study, uploads: uploads)
        await study.refuse("Patient", with: 422)
        _ = try await sender.handOver()
        _ = try await sender.take(uploads.finish())
        let refusal = try await uploads.finish()
        #expect(try await sender.take(refusal) == .underWay(entries[2]))
        #expect(try store.outbox.refusal(of: entries[1]).code == "scripted-422")
        // After the team's correction a repeated old refusal does not count against the new attempt.
        await study.refuse("Patient", with: nil)
        _ = try await sender.take(uploads.finish())
        try store.outbox.retryRefused()
        #expect(try await sender.handOver() == .underWay(entries[1]))
        #expect(try await sender.take(refusal) == .underWay(entries[1]))
        #expect(try store.outbox.refusedEntries().isEmpty)
        #expect(try await sender.take(uploads.finish()) == .emptied)
        await study.refuse("Contract", with: 422)
        try store.outbox.append("Contract")
        try store.outbox.append("Observation")
        _ = try await sender.handOver()
        #expect(try await sender.take(uploads.finish()) == .stopped)
        #expect(try await sender.handOver() == .stopped)
    }

    @Test func afterAFailureTheNextUploadWaitsLongerAlsoInALaterProcess() async throws {
        let (folder, study, clock) = (try TemporaryFolder(), ModelStudy(), WaitLog())
        let uploads = ModelUploads(study)
        let entry = try self.store(folder).outbox.append("Contract")
        _ = try await sender(self.store(folder), study: study, uploads: uploads, clock: clock).handOver()
        // Half of a spread of 30 s that doubles up to an hour.
        for expected in [15.0, 30, 60, 120, 240, 480, 960, 1800, 1800] {
            let failed = UploadAnswer(tag: try #require(await uploads.begun.last).tag, response: nil)
            let later = try sender(self.store(folder), study: study, uploads: uploads, clock: clock)
            #expect(try await later.take(failed) == .underWay(entry))
            #expect(await uploads.begun.last?.notBefore?.timeIntervalSince(clock.now) == expected)
        }
        let busy = UploadAnswer(
            tag: try #require(await uploads.begun.last).tag,
            response: .init(status: 503, headers: ["Retry-After": "7200"]))
        #expect(
            try await sender(self.store(folder), study: study, uploads: uploads, clock: clock).take(busy)
                == .underWay(entry))
        #expect(try #require(await uploads.begun.last?.notBefore).timeIntervalSince(clock.now) >= 7_200)
        #expect(clock.waits.isEmpty, "nothing waits in the process")
    }

    @Test func aTokenThatRanOutIsRenewedOnce() async throws {
        let folder = try TemporaryFolder()
        let study = ScriptedStudy { _, number in TransportResponse(status: number < 2 ? 401 : 200) }
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entry = try store.outbox.append("Contract")
        let clock = WaitLog()
        let sender = BackgroundSender(store: store, connection: try study.connection(clock), uploads: uploads)
        _ = try await sender.handOver()
        #expect(try await sender.take(uploads.finish()) == .underWay(entry))
        #expect(await uploads.begun.last?.notBefore == nil)
        #expect(
            await uploads.begun.map { $0.request.headers["Authorization"] } == ["Bearer token-1", "Bearer token-2"])
        #expect(try await sender.take(uploads.finish()) == .underWay(entry))
        #expect(await uploads.begun.last?.notBefore != nil, "a second refusal of a fresh token waits")
        #expect(try await sender.take(uploads.finish()) == .emptied)
    }

    @Test func refusedUploadIsNotUnderWay() async throws {
        let folder = try TemporaryFolder()
        let study = ScriptedStudy()
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entry = try store.outbox.append("Contract")
        let clock = WaitLog()
        let sender = BackgroundSender(store: store, connection: try study.connection(clock), uploads: uploads)
        await study.setTokenAnswer(.init(status: 503))
        #expect(try await sender.handOver() == .held(code: "server-unavailable"))
        await study.setTokenAnswer(.init(status: 401))
        #expect(try await sender.handOver() == .held(code: "token-refused"))
        await study.setTokenAnswer(nil)
        await uploads.refuse()
        #expect(try await sender.handOver() == .held(code: "connection-failed"))
        await uploads.refuse(false)
        #expect(try await sender.handOver() == .underWay(entry))
        #expect(try await sender.take(uploads.finish()) == .emptied && clock.waits.isEmpty)
    }

    @Test func damagedFileIsMovedToTheRefusedOnes() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entries = try ["Contract", "Patient", "Observation"].map { try store.outbox.append($0) }
        try Data("x".utf8).write(to: store.outbox.folder.appendingPathComponent(entries[1].name))
        let sender = try sender(store, study: study, uploads: uploads)
        _ = try await sender.handOver()
        #expect(try await sender.take(uploads.finish()) == .underWay(entries[2]))
        #expect(try store.outbox.refusal(of: entries[1]).code == "entry-unreadable")
    }

    @Test func responsesAreHandledAsTheyArrive() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entries = try (0..<5).map { try store.outbox.append($0 == 0 ? "Contract" : "Observation") }
        let sender = try sender(store, study: study, uploads: uploads)
        let running = Task { try await sender.run() }
        for number in 1...entries.count {
            while await uploads.begun.count < number { await Task.yield() }
            await uploads.deliver(try await uploads.finish())
        }
        await uploads.end()
        try await running.value
        #expect(try store.outbox.entries().isEmpty)
        #expect(await study.arrivals == entries.map(\.submissionID))
    }

    @Test func responsesDuringAnotherSenderAreIgnoredWithoutLoss() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let (store, uploads) = (try store(folder), ModelUploads(study))
        let entry = try store.outbox.append("Contract")
        let sender = try sender(store, study: study, uploads: uploads)
        var lock: FileLock? = try store.outbox.sendingLock()
        #expect(await codeOfAsync { try await sender.handOver() } == "outbox-busy")
        lock = nil
        _ = try await sender.handOver()
        lock = try store.outbox.sendingLock()
        let running = Task { try await sender.run() }
        await uploads.deliver(try await uploads.finish())
        await uploads.end()
        try await running.value
        #expect(lock != nil)
        #expect(try store.outbox.entries() == [entry], "the answer was passed over")
        lock = nil
        #expect(try await sender.handOver() == .underWay(entry))
        #expect(try await sender.take(uploads.finish()) == .emptied)
        #expect(await study.arrivals == [entry.submissionID, entry.submissionID])
    }

    /// For any behaviour of the system with uploads and responses, and any number of restarts of the app: everything
    /// arrives, the Contract first, and first arrivals are in order.
    @Test(arguments: 0..<40)
    func entriesArriveCompletelyAndInOrder(seed: Int) async throws {
        var random = Seeded(UInt64(seed))
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let uploads = ModelUploads(study)
        var sender = try sender(self.store(folder), study: study, uploads: uploads)
        var entries = [try self.store(folder).outbox.append("Contract")]
        var delivered: [UploadAnswer] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: if entries.count < 12 { entries.append(try self.store(folder).outbox.append("Observation")) }
            case 2: sender = try self.sender(self.store(folder), study: study, uploads: uploads)
            case 3: await uploads.lose()
            case 4: if let old = delivered.randomElement(using: &random) { try await sender.take(old) }
            case 5:
                if let upload = await uploads.begun.last {
                    try await sender.take(UploadAnswer(tag: upload.tag, response: nil))
                }
            case 6, 7:
                if await !uploads.begun.isEmpty {
                    let answer = try await uploads.finish()
                    delivered.append(answer)
                    // Sometimes it is delivered later, or never.
                    if Bool.random(using: &random) { try await sender.take(answer) }
                }
            default: try await sender.handOver()
            }
        }
        for _ in 0..<40 {
            await uploads.lose()
            guard case .underWay = try await sender.handOver() else { break }
            try await sender.take(uploads.finish())
        }
        #expect(try self.store(folder).outbox.entries().isEmpty)
        var arrived: [String] = []
        for submissionID in await study.arrivals where !arrived.contains(submissionID) { arrived.append(submissionID) }
        #expect(arrived == entries.map(\.submissionID))
        #expect(try self.store(folder).outbox.sentSubmissions().map(\.entry) == entries)
    }
}
