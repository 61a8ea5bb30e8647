import HealthData

/// A special element that is not closed yet: its attributes and those of the elements inside.
struct SpecialDraft {
    let row: Int
    private let element: ExportElement
    private let attributes: [String: String]
    private var children: [(element: ExportElement, attributes: [String: String])] = []
    private var repairs: Repairs
    var details = HealthDetails()

    /// Maximum number of elements inside. Audiograms have fewer points; a file with more is an invented one.
    private static let childLimit = 1000

    init(_ element: ExportElement, row: Int, _ attributes: [String: String], repairs: Repairs) {
        self.element = element
        self.row = row
        self.attributes = attributes
        self.repairs = repairs
    }

    mutating func add(_ element: ExportElement, _ attributes: MarkupAttributes) {
        guard children.count < Self.childLimit else {
            repairs.insert(.partDropped)
            return
        }
        children.append((element, attributes.texts()))
    }

    func finished(
        _ zones: inout TimeZoneOffsets
    ) throws(SkipReason) -> (record: any SpecialRecord, repairs: Repairs) {
        let own: ElementAttributes = { attributes[$0] }
        func child(_ wanted: ExportElement) -> ElementAttributes? {
            guard let child = children.first(where: { $0.element == wanted }) else { return nil }
            return { child.attributes[$0] }
        }
        switch element {
        case .activitySummary:
            let (record, readRepairs) = try ActivitySummary.read(own)
            return (record, repairs.union(readRepairs))
        case .audiogram:
            let points = children.filter { $0.element == .sensitivityPoint }.map { child -> ElementAttributes in
                { child.attributes[$0] }
            }
            var (record, readRepairs) = try Audiogram.read(own, points: points)
            record.start = details.local(record.start, &zones)
            record.end = details.local(record.end, &zones)
            record.origin = details.local(record.origin, &zones)
            return (record, repairs.union(readRepairs))
        case .visionPrescription:
            var (record, readRepairs) = try VisionPrescription.read(own, right: child(.rightEye), left: child(.leftEye))
            record.issued = details.local(record.issued, &zones)
            record.expires = record.expires.map { details.local($0, &zones) }
            record.origin = details.local(record.origin, &zones)
            return (record, repairs.union(readRepairs))
        default: throw .unsupportedType
        }
    }
}

extension HealthDetails {
    /// Returns the instant with the offset of the person's clock, if their time zone is known.
    func local(_ instant: HealthInstant, _ zones: inout TimeZoneOffsets) -> HealthInstant {
        guard let zone, let offset = zones.minutes(in: zone, at: instant.seconds) else { return instant }
        return HealthInstant(seconds: instant.seconds, offsetMinutes: offset)
    }

    func local(_ time: SpecialTime, _ zones: inout TimeZoneOffsets) -> SpecialTime {
        guard case .period(let start, let end) = time else { return time }
        return .period(local(start, &zones), local(end, &zones))
    }

    /// Returns the origin with the offset, and with the metadata on whether the person entered the record.
    func local(_ origin: SpecialOrigin, _ zones: inout TimeZoneOffsets) -> SpecialOrigin {
        var origin = origin
        origin.created = origin.created.map { local($0, &zones) }
        origin.wasUserEntered = context.wasUserEntered ?? origin.wasUserEntered
        return origin
    }
}

/// The beat-to-beat times inside a record of the heart rate variability.
struct BeatsDraft {
    private let record: [String: String]
    private var beats: [[String: String]] = []
    /// Whether a list of beats has begun.
    var isOpen = false

    init(_ record: [String: String]) { self.record = record }

    mutating func add(_ attributes: MarkupAttributes) {
        if beats.count < HeartbeatSeries.maximumBeats { beats.append(attributes.texts()) }
    }

    /// Returns the series; nil if no beat can be read.
    ///
    /// - Parameter details: the metadata of the record, which also applies to its beats.
    func series(_ details: HealthDetails, _ zones: inout TimeZoneOffsets) -> (HeartbeatSeries, Repairs)? {
        let read = try? HeartbeatList.read({ record[$0] }, beats: beats.map { beat in { beat[$0] } })
        guard let (made, repairs) = read else { return nil }
        var series = made
        series.start = details.local(series.start, &zones)
        series.origin = details.local(series.origin, &zones)
        return (series, repairs)
    }
}

extension MarkupAttributes {
    /// Returns the values by name, with references resolved. Values are cut to 1,024 bytes.
    func texts() -> [String: String] {
        var texts: [String: String] = [:]
        for attribute in list.prefix(64) {
            let name = String(decoding: name(attribute), as: UTF8.self)
            var value = Array(raw(attribute).prefix(1024))
            if attribute.hasReferences {
                let count = value.withUnsafeMutableBufferPointer { MarkupReference.resolve($0) }
                value.removeLast(value.count - count)
            }
            if texts[name] == nil { texts[name] = String(decoding: value, as: UTF8.self) }
        }
        return texts
    }
}
