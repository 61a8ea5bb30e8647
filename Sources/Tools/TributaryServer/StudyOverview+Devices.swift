import Consumer
import Foundation
import Storage
import Trust

extension StudyOverview {
    /// What of a device is missing, doubtful, or waits.
    public struct Device: Sendable {
        /// The device's enrolment.
        public let id: String
        /// Whom it speaks for.
        public let participant: String?
        /// Numbers that never came. Of what is signed those that the chain shows to be missing; of the rest those between
        /// two that came.
        public var missing: [(from: Int64, to: Int64, since: Date)] = []
        /// Numbers of messages that stand in the place of one.
        public var forks: [[Int64]] = []
        /// How many wait, by what they wait for: `received`, or the code of the reason.
        public var waiting: [String: Int] = [:]
    }

    /// Holes told of a study at a time.
    private static let mostMissing = 10_000

    /// The devices of which something is missing, doubtful or waits, by their ids.
    public static func devices(queue: any SQLDatabase, records: any SQLDatabase) async throws -> [Device] {
        let submissions = SQLSubmissionQueue(database: queue)
        let messages = DeviceMessages()
        let (gaps, forks) = try await records.read { transaction in
            (try messages.gaps(in: transaction), try messages.forks(in: transaction))
        }
        let signing = try await records.read { try messages.devices(in: $0) }
        let bindings = try await AccessControl(database: records, clock: { Date() }).bindings()
        let owners = Dictionary(bindings.map { ($0.device, $0.participant) }, uniquingKeysWith: { first, _ in first })
        var devices: [String: Device] = [:]
        func change(_ id: String, _ body: (inout Device) -> Void) {
            body(&devices[id, default: Device(id: id, participant: owners[id])])
        }
        for gap in gaps {
            // What is in the queue has come, and waits.
            let present = try await submissions.received(lane: gap.device, from: gap.from, to: gap.to)
            for run in runs(from: gap.from, to: gap.to, without: present) {
                change(gap.device) { $0.missing.append((run.lowerBound, run.upperBound, gap.since)) }
            }
        }
        for missing in try await submissions.missing(limit: mostMissing) where !signing.contains(missing.lane) {
            change(missing.lane) { $0.missing.append((missing.from, missing.to, missing.since)) }
        }
        for fork in forks { change(fork.device) { $0.forks.append(fork.sequences) } }
        for waiting in try await submissions.waiting() {
            change(waiting.lane) {
                $0.waiting[waiting.reasonCode ?? waiting.status.rawValue, default: 0] += waiting.count
            }
        }
        return devices.values.sorted { $0.id < $1.id }
    }

    /// The runs of numbers that are left of a range.
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
