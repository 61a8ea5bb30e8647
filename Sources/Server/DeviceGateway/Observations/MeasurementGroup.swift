import Core
import FHIR
import Foundation
import Storage

/// Readings that are one Observation.
struct MeasurementGroup: Sendable {
    let template: FHIRTemplate
    let start: MeasurementTime
    let end: MeasurementTime
    /// Sorted by when they were measured; of those at one time, the last that came.
    let measurements: [Measurement]

    private struct Key: Hashable {
        let device: String
        let type: String
        let patient: String?
        let encounter: String?
        let correlation: String?
        let start: MeasurementTime?
    }

    /// The groups of readings, in the order in which each first comes, and why some are in none.
    ///
    /// - Parameter measurements: in the order in which they came. In whatever order they come the groups are the same, but for
    ///   readings of one time, of which the last that came counts.
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

    /// The group of readings that belong together.
    ///
    /// - Parameter sorted: by when they were measured, one for each time.
    /// - Returns: nil where there is none.
    init?(_ template: FHIRTemplate, _ sorted: [Measurement]) {
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let window = template.period.window(of: first.occurrence)
        self.template = template
        start = window?.lowerBound ?? first.occurrence
        end = window?.upperBound ?? last.occurrence
        measurements = sorted
    }

    /// The template that a reading becomes an Observation by.
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

    /// The system of the identifier by which the connector knows its Observations.
    static let identifierSystem = CodeSystemURL.deviceConnector

    /// What identifies the Observation, whichever of its readings came: the correlation, or person, device, type and window.
    var identifier: String {
        if template.period == .correlation, let correlation = measurements.first?.correlationID { return correlation }
        let first = measurements.first
        return [
            first?.patientID ?? "", first?.deviceID ?? "", template.typeName, start.compact, end.compact,
        ].joined(separator: ".")
    }

    /// The id of an Observation that is not stored, and of one that an older version stored: the SHA-256 of its identifier,
    /// in hexadecimal digits. What is stored now has a keyed digest (``GatewayIdentity``).
    var id: String { Self.id(of: identifier) }

    static func id(of identifier: String) -> String {
        Hexadecimal.text(TextDigest.whole("\(identifierSystem)_\(identifier)"))
    }
}
