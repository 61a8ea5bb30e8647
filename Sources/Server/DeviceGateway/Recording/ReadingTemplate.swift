import Core
import FHIR
import Foundation
import ObservationTemplates
import RecordStorage

/// A template of the Observations of single readings that one device template makes of one device. It is made from the
/// first one. For the next ones, no JSON is made and no validation is run.
struct ReadingTemplate: Sendable {
    private let kind: ObservationTemplate<any AdmissionTemplate>

    /// Creates the template of an Observation that was admitted unchanged.
    ///
    /// - Returns: nil if other Observations must be validated.
    init?(
        _ group: MeasurementGroup, of bucket: ObservationBucket, resource: Resource, record: NewRecord,
        admission: any AdmissionTemplate
    ) {
        guard let values = Self.values(of: group, bucket),
            let kind = ObservationTemplate(resource, record: record, callerData: { admission }),
            kind.values(in: record.content) == values
        else { return nil }
        self.kind = kind
    }

    /// Returns the Observation of another reading.
    ///
    /// - Returns: nil if it must be validated.
    func made(
        _ group: MeasurementGroup, of bucket: ObservationBucket
    ) -> (prepared: any Sendable, record: NewRecord)? {
        guard let values = Self.values(of: group, bucket), let content = kind.content(with: values),
            let prepared = kind.callerData.prepared(values), let record = kind.record(values, content: content)
        else { return nil }
        return (prepared, record)
    }

    /// Whether an Observation differs from others of its kind only in the values that a template allows.
    static func isLikeOthers(_ group: MeasurementGroup, _ bucket: ObservationBucket) -> Bool {
        values(of: group, bucket) != nil
    }

    /// Returns the differing values; nil for an Observation of another kind.
    private static func values(of group: MeasurementGroup, _ bucket: ObservationBucket) -> ObservationValues? {
        guard group.template.period == .single, group.measurements.count == 1, let reading = group.measurements.first,
            reading.encounterID == nil, group.template.components.isEmpty, let value = group.template.value,
            case .quantity = value.kind, let number = reading.value(value.name).flatMap(JSONNumber.init(text:)),
            let start = DateTime(group.start.description),
            let end = group.end == group.start ? start : DateTime(group.end.description)
        else { return nil }
        return ObservationValues(
            id: bucket.id, identifiers: [bucket.identifier], time: .period(start, end), number: number)
    }
}

/// The templates of the Observations that are made together.
struct ReadingTemplates {
    private struct Kind: Hashable {
        let template: String
        let participant: String
        /// The device as events name it; `record` is the id of its Device.
        let device: String
        let record: String
    }

    private static let maximumCount = 1_000
    private var templates: [Kind: ReadingTemplate?] = [:]

    func made(
        _ group: MeasurementGroup, of bucket: ObservationBucket
    ) -> (prepared: any Sendable, record: NewRecord)? {
        kind(group, bucket).flatMap { templates[$0] ?? nil }?.made(group, of: bucket)
    }

    /// Adds the template of the first Observation of a kind.
    mutating func add(
        _ group: MeasurementGroup, of bucket: ObservationBucket, resource: Resource, admitted: AdmittedResource,
        record: NewRecord, admission: any WriteAdmission
    ) {
        guard let kind = kind(group, bucket), templates[kind] == nil, templates.count < Self.maximumCount,
            ReadingTemplate.isLikeOthers(group, bucket)
        else { return }
        // An Observation that admission changed would be changed each time, so it is no template.
        guard admitted.resource.json == resource.json, record.subject == bucket.participant,
            let template = admission.template(of: admitted)
        else {
            templates[kind] = .some(nil)
            return
        }
        templates[kind] = ReadingTemplate(
            group, of: bucket, resource: admitted.resource, record: record, admission: template)
    }

    private func kind(_ group: MeasurementGroup, _ bucket: ObservationBucket) -> Kind? {
        guard group.template.period == .single, let device = group.measurements.first?.deviceID else { return nil }
        return Kind(
            template: group.template.typeName, participant: bucket.participant, device: device, record: bucket.device)
    }
}
