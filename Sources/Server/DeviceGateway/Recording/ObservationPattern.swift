import Core
import FHIR
import Foundation
import Records

/// What Observations of single readings have in common that one template makes of one device: learned of the first, so that of the
/// next neither the JSON is made nor anybody looks into it. They differ in id, identifier, time and the number of their value.
struct ObservationPattern: Sendable {
    /// The content between what differs.
    private let pieces: [Data]
    private let search: SearchPattern
    private let admission: any AdmissionPattern

    /// What differs, in the order in which an Observation has it.
    private struct Places {
        let id: String
        let identifier: String
        let start: String
        let end: String
        let number: String

        /// Each with what stands before it in the JSON and behind it.
        var texts: [(before: String, text: String, after: String)] {
            [
                ("\"id\":\"", id, "\""), ("\"value\":\"", identifier, "\"}]"),
                ("\"effectivePeriod\":{\"start\":\"", start, "\""), ("\"end\":\"", end, "\"}"),
                ("\"valueQuantity\":{\"value\":", number, ""),
            ]
        }
    }

    /// Learns of an Observation that was admitted as it was made.
    ///
    /// - Returns: nil where others have to be looked into.
    init?(
        _ group: MeasurementGroup, of bucket: ObservationBucket, content: Data, record: NewRecord,
        _ admission: any AdmissionPattern
    ) {
        guard let places = Self.places(of: group, bucket), let search = SearchPattern(of: record) else { return nil }
        var pieces: [Data] = []
        var rest = content[...]
        for (before, text, after) in places.texts {
            guard let found = rest.range(of: Data((before + text + after).utf8)) else { return nil }
            let start = found.lowerBound + before.utf8.count
            pieces.append(Data(rest[..<start]))
            rest = rest[(start + text.utf8.count)...]
        }
        pieces.append(Data(rest))
        self.pieces = pieces
        self.search = search
        self.admission = admission
    }

    /// The Observation of another reading.
    ///
    /// - Returns: nil where it has to be looked into.
    func made(
        _ group: MeasurementGroup, of bucket: ObservationBucket
    ) -> (prepared: any Sendable, record: NewRecord)? {
        guard let places = Self.places(of: group, bucket), let start = DateTime(places.start),
            let end = DateTime(places.end), let number = JSONNumber(text: places.number),
            let prepared = admission.prepared(id: bucket.id, start: start, end: end, number: number)
        else { return nil }
        var content = Data(capacity: pieces.reduce(256) { $0 + $1.count })
        for (piece, place) in zip(pieces, places.texts) {
            content.append(piece)
            content.append(contentsOf: place.text.utf8)
        }
        content.append(pieces[pieces.count - 1])
        let record = NewRecord(
            id: bucket.id, subject: bucket.participant, content: content, pattern: search,
            identifiers: [places.identifier],
            quantity: places.number, start: start, end: end)
        return record.map { (prepared, $0) }
    }

    /// Whether an Observation has nothing that differs but what others of its kind have.
    static func isLikeOthers(_ group: MeasurementGroup, _ bucket: ObservationBucket) -> Bool {
        places(of: group, bucket) != nil
    }

    /// What differs; nil for an Observation of another kind, and for texts that JSON or the rules would read otherwise.
    private static func places(of group: MeasurementGroup, _ bucket: ObservationBucket) -> Places? {
        guard group.template.period == .single, group.measurements.count == 1, let reading = group.measurements.first,
            reading.encounterID == nil, group.template.components.isEmpty, let value = group.template.value,
            case .quantity = value.kind, let number = reading.value(value.name), isPlain(number: number)
        else { return nil }
        let identifier = bucket.identifier
        guard identifier.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else { return nil }
        return Places(
            id: bucket.id, identifier: identifier, start: group.start.description, end: group.end.description,
            number: number)
    }

    /// A number of up to fifteen digits without an exponent, which is written as it is given.
    private static func isPlain(number: String) -> Bool {
        number.utf8.count <= 16 && JSONNumber(text: number) != nil
            && number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
    }
}

/// The patterns of what is made together.
struct ObservationPatterns {
    private struct Kind: Hashable {
        let template: String
        let participant: String
        /// As events name it, and as its Device is recorded.
        let device: String
        let record: String
    }

    private static let most = 1_000
    private var patterns: [Kind: ObservationPattern?] = [:]

    func made(
        _ group: MeasurementGroup, of bucket: ObservationBucket
    ) -> (prepared: any Sendable, record: NewRecord)? {
        kind(group, bucket).flatMap { patterns[$0] ?? nil }?.made(group, of: bucket)
    }

    /// Learns of the first of a kind.
    mutating func learn(
        _ group: MeasurementGroup, of bucket: ObservationBucket, _ resource: Resource, _ admitted: AdmittedResource,
        _ record: NewRecord, _ admission: any WriteAdmission
    ) {
        guard let kind = kind(group, bucket), patterns[kind] == nil, patterns.count < Self.most,
            ObservationPattern.isLikeOthers(group, bucket)
        else { return }
        // What was changed on its way in is changed each time.
        guard admitted.resource.json == resource.json, record.subject == bucket.participant,
            let pattern = admission.pattern(of: admitted)
        else {
            patterns[kind] = .some(nil)
            return
        }
        patterns[kind] = ObservationPattern(
            group, of: bucket, content: record.content, record: record, pattern)
    }

    private func kind(_ group: MeasurementGroup, _ bucket: ObservationBucket) -> Kind? {
        guard group.template.period == .single, let device = group.measurements.first?.deviceID else { return nil }
        return Kind(
            template: group.template.typeName, participant: bucket.participant, device: device, record: bucket.device)
    }
}
