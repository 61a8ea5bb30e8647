import Consumer
import Enrolments
import Foundation
import Storage
import Submissions

extension StudyOverview {
    /// A device with missing, doubtful or waiting messages.
    package struct Device: Sendable {
        /// The device's enrolment.
        package let id: String
        /// The participant of the device.
        package let participant: String?
        /// The numbers of missing messages. For signed messages, those that the chain of signatures lacks; for others,
        /// gaps between received ones.
        package var missing: [(from: Int64, to: Int64, since: Date)] = []
        /// The numbers of messages that compete for one position.
        package var forks: [[Int64]] = []
        /// The number of waiting submissions by reason: `received`, or the reason code.
        package var waiting: [String: Int] = [:]
    }

    /// Maximum number of gaps that are reported for a study.
    private static let maximumMissing = 10_000

    /// Returns the devices with missing, doubtful or waiting messages, by id.
    package static func devices(queue: any SQLDatabase, records: any SQLDatabase) async throws -> [Device] {
        let submissions = SQLSubmissionQueue(database: queue)
        let messages = DeviceMessages()
        let (gaps, forks) = try await records.read { transaction in
            (try messages.gaps(in: transaction), try messages.forks(in: transaction))
        }
        let signing = try await records.read { try messages.signers(in: $0) }
        let bindings = try await EnrolmentStore(database: records, clock: { Date() }).bindings()
        let owners = Dictionary(bindings.map { ($0.device, $0.participant) }, uniquingKeysWith: { first, _ in first })
        var devices: [String: Device] = [:]
        func change(_ id: String, _ body: (inout Device) -> Void) {
            body(&devices[id, default: Device(id: id, participant: owners[id])])
        }
        for gap in gaps {
            // Messages in the queue are not missing; they wait.
            let present = try await submissions.received(enrolmentID: gap.enrolmentID, from: gap.from, to: gap.to)
            for run in runs(from: gap.from, to: gap.to, without: present) {
                change(gap.enrolmentID) { $0.missing.append((run.lowerBound, run.upperBound, gap.since)) }
            }
        }
        for missing in try await submissions.missing(limit: maximumMissing) where !signing.contains(missing.enrolmentID)
        {
            change(missing.enrolmentID) { $0.missing.append((missing.from, missing.to, missing.since)) }
        }
        for fork in forks { change(fork.enrolmentID) { $0.forks.append(fork.sequences) } }
        for waiting in try await submissions.waiting() {
            change(waiting.enrolmentID) {
                $0.waiting[waiting.reasonCode ?? waiting.status.rawValue, default: 0] += waiting.count
            }
        }
        return devices.values.sorted { $0.id < $1.id }
    }

    /// Returns the ranges of a range's numbers that are not present.
    static func runs(from: Int64, to: Int64, without present: Set<Int64>) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        var start = from
        for number in present.sorted() where (from...to).contains(number) {
            if start < number { runs.append(start...(number - 1)) }
            start = number + 1
        }
        if start <= to { runs.append(start...to) }
        return runs
    }
}
