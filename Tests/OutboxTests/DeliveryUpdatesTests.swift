import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

/// The states of sent submissions that an app sees.
@Suite struct DeliveryUpdatesTests {
    /// Gives a scripted sequence of delivery lists; the last one is repeated.
    private actor Listed: Transport {
        private var answers: [TransportResponse]
        private(set) var questions: [Date] = []
        private(set) var cursors: [String?] = []
        private let clock: WaitLog

        init(_ clock: WaitLog, _ answers: [TransportResponse]) { (self.clock, self.answers) = (clock, answers) }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            if request.url.path.hasSuffix("/oauth/token") {
                return .init(
                    status: 200, body: try JSONEncoder().encode(TokenResponse(accessToken: "t", expiresIn: 86_400)))
            }
            questions.append(clock.now)
            cursors.append(URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems?.first?.value)
            let answer = answers.count > 1 ? answers.removeFirst() : answers[0]
            guard answer.status > 0 else { throw URLError(.notConnectedToInternet) }
            return answer
        }

        nonisolated func connection() throws -> StudyConnection {
            StudyConnection(
                enrolment: try ScriptedStudy.enrolment(), transport: self,
                environment: DeviceEnvironment(
                    now: { [clock] in clock.now }, sleep: { [clock] in clock.wait($0) }, random: { 0.5 }))
        }
    }

    private func page(
        _ rows: [(String, String, String?)] = [], next: String = "n", epoch: Int64 = 1, retryAfter: String? = nil
    ) throws -> TransportResponse {
        let rows = rows.map { DeliveriesPage.Delivery(submission: $0.0, status: $0.1, at: "t", reason: $0.2) }
        return TransportResponse(
            status: 200, headers: retryAfter.map { ["Retry-After": $0] } ?? [:],
            body: try JSONEncoder().encode(DeliveriesPage(deliveries: rows, next: next, epoch: epoch)))
    }

    /// Returns a store with a Contract and four observations, all sent, and one observation in the queue.
    private func store(_ folder: TemporaryFolder) throws -> (DeviceStore, [OutboxEntry]) {
        let store = try DeviceStore.open(folder.url.appendingPathComponent("device"))
        var entries = [try store.outbox.append("Contract")]
        for _ in 0..<4 { entries.append(try store.outbox.append("Observation")) }
        for entry in entries { try store.outbox.moveToSent(entry) }
        entries.append(try store.outbox.append("Observation"))
        return (store, entries)
    }

    @Test func submissionsComeWithTheirStateOldestFirst() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        let study = Listed(
            clock,
            [
                try page([
                    (entries[0].submissionID, "stored", nil),
                    (entries[2].submissionID.uppercased(), "refused", "id-missing"),
                ]),
                try page(
                    [
                        (entries[1].submissionID, "held", "consent-missing"),
                        (entries[3].submissionID, "received", nil),
                        ("x", "stored", nil),
                    ],
                    next: "m"),
                try page(next: "m"),
            ])
        var found: [SubmissionDelivery] = []
        for try await delivery in try study.connection().deliveries(of: store, until: .listed) {
            found.append(delivery)
        }
        #expect(found.map(\.entry) == entries)
        #expect(
            found.map(\.state) == [
                .stored, .held(code: "consent-missing"), .refused(code: "id-missing"), .waiting, .waiting, .waiting,
            ])
        #expect(found.map(\.isSettled) == [true, false, true, false, false, false])
        #expect(await study.cursors == [nil, "n", "m"])
        #expect(clock.waits.isEmpty)
    }

    @Test func onlyChangedSubmissionsComeAgainUntilAllAreSettled() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        let none = try page()
        let study = Listed(
            clock,
            [
                try page(entries[0...3].map { ($0.submissionID, "stored", nil) }), none, none,
                try page([(entries[4].submissionID, "held", "consent-missing")]),
                try page([(entries[4].submissionID, "stored", nil), (entries[5].submissionID, "a later word", nil)]),
                try page([(entries[5].submissionID, "refused", "too-late")]),
            ])
        var later: [SubmissionDelivery.State] = []
        for try await delivery in try study.connection().deliveries(of: store, every: 10) {
            if delivery.entry.sequence > 4 { later.append(delivery.state) }
            if delivery.state == .stored, delivery.entry == entries[4] { try store.outbox.moveToSent(entries[5]) }
        }
        #expect(later == [.waiting, .waiting, .held(code: "consent-missing"), .stored, .refused(code: "too-late")])
        #expect(clock.waits.allSatisfy { $0 == 10 } && clock.waits.count == 4)
    }

    @Test func entriesRefusedOrRequeuedByTheDeviceAreReported() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        try store.outbox.moveToRefused(entries[5], because: Refusal(status: 422, code: "id-missing", at: clock.now))
        let study = Listed(clock, [try page(entries[0...4].map { ($0.submissionID, "stored", nil) }), try page()])
        var updates = try study.connection().deliveries(of: store, until: .never).makeAsyncIterator()
        // The device has this outcome on record.
        #expect(try await updates.next() == SubmissionDelivery(entry: entries[5], state: .refused(code: "id-missing")))
        for _ in 0..<5 { #expect(try await updates.next()?.state == .stored) }
        try store.outbox.retryRefused()
        #expect(try await updates.next() == SubmissionDelivery(entry: entries[5], state: .waiting))
    }

    @Test(arguments: [DeliveryUpdates.Ending.settled, .never])
    func recordedOutcomesAreReportedBeforeAnyRequest(ending: DeliveryUpdates.Ending) async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        _ = try store.outbox.record(
            [entries[0].submissionID: "stored", entries[2].submissionID: "stored", entries[3].submissionID: "refused"],
            retention: SentRetention(), now: clock.now)
        // No network at all.
        let study = Listed(clock, [TransportResponse(status: 0)])
        var updates = try study.connection().deliveries(of: store, until: ending).batches.makeAsyncIterator()
        let known = try #require(try await updates.next())
        #expect(known.map(\.entry) == [entries[0], entries[2], entries[3]])
        #expect(known.map(\.state) == [.stored, .stored, .refused(code: "refused")])
        #expect(await study.questions.isEmpty && clock.waits.isEmpty)
        // The others after the first request, although it failed; none twice.
        #expect(try await updates.next()?.map(\.entry) == [entries[1], entries[4], entries[5]])
        #expect(await study.questions.count == 1)
    }

    @Test func batchHasEveryChangeOfOneAnswerAndNoMoreThanItsLimit() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        var lists = try Listed(clock, [try page()]).connection().deliveries(of: store, until: .listed).batches
        #expect(lists.limit == 1_000)
        lists.limit = 4
        var batches: [[SubmissionDelivery]] = []
        for try await batch in lists { batches.append(batch) }
        #expect(batches.map(\.count) == [4, 2])
        #expect(batches.flatMap { $0 }.map(\.entry) == entries)
        #expect(clock.waits.isEmpty)
    }

    @Test func restoredStudyIsReadFromTheBeginning() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        let study = Listed(
            clock,
            [
                try page(entries.map { ($0.submissionID, "stored", nil) }), try page(),
                try page(next: "n2", epoch: 2),
                try page([(entries[0].submissionID, "stored", nil)], next: "n2", epoch: 2),
                try page(next: "n2", epoch: 2),
            ])
        for entry in entries[5...] { try store.outbox.moveToSent(entry) }
        var updates = try study.connection().deliveries(of: store, until: .never).makeAsyncIterator()
        for _ in entries { #expect(try await updates.next()?.state == .stored) }
        for entry in entries[1...] {
            #expect(try await updates.next() == SubmissionDelivery(entry: entry, state: .waiting))
        }
        #expect(await study.cursors == [nil, "n", "n", nil, "n2"])
    }

    /// A response or a refusal of the study sets the wait; no request is made earlier.
    @Test(arguments: [(200, "120", 120.0), (503, "90", 90), (429, "7000", 7_000), (200, "5", 60), (503, "1", 60)])
    func nextRequestWaitsForTheRetryAfterOfTheStudy(status: Int, retryAfter: String, wait: Double) async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        var first = try page(retryAfter: retryAfter)
        first.status = status
        if status == 200 { first.body = try page(next: "n").body }
        let answers = [first, try page(entries.map { ($0.submissionID, "stored", nil) }), try page()]
        let study = Listed(clock, answers)
        for entry in entries[5...] { try store.outbox.moveToSent(entry) }
        var states: [SubmissionDelivery.State] = []
        for try await delivery in try study.connection().deliveries(of: store) { states.append(delivery.state) }
        #expect(states.suffix(6).allSatisfy { $0 == .stored } && states.count == 12)
        #expect(clock.waits == [wait])
    }

    @Test func waitForAnUnreachableStudyDoublesUpToAnHour() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        let broken = TransportResponse(status: 0)
        let study = Listed(
            clock,
            [TransportResponse](repeating: broken, count: 9) + [
                try page([(entries[0].submissionID, "stored", nil)]), try page(),
            ])
        var updates = try study.connection().deliveries(of: store, until: .listed).makeAsyncIterator()
        for _ in entries { #expect(try await updates.next()?.state == .waiting) }
        #expect(try await updates.next() == SubmissionDelivery(entry: entries[0], state: .stored))
        #expect(try await updates.next() == nil)
        #expect(clock.waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
    }

    @Test(arguments: [(401, "request-refused"), (403, "request-refused")])
    func permanentErrorEndsTheSequenceWithItsReason(status: Int, expected: String) async throws {
        let folder = try TemporaryFolder()
        let study = Listed(WaitLog(), [TransportResponse(status: status)])
        var updates = try study.connection().deliveries(of: store(folder).0).makeAsyncIterator()
        let found = await codeOfAsync { _ = try await updates.next() }
        #expect(found == expected)
        #expect(try await updates.next() == nil)
    }

    @Test func aCancelledTaskEndsTheSequence() async throws {
        let folder = try TemporaryFolder()
        let (store, entries) = try store(folder)
        let study = Listed(WaitLog(), [try page()])
        // With the real clock: the wait is cancelled.
        let connection = StudyConnection(enrolment: try ScriptedStudy.enrolment(), transport: study)
        let (shown, continuation) = AsyncStream.makeStream(of: Int64.self)
        let task = Task {
            for try await delivery in connection.deliveries(of: store, until: .never) {
                continuation.yield(delivery.entry.sequence)
            }
        }
        var count = 0
        for await _ in shown {
            count += 1
            if count == entries.count { break }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await study.questions.count == 1)
    }

    @Test func entriesOfALongListThatTheDeviceDoesNotKeepAreDropped() async throws {
        let (folder, clock) = (try TemporaryFolder(), WaitLog())
        let (store, entries) = try store(folder)
        var answers: [TransportResponse] = []
        for number in 0..<30 {
            let others = (0..<1_000).map { ("\(number)-\($0)", "stored", String?.none) }
            answers.append(try page(others + [(entries[number % 5].submissionID, "stored", nil)], next: "\(number)"))
        }
        answers.append(try page(next: "29"))
        var found: [SubmissionDelivery.State] = []
        for try await delivery in try Listed(clock, answers).connection().deliveries(of: store, until: .listed) {
            found.append(delivery.state)
        }
        #expect(found == [.stored, .stored, .stored, .stored, .stored, .waiting])
    }
}
