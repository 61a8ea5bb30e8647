import FHIR
import Foundation
import HealthData

/// Converts a type of the app's own, or converts a known type in another way.
///
/// A type with a unit and codes needs no converter, only a row in a supplement of the table (``HealthTypeTable``).
public protocol HealthConverter: Sendable {
    /// Returns the resource of a sample. Its `id` must be derived from its content, so that the same sample is the same
    /// resource in every conversion.
    ///
    /// - Parameter subject: the id of the Patient; nil leaves the subject out.
    /// - Throws: a `CodedError`, whose code becomes the reason for which the sample is quarantined.
    func resource(of reading: HealthReading, subject: String?) throws -> JSON
}

/// Converts readings of sources to resources for stores.
struct SampleConversion: Sendable {
    let selection: HealthSelection
    let converters: [String: any HealthConverter]
    private var frames: ObservationFrames
    /// The length of the last text, an estimate for the next: texts of one type have similar lengths.
    private var length = 1_024

    init(selection: HealthSelection, converters: [String: any HealthConverter]) {
        self.selection = selection
        self.converters = converters
        frames = ObservationFrames(subject: selection.subject, units: selection.units)
    }

    /// Converts a sample. Each sample is converted once; all uses share the result.
    mutating func convert(_ reading: HealthReading, of type: String) -> (SampleCandidate, OutgoingSample?) {
        do {
            guard let sample = try outgoing(reading, of: type) else {
                return (SampleCandidate(uuid: reading.uuid, end: reading.end, form: .unwanted), nil)
            }
            let form = SampleCandidate.Form.resource(target: sample.target, bytes: sample.lines.count)
            return (SampleCandidate(uuid: reading.uuid, end: reading.end, form: form), sample)
        } catch {
            let reason = (error as? any CodedError)?.code ?? "conversion-failed"
            return (SampleCandidate(uuid: reading.uuid, end: reading.end, form: .unconvertible(reason: reason)), nil)
        }
    }

    /// Converts readings, up to one more than the limit: a batch that exceeds the limit is refused as a whole.
    mutating func candidates(
        _ readings: [HealthReading], limit: Int, of type: String, into samples: inout ConvertedSamples
    ) -> [SampleCandidate] {
        samples.reserveCapacity(min(readings.count, limit))
        return readings.prefix(limit + 1).map { reading in
            let (candidate, sample) = convert(reading, of: type)
            if let sample { samples.append(sample) }
            return candidate
        }
    }

    mutating func outgoing(_ reading: HealthReading, of type: String) throws -> OutgoingSample? {
        func made(_ content: OutgoingSample.Content, target: HealthTarget, lines: [UInt8]) -> OutgoingSample {
            OutgoingSample(
                uuid: reading.uuid, type: type, end: reading.end, content: content, target: target, lines: lines)
        }
        if let converter = converters[type] {
            let resource = try converter.resource(of: reading, subject: selection.subject)
            guard let target = Self.target(of: resource) else { throw SkipReason.valueMissing }
            return made(
                .other(resource), target: HealthTarget(references: [target]), lines: resource.bytes() + [0x0A])
        }
        switch reading.content {
        case .sample(var sample):
            guard selection.selects(sample.type) else { return nil }
            if let problem = sample.timeProblem { throw problem }
            if sample.uuid == nil { sample.uuid = reading.uuid }
            let observation = frames.observation(of: sample, fingerprint: sample.fingerprint)
            var lines: [UInt8] = []
            lines.reserveCapacity(length + 8)
            let id = observation.uuid
            observation.write(to: &lines, id: id)
            lines.append(0x0A)
            length = lines.count
            return made(.observation(observation), target: .observation(id), lines: lines)
        case .special(let record):
            guard selection.selects(record) else { return nil }
            if let problem = record.timeProblem { throw problem }
            let special = HealthSpecial(record, subject: selection.subject)
            var lines: [UInt8] = []
            var targets: [String] = []
            for resource in special.resources {
                guard let target = Self.target(of: resource) else { throw SkipReason.valueMissing }
                targets.append(target)
                resource.write(to: &lines)
                lines.append(0x0A)
            }
            return made(.special(special), target: HealthTarget(references: targets), lines: lines)
        case .other: throw SkipReason.unsupportedType
        case .unreadable(let reason): throw reason
        }
    }

    private static func target(of resource: JSON) -> String? {
        guard let type = resource["resourceType"]?.string, ResourceName.isType(type),
            let id = resource["id"]?.string, ResourceName.isID(id)
        else { return nil }
        return type + "/" + id
    }
}
