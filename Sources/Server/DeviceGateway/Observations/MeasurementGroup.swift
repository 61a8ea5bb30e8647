import Core
import FHIR
import Foundation
import Storage

/// The readings of one Observation.
struct MeasurementGroup: Sendable {
    let template: FHIRTemplate
    let start: MeasurementTime
    let end: MeasurementTime
    /// The readings sorted by time. Of several with one time, the last that arrived.
    let measurements: [Measurement]

    private struct Key: Hashable {
        let device: String
        let type: String
        let patient: String?
        let encounter: String?
        let correlation: String?
        let start: MeasurementTime?
    }

    /// Returns the groups of readings, in the order in which each first occurs, and the problems of readings without a
    /// group.
    ///
    /// - Parameter measurements: the readings in the order of arrival. The order does not change the groups, except
    ///   that the last of several readings with one time is used.
    static func groups(
        of measurements: [Measurement], by templates: FHIRTemplates
    ) -> (groups: [MeasurementGroup], problems: [MeasurementProblem]) {
        var order: [Key] = []
        var members: [Key: [MeasurementTime: Measurement]] = [:]
        var used: [Key: FHIRTemplate] = [:]
        var problems: [MeasurementProblem] = []
        for measurement in measurements {
            let template: FHIRTemplate
            do throws(MeasurementProblem) { template = try Self.template(of: measurement, in: templates) } catch {
                problems.append(error)
                continue
            }
            let start: MeasurementTime? =
                switch template.period {
                case .single: measurement.occurrence
                case .correlation: nil
                case .hour, .day: template.period.window(of: measurement.occurrence)?.lowerBound
                }
            let key = Key(
                device: measurement.deviceID, type: template.typeName.lowercased(), patient: measurement.patientID,
                encounter: measurement.encounterID,
                correlation: template.period == .correlation ? measurement.correlationID : nil, start: start)
            if members[key] == nil {
                order.append(key)
                used[key] = template
            }
            members[key, default: [:]][measurement.occurrence] = measurement
        }
        let groups = order.compactMap { key -> MeasurementGroup? in
            guard let template = used[key], let found = members[key] else { return nil }
            return MeasurementGroup(template, found.values.sorted { $0.occurrence < $1.occurrence })
        }
        return (groups, problems)
    }

    /// Creates the group of readings that belong together.
    ///
    /// - Parameter sorted: the readings sorted by time, one for each time.
    /// - Returns: nil if there is none.
    init?(_ template: FHIRTemplate, _ sorted: [Measurement]) {
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let window = template.period.window(of: first.occurrence)
        self.template = template
        start = window?.lowerBound ?? first.occurrence
        end = window?.upperBound ?? last.occurrence
        measurements = sorted
    }

    /// Returns the template by which a reading becomes an Observation.
    ///
    /// - Throws: ``MeasurementProblem`` `template-missing`, `correlation-missing`.
    static func template(
        of measurement: Measurement, in templates: FHIRTemplates
    ) throws(MeasurementProblem) -> FHIRTemplate {
        guard let template = templates.template(measurement.type) else {
            throw MeasurementProblem("template-missing", "No FHIR template has the type name of a reading.")
        }
        if template.period == .correlation, measurement.correlationID == nil {
            throw MeasurementProblem(
                "correlation-missing", "The reading does not say with which others it belongs together.")
        }
        return template
    }

    /// The system of the identifier of the connector's Observations.
    static let identifierSystem = CodeSystemURL.deviceConnector

    /// The identifier of the Observation, whichever readings it has: the correlation, or patient, device, type and
    /// window.
    var identifier: String {
        if template.period == .correlation, let correlation = measurements.first?.correlationID { return correlation }
        let first = measurements.first
        return [
            first?.patientID ?? "", first?.deviceID ?? "", template.typeName, start.compact, end.compact,
        ].joined(separator: ".")
    }

    /// The id of an Observation that is not stored: the SHA-256 of its identifier, in hexadecimal digits. A stored one has
    /// a keyed digest (``GatewayIdentity``).
    var id: String { Self.id(of: identifier) }

    static func id(of identifier: String) -> String {
        Hexadecimal.text(TextDigest.whole("\(identifierSystem)_\(identifier)"))
    }
}
