import Foundation
import HealthData

extension HealthSyncStatus {
    /// Returns the phone's report to its study about the streams to one store, for the app to queue once a day
    /// (``HealthData/PhoneReport/interval``).
    ///
    /// - Parameters:
    ///   - participant: the id of the participant's Patient.
    ///   - store: the name of the store that sends to the study.
    ///   - isLowPower: whether the phone is in Low Power Mode.
    public func report(
        of participant: String, store: String, isLowPower: Bool, now: Date
    ) -> PhoneReport {
        PhoneReport(
            participant: participant, at: Int64(now.timeIntervalSince1970.rounded(.down)), isLowPower: isLowPower,
            streams: rows.filter { $0.stream.store == store }.map { row in
                PhoneReport.Stream(
                    type: row.stream.type, lastSample: row.lastSample.flatMap { Int64(exactly: $0.rounded(.down)) },
                    waiting: row.waiting, quarantined: row.quarantined)
            })
    }
}
