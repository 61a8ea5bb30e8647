import AccessPolicy
import Admission
import Audit
import Consumer
import FHIR
import Foundation
import HealthData
import HealthTypes
import RecordStorage
import Storage

/// A participant's data of one type of health data, as the study team sees it.
package struct StudyStream: Sendable, Hashable {
    package enum State: String, Sendable {
        /// The data is as recent as expected, or nothing is expected.
        case current
        /// The data is not as recent as expected.
        case silent
        /// No data was ever received, although some is expected.
        case never
    }

    /// The Patient's id.
    package let participant: String
    /// HealthKit's identifier.
    package let stream: String
    /// The start of the first reading.
    package let first: Date?
    /// The end of the last reading.
    package let last: Date?
    /// The time of the last receipt; nil if there was none.
    package let received: Date?
    /// The number of readings.
    package let count: Int
    package let state: State
    /// A sentence on the likely cause; nil if there is no problem.
    package let hint: String?
}

/// The streams of the participants, with their state. Each query adds an audit row.
package enum StudyStreams {
    /// Returns all streams, by participant and type.
    ///
    /// - Parameters:
    ///   - settings: the study's expectations.
    ///   - silentAfter: the hours after which a stream without its own expectation is silent; nil for never.
    package static func all(
        in records: any SQLDatabase, settings: FollowedHealthData, silentAfter: Int?, actor: Actor,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> [StudyStream] {
        let audit = AuditLog(database: records, clock: clock)
        try await records.write { try audit.require(actor, .listParticipants, of: nil, in: $0) }
        let (participants, streams, reports) = try await records.read { transaction in
            let participants = try ConsentRegister().all(in: transaction).filter { $0.state.gateState == .consented }
                .map(\.subject)
            var reports: [String: PhoneReport] = [:]
            for participant in participants {
                let record = try RecordStore().read(
                    type: "Device", id: PhoneReport.id(of: participant), in: transaction)
                guard let record, !record.isDeleted, let resource = try? Resource(record.content) else { continue }
                reports[participant] = PhoneReport(resource, of: participant)
            }
            return (participants, try RecordStream.all(in: transaction), reports)
        }
        return all(
            streams, of: participants, reports: reports, settings: settings, silentAfter: silentAfter, now: clock())
    }

    /// Returns the streams for data that was read before. Pure.
    static func all(
        _ streams: [RecordStream], of participants: [String], reports: [String: PhoneReport] = [:],
        settings: FollowedHealthData, silentAfter: Int?, now: Date
    ) -> [StudyStream] {
        let known = Dictionary(grouping: streams, by: \.participant)
        // If the study sets a time, data is expected of all types that it names.
        let expected = Set(settings.expectHours.keys).union(silentAfter == nil ? [] : settings.types ?? [])
        return participants.sorted().flatMap { participant in
            let report = reports[participant]
            let own = (known[participant] ?? []).map { stream in
                studyStream(stream, report, within: settings.expectHours[stream.type] ?? silentAfter, now: now)
            }
            let missing = expected.subtracting(own.map(\.stream)).map { type in
                StudyStream(
                    participant: participant, stream: type, first: nil, last: nil, received: nil, count: 0,
                    state: .never,
                    hint: hint(
                        report, type,
                        or:
                            "Nothing was ever received: the app may lack the permission, or no device measures it.",
                        now: now))
            }
            return (own + missing).sorted { $0.stream < $1.stream }
        }
    }

    /// Returns the hint: the phone's own report takes precedence over a guess.
    private static func hint(_ report: PhoneReport?, _ type: String, or guess: String, now: Date) -> String {
        guard let report else { return guess }
        let reportedAt = DateTime(Date(timeIntervalSince1970: Double(report.at)), milliseconds: false).text
        guard now.timeIntervalSince1970 - Double(report.at) < 3 * Double(PhoneReport.interval) else {
            return "The phone last reported at \(reportedAt): it may be off, or the app was removed."
        }
        var found: [String] = []
        if let stream = report.streams.first(where: { $0.type == type }) {
            if stream.waiting > 0 { found.append("\(stream.waiting) samples wait there") }
            if stream.quarantined > 0 { found.append("\(stream.quarantined) are quarantined there") }
            if let last = stream.lastSample {
                let time = DateTime(Date(timeIntervalSince1970: Double(last)), milliseconds: false).text
                found.append("its latest sample is of \(time)")
            } else {
                found.append("it has seen no sample")
            }
        } else {
            found.append("it does not follow this type: the permission to read it may be missing")
        }
        if report.isLowPower { found.append("it saves power") }
        return "The phone reported at \(reportedAt): \(found.joined(separator: ", "))."
    }

    private static func studyStream(
        _ stream: RecordStream, _ report: PhoneReport?, within hours: Int?, now: Date
    ) -> StudyStream {
        var (state, hint): (StudyStream.State, String?) = (.current, nil)
        // A phone with a wrong clock may send times in the future.
        let newest = min(stream.last ?? stream.received, stream.received)
        if let hours, now.timeIntervalSince(newest) > Double(hours) * 3600 {
            state = .silent
            let isSending = now.timeIntervalSince(stream.received) <= Double(hours) * 3600
            let guess =
                isSending
                ? "The phone sends, but nothing new: it may send the same again and again, or only its history."
                : "Nothing has come for \(hours) hours: the app may lack permission, or the phone its connection."
            hint = self.hint(report, stream.type, or: guess, now: now)
        }
        return StudyStream(
            participant: stream.participant, stream: stream.type, first: stream.first, last: stream.last,
            received: stream.received, count: stream.count, state: state, hint: hint)
    }
}
