import Foundation
import HealthTypes
import Testing

@testable import RecordStorage
@testable import StudyOperations
@testable import TributaryServer

/// Streams that the study team sees as silent.
@Suite struct StudyStreamsTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private static func stream(
        _ participant: String, _ type: String, last hoursAgo: Double, received: Double? = nil
    ) -> RecordStream {
        RecordStream(
            participant: participant, type: type, first: now.addingTimeInterval(-1_000_000),
            last: now.addingTimeInterval(-hoursAgo * 3600),
            received: now.addingTimeInterval(-(received ?? hoursAgo) * 3600), count: 3)
    }

    private static func states(
        _ streams: [RecordStream], of participants: [String] = ["p"], expect: [String: Int] = [:],
        types: [String]? = nil, silentAfter: Int? = nil
    ) -> [String: StudyStream.State] {
        let settings = FollowedHealthData(types: types, expectHours: expect)
        let all = StudyStreams.all(
            streams, of: participants, settings: settings, silentAfter: silentAfter, now: now)
        return Dictionary(uniqueKeysWithValues: all.map { ("\($0.participant) \($0.stream)", $0.state) })
    }

    @Test func streamsWithoutAnExpectationAreNotSilent() {
        #expect(Self.states([Self.stream("p", "A", last: 10_000)]) == ["p A": .current])
    }

    @Test func hoursOfATypeOverrideTheDefault() {
        let streams = [
            Self.stream("p", "A", last: 30), Self.stream("p", "B", last: 30), Self.stream("p", "C", last: 3),
        ]
        #expect(
            Self.states(streams, expect: ["A": 48], silentAfter: 24)
                == ["p A": .current, "p B": .silent, "p C": .current])
    }

    @Test func expectedStreamWithoutDataIsReported() {
        let found = Self.states(
            [Self.stream("p", "A", last: 1)], of: ["p", "q"], expect: ["A": 24], types: ["A", "B"])
        #expect(found == ["p A": .current, "q A": .never])
        let asked = Self.states([], expect: [:], types: ["A", "B"], silentAfter: 24)
        #expect(asked == ["p A": .never, "p B": .never])
    }

    /// The phone sends an old batch repeatedly, which is acknowledged.
    @Test func phoneWithoutNewDataIsSilentDespiteItsSubmissions() {
        let streams = [Self.stream("p", "A", last: 100, received: 1)]
        let all = StudyStreams.all(
            streams, of: ["p"], settings: FollowedHealthData(), silentAfter: 24, now: Self.now)
        #expect(all.first?.state == .silent && all.first?.hint?.contains("nothing new") == true)
    }

    @Test func dateInTheFarFutureDoesNotHideSilence() {
        #expect(
            Self.states([Self.stream("p", "A", last: -1_000_000, received: 100)], silentAfter: 24) == ["p A": .silent])
    }

    @Test func formerParticipantIsNotShown() {
        #expect(Self.states([Self.stream("gone", "A", last: 100)], silentAfter: 24).isEmpty)
    }
}
