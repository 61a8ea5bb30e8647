import Foundation
import HealthData

extension HealthSyncStatus {
    /// What the phone tells its study of the streams to one store, for the app to queue once a day
    /// (``HealthData/PhoneReport/interval``).
    ///
    /// - Parameters:
    ///   - participant: the id of the participant's Patient.
    ///   - store: the name of the store that goes to the study.
    ///   - isLowPower: whether the phone saves power.
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
