import FHIR
import Foundation
import HealthData
import HealthTypes
import Outbox

/// Queues a heart rate that is not in HealthKit, with the codes and the unit of the type table.
func queueHeartRate(_ text: String, at date: Date, participant: String, store: DeviceStore) throws {
    guard let type = HealthType.named("HKQuantityTypeIdentifierHeartRate"), let measure = type.measure else {
        return
    }
    let quantity = try HealthQuantity(text, unit: "count/min", as: measure)
    let moment = HealthInstant(date, offsetMinutes: DateTime.offsetMinutes(at: date))
    let sample = HealthSample(
        type: type, value: .quantity(quantity), start: moment, end: moment, source: HealthSource(product: .appleWatch))
    try store.queue(sample.observation(subject: participant))
}
