import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite struct OutboxSenderTests {
    private let contract = OutboxEntry(sequence: 1, kind: "Contract", submissionID: newSubmissionID())
    private let first = OutboxEntry(sequence: 2, kind: "Observation", submissionID: newSubmissionID())
    private let second = OutboxEntry(sequence: 3, kind: "Observation", submissionID: newSubmissionID())

    /// Returns a sender that is posting the first entry.
    private func posting(_ entry: OutboxEntry, attempts: Int = 3) -> OutboxSender {
        var sender = OutboxSender(patience: .init(attempts: attempts, firstDelay: 1, longestDelay: 5))
        #expect(sender.handle(.queue([second, entry], .given)) == .read(entry))
        #expect(sender.handle(.fileRead) == .obtainToken(renewing: false))
        #expect(sender.handle(.tokenObtained) == .post(entry))
        return sender
    }

    private func answer(
        _ status: Int, _ mark: SubmissionAnswer.Mark = .none, retryAfter: Double? = nil
    ) -> OutboxSender.Event {
        .answered(SubmissionAnswer(status: status, mark: mark, retryAfter: retryAfter))
    }

    @Test(arguments: [200, 201]) func acknowledgedEntryIsMovedToTheSentOnes(status: Int) {
        var sender = posting(first)
        #expect(sender.handle(answer(status, .acknowledged)) == .moveToSent(first))
        #expect(sender.sent == 1)
        #expect(sender.handle(.queue([], .given)) == .finish(.emptied))
    }

    @Test(arguments: [400, 402, 409, 410, 411, 413, 414, 415, 422, 451, 499])
    func refusalByTheStudyMovesTheEntryAndTheNextIsSent(status: Int) {
        var sender = posting(first)
        #expect(
            sender.handle(answer(status, .problem(code: "some-code")))
                == .moveToRefused(first, status: status, code: "some-code"))
        #expect(sender.handle(.queue([second], .given)) == .read(second))
        #expect(sender.refused == 1)
    }

    @Test(arguments: [403, 404, 405, 407, 421, 423, 426, 431])
    func problemOfTheClientOrTheConnectionHoldsTheQueue(status: Int) {
        var sender = posting(first, attempts: 1)
        #expect(
            sender.handle(answer(status, .problem(code: "some-code"))) == .finish(.held(code: "some-code")))
        #expect(sender.refused == 0)
    }

    /// A proxy's 404, a firewall's 403, a redirect, a maintenance page with status 200.
    @Test(arguments: Array(100..<500).filter { ![401, 408, 425, 429].contains($0) } + [600, 0, -1, .max, .min])
    func statusWithoutAMarkDoesNotSettle(status: Int) {
        var sender = posting(first)
        #expect(sender.handle(answer(status, retryAfter: 7)) == .wait(atLeast: 7, spread: 1))
        #expect(sender.lastCode == "answer-unmarked")
        #expect(sender.handle(.queue([first, second], .given)) == .read(first))
    }

    /// An acknowledgement with a status of refusal, or a problem with one of success, is ignored.
    @Test(arguments: [202, 204, 299, 302, 400, 409]) func markThatContradictsItsStatusDoesNotSettle(status: Int) {
        let mark: SubmissionAnswer.Mark = status < 300 ? .problem(code: "x") : .acknowledged
        for mark in status < 300 ? [mark, .acknowledged] : [mark] {
            var sender = posting(first)
            #expect(sender.handle(answer(status, mark)) == .wait(atLeast: 0, spread: 1))
            #expect(sender.lastCode == "answer-unmarked")
        }
        for status in [200, 201] {
            var sender = posting(first)
            #expect(sender.handle(answer(status, .problem(code: "x"))) == .wait(atLeast: 0, spread: 1))
        }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 507, 599])
    func temporaryErrorKeepsTheEntryInTheQueue(status: Int) {
        for mark in [SubmissionAnswer.Mark.none, .acknowledged, .problem(code: "rate-limited")] {
            var sender = posting(first)
            #expect(sender.handle(answer(status, mark, retryAfter: 7)) == .wait(atLeast: 7, spread: 1))
            #expect(sender.lastCode == "server-unavailable")
            #expect(sender.handle(.queue([first, second], .given)) == .read(first))
        }
    }

    @Test(arguments: [
        (Double.infinity, 86_400.0), (9_223_372_036_854_775_808, 86_400), (-5, 0), (-.infinity, 0), (.nan, 0),
    ])
    func requestedWaitIsLimitedToADay(retryAfter: Double, waited: Double) {
        var sender = posting(first)
        #expect(sender.handle(answer(503, retryAfter: retryAfter)) == .wait(atLeast: waited, spread: 1))
    }

    @Test func maximumWaitDoublesUpToItsLimitUntilTheLastAttempt() {
        var sender = posting(first, attempts: 6)
        for spread in [1.0, 2, 4, 5, 5] {
            #expect(sender.handle(.networkFailed) == .wait(atLeast: 0, spread: spread))
            #expect(sender.handle(.queue([first, second], .given)) == .read(first))
            #expect(sender.handle(.fileRead) == .obtainToken(renewing: false))
            #expect(sender.handle(.tokenObtained) == .post(first))
        }
        #expect(sender.handle(.networkFailed) == .finish(.held(code: "connection-failed")))
        #expect(sender.handle(.queue([first], .given)) == nil)
    }

    @Test func anOldTokenIsRenewedOnceAnAttempt() {
        var sender = posting(first)
        let unauthorised = answer(401, .problem(code: "token-invalid"))
        #expect(sender.handle(unauthorised) == .obtainToken(renewing: true))
        #expect(sender.handle(.tokenObtained) == .post(first))
        #expect(sender.handle(unauthorised) == .wait(atLeast: 0, spread: 1))
        #expect(sender.lastCode == "token-refused")
        #expect(sender.handle(.queue([first], .given)) == .read(first))
        #expect(sender.handle(.fileRead) == .obtainToken(renewing: false))
        #expect(sender.handle(.tokenObtained) == .post(first))
        #expect(sender.handle(unauthorised) == .obtainToken(renewing: true))
        #expect(sender.handle(.tokenRefused) == .finish(.held(code: "token-refused")))
    }

    @Test func onlyANewContractFollowsARefusedOne() {
        #expect(OutboxSender.next(of: [first, second], .refused) == nil)
        let renewed = OutboxEntry(sequence: 9, kind: "Contract", submissionID: newSubmissionID())
        #expect(OutboxSender.next(of: [first, second, renewed], .refused) == renewed)
        #expect(OutboxSender.next(of: [first, second, renewed], .given) == first)
        #expect(OutboxSender.next(of: [first], .none) == nil)
        var sender = OutboxSender()
        #expect(sender.handle(.queue([first], .refused)) == .finish(.stopped))
    }

    @Test func unreadableFileIsMovedWithoutARequest() {
        var sender = OutboxSender()
        #expect(sender.handle(.queue([contract, first], .given)) == .read(contract))
        #expect(
            sender.handle(.fileUnreadable) == .moveToRefused(contract, status: nil, code: "entry-unreadable"))
        #expect(sender.handle(.queue([first], .refused)) == .finish(.stopped))
    }

    /// A random server, disk and user: the rules hold for any sequence of events.
    @Test func senderKeepsItsRulesForRandomEvents() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for round in 0..<500 {
            var world = SendingWorld(generator: Seeded(generator.next()))
            if let broken = world.run() { Issue.record("seed \(seed), round \(round): \(broken)") }
        }
    }

    /// Events that do not belong to the current state change nothing and yield nothing.
    @Test func unexpectedEventsAreIgnored() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let events: [OutboxSender.Event] = [
            .queue([contract, first], .given), .fileRead, .fileUnreadable, .fileMissing, .tokenObtained, .tokenRefused,
            .tokenFailed(retryAfter: 1), answer(200, .acknowledged), answer(401), answer(503),
            answer(200), answer(422, .problem(code: "x")), .networkFailed, .timeOver,
        ]
        for _ in 0..<300 {
            var sender = OutboxSender()
            for _ in 0..<30 {
                guard let event = events.randomElement(using: &generator) else { continue }
                let before = sender
                if sender.handle(event) == nil { #expect(sender == before, "seed \(seed)") }
            }
        }
    }
}

