import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

/// A device's handling of the outcomes that the study reports for its submissions.
@Suite struct LearningTests {
    private let day = 86_400.0

    private func store(_ folder: TemporaryFolder) throws -> DeviceStore {
        try DeviceStore.open(folder.url.appendingPathComponent("device"))
    }

    /// Returns a store whose Contract and data were sent, and whose deliveries were read once.
    private func sent(
        _ count: Int, to study: ModelStudy, in folder: TemporaryFolder, _ clock: WaitLog
    ) async throws -> (DeviceStore, [OutboxEntry]) {
        let store = try store(folder)
        let connection = try study.connection(clock)
        try await connection.refreshDeliveries(in: store)
        var entries = [try store.outbox.append("Contract")]
        for _ in 1..<count { entries.append(try store.outbox.append("Observation")) }
        #expect(try await connection.sendAll(from: store.outbox).sent == count)
        return (store, entries)
    }

    @Test func sentEntriesStayUntilThirtyDaysAfterTheyAreStored() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(5, to: study, in: folder, clock)
        let connection = try study.connection(clock)
        #expect(try store.outbox.entries().isEmpty)
        #expect(try store.outbox.sentSubmissions() == entries.map { SentSubmission(entry: $0) })
        // 1. An entry that is not stored stays for any time.
        clock.wait(400 * day)
        #expect(try await connection.refreshDeliveries(in: store).removed == 0)
        // 2. Stored, refused and held are recorded.
        await study.settle(entries[0...1].map(\.submissionID))
        await study.settle([entries[2].submissionID], as: "refused")
        await study.settle([entries[3].submissionID], as: "held")
        let report = try await connection.refreshDeliveries(in: store)
        #expect(report == DeliveryReport(stored: 2, refused: 1, requeued: 0, removed: 0))
        let now = Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down))
        #expect(
            try store.outbox.sentSubmissions().map(\.fate) == [
                .stored(now), .stored(now), .refused(now), .waiting, .waiting,
            ])
        // 3. Thirty days later the settled entries are removed.
        clock.wait(30 * day - 1)
        #expect(try await connection.refreshDeliveries(in: store).removed == 0)
        clock.wait(1)
        #expect(try await connection.refreshDeliveries(in: store).removed == 3)
        #expect(try store.outbox.sentSubmissions().map(\.entry) == Array(entries[3...]))
    }

    @Test func onlyNewDeliveriesAreRequested() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, _) = try await sent(3, to: study, in: folder, clock)
        let connection = try study.connection(clock)
        try await connection.refreshDeliveries(in: store)
        await study.settleAll()
        try await connection.refreshDeliveries(in: store)
        #expect(await study.cursors == [nil, "1.0", "1.2", "1.3", "1.3", "1.5", "1.6"])
        // Another process continues where this one stopped.
        #expect(try await connection.refreshDeliveries(in: self.store(folder)).stored == 0)
        #expect(await study.cursors.last == "1.6")
    }

    @Test(arguments: [ModelStudy.Manner.agreed, .refusingOldCursors])
    func submissionsLostByARestoredStudyAreSentAgainInOrder(manner: ModelStudy.Manner) async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy(manner))
        let (store, entries) = try await sent(3, to: study, in: folder, clock)
        let connection = try study.connection(clock)
        await study.makeBackup()
        // 1. More is sent, everything is stored, and the study is restored to an earlier state.
        let later = try [store.outbox.append("Patient"), store.outbox.append("Observation")]
        _ = try await connection.synchronize(store)
        await study.settleAll()
        #expect(try await connection.refreshDeliveries(in: store).stored == 5)
        await study.restore()
        // 2. Entries that it does not list go back to the queue, before newer ones; entries that it has are not sent
        // again.
        let newest = try store.outbox.append("Observation")
        let report = try await connection.synchronize(store)
        #expect(report.deliveries == DeliveryReport(stored: 0, refused: 0, requeued: 2, removed: 0))
        #expect(report.sending.sent == 3)
        #expect(await study.arrivals == (entries + later + later + [newest]).map(\.submissionID))
        #expect(try store.outbox.sentSubmissions().map(\.entry) == entries + later + [newest])
        // 3. Entries that it has only received again count as received; another request changes nothing.
        #expect(try store.outbox.sentSubmissions().allSatisfy { $0.fate == .waiting })
        #expect(try await connection.refreshDeliveries(in: store).requeued == 0)
    }

    /// Older before newer, also if the restore happens between the request and the sending, or the request fails.
    @Test(arguments: [false, true])
    func submissionsLostWhileSendingAreSentBeforeNewerOnes(isDeaf: Bool) async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(3, to: study, in: folder, clock)
        _ = try await study.connection(clock).refreshDeliveries(in: store)
        await study.makeBackup()
        let later = try [store.outbox.append("Patient"), store.outbox.append("Observation")]
        _ = try await study.connection(clock).synchronize(store)
        let newest = try [store.outbox.append("Observation"), store.outbox.append("Observation")]
        if isDeaf {
            await study.restore()
            await study.becomeDeaf()
            let report = try await study.connection(clock).synchronize(store)
            #expect(report.sending.sent == 0 && report.sending.remaining == 2 && report.deliveries == nil)
            #expect(report.sending.ending == .held && report.sending.reason == "study-restored")
            await study.becomeDeaf(false)
        } else {
            await study.restoreBeforeNext()
        }
        let report = try await study.connection(clock).synchronize(store)
        #expect(report.deliveries?.requeued == 2)
        #expect(report.sending.sent == 4 && report.sending.ending == .emptied)
        #expect(await study.arrivals == (entries + later + later + newest).map(\.submissionID))
        #expect(try store.outbox.refusedEntries().isEmpty)
    }

    @Test func lostContractIsSentBeforeItsData() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(3, to: study, in: folder, clock)
        await study.restore()
        #expect(try await study.connection(clock).refreshDeliveries(in: store).requeued == 3)
        #expect(try store.outbox.entries() == entries)
        #expect(try store.outbox.consent() == .given)
        // The bytes are the same.
        _ = try await study.connection(clock).sendAll(from: store.outbox)
        #expect(await study.arrivals == (entries + entries).map(\.submissionID))
    }

    @Test func aContractSentAgainDoesNotUndoALaterRefusal() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(2, to: study, in: folder, clock)
        let connection = try study.connection(clock)
        await study.refuse("Contract", with: 422)
        try store.outbox.append("Contract")
        try store.outbox.append("Observation")
        #expect(try await connection.sendAll(from: store.outbox).ending == .stopped)
        await study.refuse("Contract", with: nil)
        await study.restore()
        let report = try await connection.synchronize(store)
        #expect(report.deliveries?.requeued == 2)
        #expect(report.sending.sent == 1 && report.sending.ending == .stopped)
        #expect(await study.arrivals == (entries + entries.prefix(1)).map(\.submissionID))
    }

    @Test func restoreDuringPagingStartsThePagesAgain() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(5, to: study, in: folder, clock)
        let connection = try study.connection(clock)
        await study.restoreWhileListing(1)
        #expect(try await connection.refreshDeliveries(in: store).requeued == 5)
        #expect(try store.outbox.entries() == entries)
        // For a study that is restored again and again the request is repeated later; until then nothing moves.
        _ = try await connection.sendAll(from: store.outbox)
        await study.restoreWhileListing(100)
        await study.makeBackup()
        let result = await codeOfAsync { try await connection.refreshDeliveries(in: store) }
        #expect(result == "server-unavailable")
        #expect(try store.outbox.entries().isEmpty)
    }

    @Test func olderServerWithoutEpochsIsReadByItsCursor() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy(.withoutEpoch))
        let (store, _) = try await sent(3, to: study, in: folder, clock)
        await study.settleAll()
        let report = try await study.connection(clock).refreshDeliveries(in: store)
        #expect(report == DeliveryReport(stored: 3, refused: 0, requeued: 0, removed: 0))
    }

    /// The list of another client does not show what this one's predecessor sent.
    @Test func deviceEnrolledAgainSendsNothingAgain() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(2, to: study, in: folder, clock)
        try await study.connection(clock).refreshDeliveries(in: store)
        await study.forget()
        let connection = StudyConnection(enrolment: try another(), transport: study)
        #expect(try await connection.refreshDeliveries(in: store).requeued == 0)
        #expect(try store.outbox.sentSubmissions().map(\.entry) == entries)
        // It sends its own submissions again.
        let own = try store.outbox.append("Observation")
        _ = try await connection.sendAll(from: store.outbox)
        await study.restore()
        #expect(try await connection.refreshDeliveries(in: store).requeued == 1)
        #expect(try store.outbox.entries() == [own])
    }

    private func another(jwks: String = ScriptedStudy.jwks) throws -> Enrolment {
        try Enrolment(
            baseURL: "https://study.example/s", clientID: "another", clientSecret: "x", antispam: "word", jwks: jwks)
    }

    /// A study restored to a state before the device's enrolment does not know the device, which must enrol again.
    @Test func submissionsLostTogetherWithTheEnrolmentAreSentAgain() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(3, to: study, in: folder, clock)
        await study.settleAll()
        #expect(try await study.connection(clock).refreshDeliveries(in: store).stored == 3)
        await study.restore()
        let connection = StudyConnection(enrolment: try another(), transport: study)
        #expect(try await connection.synchronize(store).sending.sent == 3)
        #expect(await study.arrivals == (entries + entries).map(\.submissionID))
        #expect(try await connection.refreshDeliveries(in: store).requeued == 0)
    }

    /// Submissions of one study are not sent to another.
    @Test func submissionsOfOneStudyAreNotSentToAnother() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(2, to: study, in: folder, clock)
        try await study.connection(clock).refreshDeliveries(in: store)
        await study.restore()
        let keys = String(decoding: PublicKey.jwks([try PrivateKey.generateP256().publicKey]), as: UTF8.self)
        let connection = StudyConnection(enrolment: try another(jwks: keys), transport: study)
        #expect(try await connection.refreshDeliveries(in: store).requeued == 0)
        #expect(try store.outbox.sentSubmissions().map(\.entry) == entries)
    }

    @Test func submissionsLostBeforeTheFirstRequestAreSentAgain() async throws {
        let (folder, study) = (try TemporaryFolder(), ModelStudy())
        let store = try store(folder)
        let entry = try store.outbox.append("Contract")
        _ = try await study.connection().sendAll(from: store.outbox)
        await study.restore()
        #expect(try await study.connection().refreshDeliveries(in: store).requeued == 1)
        #expect(try store.outbox.entries() == [entry])
    }

    @Test func submissionsStoredAgainByARestoredStudyStayThirtyDaysFromThen() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, entries) = try await sent(2, to: study, in: folder, clock)
        let connection = try study.connection(clock)
        // 1. The study has received and not stored them at the time of the backup; the device then reads that they are
        // stored.
        await study.makeBackup()
        await study.settleAll()
        #expect(try await connection.refreshDeliveries(in: store).stored == 2)
        // 2. Much later it is restored from the backup and stores them again.
        clock.wait(39 * day)
        await study.restore()
        await study.settleAll()
        #expect(
            try await connection.refreshDeliveries(in: store)
                == DeliveryReport(stored: 0, refused: 0, requeued: 0, removed: 0))
        #expect(try store.outbox.sentSubmissions().map(\.entry) == entries)
        // 3. A second restore within thirty days finds them.
        clock.wait(30 * day - 1)
        #expect(try await connection.refreshDeliveries(in: store).removed == 0)
        clock.wait(1)
        #expect(try await connection.refreshDeliveries(in: store).removed == 2)
    }

    @Test func aDamagedPositionIsReadAsNone() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, _) = try await sent(2, to: study, in: folder, clock)
        try store.save(Data("{".utf8), named: "deliveries.json")
        await study.settleAll()
        #expect(
            try await study.connection(clock).refreshDeliveries(in: store)
                == DeliveryReport(stored: 2, refused: 0, requeued: 0, removed: 0))
    }

    @Test func aC3PROEnvelopeIsFoundInTheListByTheIDOfItsContent() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let store = try store(folder)
        let sealed = C3PROEnvelope(keyID: "", symmetricKey: "AA==", message: "AA==", version: "1.0.2")
        let connection = try study.connection(clock)
        try await connection.refreshDeliveries(in: store)
        try store.outbox.append(kind: "Contract", submissionID: newSubmissionID()) { _ in sealed.bytes }
        _ = try await connection.synchronize(store)
        await study.settleAll()
        #expect(try await connection.refreshDeliveries(in: store).stored == 1)
        await study.restore()
        #expect(try await connection.synchronize(store).sending.sent == 1)
        #expect(await Set(study.arrivals).count == 1)
    }

    @Test func entriesAreNotRequeuedWhileAnotherProcessSends() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (store, _) = try await sent(2, to: study, in: folder, clock)
        await study.restore()
        let connection = try study.connection(clock)
        do {
            let lock = try store.outbox.sendingLock()
            #expect(await codeOfAsync { try await connection.refreshDeliveries(in: store) } == "outbox-busy")
            withExtendedLifetime(lock) {}
        }
        #expect(try await connection.refreshDeliveries(in: store).requeued == 2)
    }

    @Test func failureToReadDeliveriesDoesNotPreventSending() async throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        try store.outbox.append("Contract")
        // This study has no list of deliveries.
        let report = try await ScriptedStudy().connection().synchronize(store)
        #expect(report.deliveries == nil && report.sending.sent == 1)
    }

    @Test func endlessListIsAnError() async throws {
        struct Endless: Transport {
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                if request.url.path.hasSuffix("/token") {
                    return .init(status: 200, body: Data(#"{"access_token":"t","token_type":"bearer"}"#.utf8))
                }
                let next = String(repeating: "x", count: 2_000)
                return .init(
                    status: 200,
                    body: Data(#"{"deliveries":[{"submission":"a","status":"s","at":""}],"next":"\#(next)"}"#.utf8))
            }
        }
        let folder = try TemporaryFolder()
        let connection = StudyConnection(enrolment: try ScriptedStudy.enrolment(), transport: Endless())
        let store = try store(folder)
        #expect(await codeOfAsync { try await connection.refreshDeliveries(in: store) } == "answer-invalid")
    }

    @Test func allDeliveriesShowEachSubmissionOnceAtItsNewestState() async throws {
        let (folder, clock, study) = (try TemporaryFolder(), WaitLog(), ModelStudy())
        let (_, entries) = try await sent(5, to: study, in: folder, clock)
        await study.settle([entries[1].submissionID])
        let (deliveries, next) = try await study.connection(clock).allDeliveries()
        #expect(deliveries.map(\.submission) == [0, 2, 3, 4, 1].map { entries[$0].submissionID })
        #expect(deliveries.map(\.status) == ["received", "received", "received", "received", "stored"])
        #expect(next == "1.6")
        #expect(try await study.connection(clock).allDeliveries(after: next).deliveries.isEmpty)
    }
}
