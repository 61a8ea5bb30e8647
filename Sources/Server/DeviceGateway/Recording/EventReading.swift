import Core
import Foundation

/// The readings that templates find in a stored event.
struct EventReading: Sendable {
    let event: GatewayEvents.Stored
    /// The readings that give values, each with its template.
    var measurements: [(measurement: Measurement, template: FHIRTemplate)] = []
    /// The outcome of the event so far.
    var settlement: EventSettlement = .recorded

    init(_ event: GatewayEvents.Stored, by templates: GatewayTemplates) {
        self.event = event
        guard let json = JSON(reading: event.body) else {
            settlement = .quarantined(device: nil, GatewayReason("event-malformed", "The event cannot be read."))
            return
        }
        let (found, problems) = templates.device.measurements(in: json)
        let device = found.first?.deviceID
        for problem in problems { quarantine(GatewayReason(problem), device: device) }
        if found.isEmpty, problems.isEmpty, !Self.isDeletion(json) {
            quarantine(
                GatewayReason("template-unmatched", "No device template finds a reading in the event."), device: nil)
        }
        for measurement in found {
            do throws(MeasurementProblem) {
                let template = try MeasurementGroup.template(of: measurement, in: templates.fhir)
                try MeasurementGroup.check(measurement, by: template)
                measurements.append((measurement, template))
            } catch { quarantine(GatewayReason(error), device: measurement.deviceID) }
        }
    }

    /// Whether an event reports that a phone deleted a sample, as Tributary's phones do. No template finds a reading
    /// in it, and it has no effect: readings have no id of a sample by which they could be found.
    private static func isDeletion(_ event: JSON) -> Bool {
        guard let body = event["Body"], body["deleted"]?.bool == true else { return false }
        return body["uuid"]?.string != nil && body["type"]?.string != nil
    }

    /// The devices of the readings.
    var devices: Set<String> { Set(measurements.map(\.measurement.deviceID)) }

    /// Quarantines a part of the event.
    mutating func quarantine(_ reason: GatewayReason, device: String?) {
        settlement = settlement.orMore(.quarantined(device: device, reason))
    }
}