/// A model of the sender's environment.
private struct SendingWorld {
    var generator: Seeded
    var queue: [OutboxEntry] = []
    var consent = OutboxConsentState.none
    var contractAccepted = false
    var nextSequence: Int64 = 1
    var renewals = 0
    var failuresInARow = 0
    var posted: OutboxEntry?
    /// The actual meaning of the last response.
    var acknowledged = false
    var refused = false

    mutating func append(_ kind: String) {
        guard kind == "Contract" || consent != .none else { return }
        queue.append(OutboxEntry(sequence: nextSequence, kind: kind, submissionID: newSubmissionID()))
        nextSequence += 1
        if consent == .none { consent = .given }
    }

    /// Runs to the end and returns the broken rule, if any.
    mutating func run() -> String? {
        append("Contract")
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            append(Bool.random(using: &generator) ? "Observation" : "Patient")
        }
        var sender = OutboxSender(patience: .init(attempts: 4))
        var effect: OutboxSender.Effect? = .list
        for _ in 0..<1_000 {
            guard let current = effect else { return "the sender fell silent" }
            var event: OutboxSender.Event?
            switch current {
            case .list: break
            case .read:
                event = [.fileRead, .fileRead, .fileRead, .fileRead, .fileUnreadable].randomElement(using: &generator)
            case .obtainToken(let renewing):
                renewals = renewing ? renewals + 1 : 0
                if renewals > 1 { return "a token was renewed twice in one attempt" }
                event = [.tokenObtained, .tokenObtained, .tokenObtained, .tokenFailed(retryAfter: nil), .networkFailed]
                    .randomElement(using: &generator)
            case .post(let entry):
                if let broken = checkPost(entry) { return broken }
                posted = entry
                event = answer()
            case .moveToSent(let entry):
                guard entry == posted, acknowledged else { return "a file went that the study does not have" }
                queue.removeAll { $0 == entry }
                if entry.isContract { (consent, contractAccepted) = (.given, true) }
                failuresInARow = 0
            case .moveToRefused(let entry, let status, _):
                guard status == nil || refused else { return "a file went aside that the study did not refuse" }
                queue.removeAll { $0 == entry }
                if entry.isContract { consent = .refused }
                failuresInARow = 0
            case .wait(let atLeast, let spread):
                failuresInARow += 1
                if failuresInARow >= 4 { return "patience did not end" }
                guard atLeast >= 0, spread > 0, spread <= 300 else { return "a wait out of bounds" }
                // Meanwhile the person queues something.
                if Bool.random(using: &generator) {
                    append(Int.random(in: 0..<4, using: &generator) == 0 ? "Contract" : "Patient")
                }
            case .finish(let outcome): return checkEnd(outcome)
            }
            effect = sender.handle(event ?? .queue(queue.shuffled(using: &generator), consent))
        }
        return "the sender did not end"
    }

    private mutating func answer() -> OutboxSender.Event {
        let statuses = [200, 200, 200, 201, 204, 302, 400, 401, 403, 404, 409, 408, 425, 429, 500, 503]
        (acknowledged, refused) = (false, false)
        guard Int.random(in: 0..<6, using: &generator) > 0, let status = statuses.randomElement(using: &generator)
        else {
            return .networkFailed
        }
        let marks: [SubmissionAnswer.Mark] = [.none, .acknowledged, .acknowledged, .problem(code: "x")]
        let mark = marks.randomElement(using: &generator) ?? .none
        acknowledged = status < 202 && mark == .acknowledged
        refused = [400, 409].contains(status) && mark == .problem(code: "x")
        return .answered(
            SubmissionAnswer(status: status, mark: mark, retryAfter: Bool.random(using: &generator) ? 3 : nil))
    }

    private func checkPost(_ entry: OutboxEntry) -> String? {
        guard queue.contains(entry) else { return "something was posted that is not queued" }
        if consent == .refused { return entry.isContract ? nil : "data were posted after a refused Contract" }
        if entry != queue.min() { return "the order was broken" }
        if !contractAccepted, !entry.isContract { return "data were posted before the Contract was accepted" }
        return nil
    }

    private func checkEnd(_ outcome: OutboxSender.Outcome) -> String? {
        switch outcome {
        case .emptied: queue.isEmpty ? nil : "it ended with files that could go"
        case .stopped: consent == .refused && !queue.contains(where: \.isContract) ? nil : "it stopped without reason"
        case .held: queue.isEmpty ? "it held an empty queue" : nil
        }
    }
}
