import Consumer
import Foundation
import HealthTypes
import Records
import Storage
import Trust

/// What a participant's phone sends of one type of health data, as the study team sees it.
public struct StudyStream: Sendable, Hashable {
    public enum State: String, Sendable {
        /// Something of it is as new as it should be, or nothing is expected.
        case current
        /// Nothing of it is as new as it should be.
        case silent
        /// Nothing of it ever came, though something is expected.
        case never
    }

    /// The Patient's id.
    public let participant: String
    /// HealthKit's identifier.
    public let stream: String
    /// When the first one that came begins.
    public let first: Date?
    /// When the last one that came ends.
    public let last: Date?
    /// When the last one came; nil where none did.
    public let received: Date?
    /// How many there are.
    public let count: Int
    public let state: State
    /// What to look at, for people; nil where there is nothing.
    public let hint: String?
}

/// The streams of those who take part, and which of them tell nothing. Each look is a row of the audit.
public enum StudyStreams {
    /// All streams, by participants and types.
    ///
    /// - Parameters:
    ///   - settings: what the study expects.
    ///   - silentAfter: the hours after which a stream of which the study expects nothing of its own is silent; nil for never.
    public static func all(
        in records: any SQLDatabase, settings: FollowedHealthData, silentAfter: Int?, actor: Actor,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> [StudyStream] {
        let access = AccessControl(database: records, clock: clock)
        try await records.write { try access.require(actor, .listParticipants, of: nil, in: $0) }
        let (participants, streams) = try await records.read { transaction in
            (
                try ConsentRegister().all(in: transaction).filter { $0.state.standing == .consented }.map(\.subject),
                try RecordStream.all(in: transaction)
            )
        }
        return all(
            streams, of: participants, settings: settings, silentAfter: silentAfter, now: clock())
    }

    /// The same of what was read. Pure.
    static func all(
        _ streams: [RecordStream], of participants: [String], settings: FollowedHealthData, silentAfter: Int?, now: Date
    ) -> [StudyStream] {
        let known = Dictionary(grouping: streams, by: \.participant)
        // Of all types that the study names something is expected as soon as it says after how long.
        let expected = Set(settings.expectHours.keys).union(silentAfter == nil ? [] : settings.types ?? [])
        return participants.sorted().flatMap { participant in
            let own = (known[participant] ?? []).map { stream in
                told(stream, within: settings.expectHours[stream.type] ?? silentAfter, now: now)
            }
            let missing = expected.subtracting(own.map(\.stream)).map { type in
                StudyStream(
                    participant: participant, stream: type, first: nil, last: nil, received: nil, count: 0,
                    state: .never,
                    hint:
                        "Nothing of it ever came: the app may lack the permission to read it, or no device measures it."
                )
            }
            return (own + missing).sorted { $0.stream < $1.stream }
        }
    }

    private static func told(_ stream: RecordStream, within hours: Int?, now: Date) -> StudyStream {
        var (state, hint): (StudyStream.State, String?) = (.current, nil)
        // A phone whose clock is wrong may date something far ahead.
        let newest = min(stream.last ?? stream.received, stream.received)
        if let hours, now.timeIntervalSince(newest) > Double(hours) * 3600 {
            state = .silent
            let isSending = now.timeIntervalSince(stream.received) <= Double(hours) * 3600
            hint =
                isSending
                ? "The phone sends, but nothing new: it may send the same again and again, or only its history."
                : "Nothing has come for longer than \(hours) hours: the app may have lost its permission, or the phone its way."
        }
        return StudyStream(
            participant: stream.participant, stream: stream.type, first: stream.first, last: stream.last,
            received: stream.received, count: stream.count, state: state, hint: hint)
    }
}
