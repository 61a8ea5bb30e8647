import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite struct SentSubmissionTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let day = 86_400.0

    private func entry(_ sequence: Int64) -> OutboxEntry {
        OutboxEntry(sequence: sequence, kind: "Observation", submissionID: newSubmissionID())
    }

    @Test func nameContainsTheOutcomeAndItsTime() {
        let entry = entry(12)
        for fate in [SentSubmission.Fate.waiting, .stored(Self.now), .refused(Self.now)] {
            let submission = SentSubmission(entry: entry, fate: fate)
            #expect(SentSubmission(name: submission.name) == submission)
        }
        #expect(SentSubmission(entry: entry, fate: .stored(Self.now)).name == entry.name + ".stored-1800000000")
        // A queue does not accept it as one of its entries.
        #expect(OutboxEntry(name: entry.name + ".stored-1800000000") == nil)
    }

    @Test func anyTimeCanBeWrittenInAFileName() {
        for seconds in [-1e300, -1, 0, 1e300, .infinity, -.infinity, .nan] {
            let submission = SentSubmission(entry: entry(1), fate: .stored(Date(timeIntervalSince1970: seconds)))
            #expect(SentSubmission(name: submission.name) != nil)
        }
    }

    @Test(arguments: [
        "stored", "stored-", "stored--1", "stored-1-2", "stored-x", "stored-1234567890123", "stored-007", "stored-+7",
        "held-1", "",
    ])
    func otherNamesAreNotSentSubmissions(suffix: String) {
        #expect(SentSubmission(name: entry(1).name + "." + suffix) == nil)
    }

    @Test func firstReportOfAnOutcomeCountsAndAnotherOutcomeReplacesIt() {
        let submission = SentSubmission(entry: entry(1))
        let stored = submission.withStatus("stored", at: Self.now)
        let later = Self.now.addingTimeInterval(5)
        #expect(stored.fate == .stored(Self.now))
        #expect(stored.withStatus("stored", at: later) == stored)
        #expect(stored.withStatus("received", at: later) == submission)
        #expect(stored.withStatus("a-later-servers-word", at: later) == submission)
        #expect(submission.withStatus("refused", at: Self.now).withStatus("stored", at: later).fate == .stored(later))
    }

    @Test func settledSubmissionsExpireAfterThirtyDaysAndOthersStay() {
        let old = Self.now.addingTimeInterval(-30 * Self.day)
        let young = old.addingTimeInterval(1)
        let sent = [
            SentSubmission(entry: entry(1)), .init(entry: entry(2), fate: .stored(old)),
            .init(entry: entry(3), fate: .refused(old)), .init(entry: entry(4), fate: .stored(young)),
            .init(entry: entry(5), fate: .refused(young)),
            .init(entry: entry(6), fate: .stored(Self.now.addingTimeInterval(9_000))),
        ]
        let expired = SentRetention().expired(of: sent.map { ($0, 1) }, now: Self.now)
        #expect(expired.map(\.entry.sequence) == [2, 3])
    }

    @Test func retentionLimitsRemoveOnlyStoredEntriesOldestFirst() {
        let sent: [SentSubmission] = [
            .init(entry: entry(1)), .init(entry: entry(2), fate: .stored(Self.now.addingTimeInterval(-1))),
            .init(entry: entry(3), fate: .stored(Self.now.addingTimeInterval(-2))),
            .init(entry: entry(4), fate: .refused(Self.now.addingTimeInterval(-9))),
            .init(entry: entry(5), fate: .stored(Self.now.addingTimeInterval(-1))),
        ]
        func expired(_ retention: SentRetention) -> [Int64] {
            retention.expired(of: sent.map { ($0, 10) }, now: Self.now).map(\.entry.sequence)
        }
        #expect(expired(SentRetention(maximumFiles: 5)) == [])
        #expect(expired(SentRetention(maximumFiles: 4)) == [3])
        #expect(expired(SentRetention(maximumBytes: 50)) == [])
        #expect(expired(SentRetention(maximumBytes: 39)) == [3, 2])
        #expect(expired(SentRetention(maximumBytes: 0, maximumFiles: 0)) == [3, 2, 5])
    }

    /// Random files, limits and clocks: a removed entry is settled, and was kept for its time or had to make room.
    @Test func randomRetentionsKeepTheRules() {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for _ in 0..<300 {
            let sent = (Int64(1)...20).map { number -> (submission: SentSubmission, bytes: Int64) in
                let time = Self.now.addingTimeInterval(Double.random(in: -60 * Self.day...Self.day, using: &generator))
                let fates: [SentSubmission.Fate] = [.waiting, .stored(time), .refused(time)]
                return (
                    SentSubmission(entry: entry(number), fate: fates.randomElement(using: &generator) ?? .waiting),
                    Int64.random(in: 0...100, using: &generator)
                )
            }
            let retention = SentRetention(
                maximumBytes: Int64.random(in: 0...1_500, using: &generator),
                maximumFiles: Int.random(in: 0...25, using: &generator))
            let expired = Set(retention.expired(of: sent, now: Self.now))
            let rest = sent.filter { !expired.contains($0.submission) }
            for submission in expired { #expect(submission.settledAt != nil, "seed \(seed)") }
            let isWithin =
                rest.count <= retention.maximumFiles && rest.reduce(0) { $0 + $1.bytes } <= retention.maximumBytes
            #expect(isWithin || !rest.contains { $0.submission.isStored }, "seed \(seed)")
            for submission in rest.compactMap(\.submission.settledAt) {
                #expect(Self.now.timeIntervalSince(submission) < retention.period, "seed \(seed)")
            }
        }
    }
}
