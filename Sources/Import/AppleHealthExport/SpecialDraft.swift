import HealthData

/// An element with a structure of its own that is open: its attributes and those of the elements inside.
struct SpecialDraft {
    let row: Int
    private let element: ExportElement
    private let attributes: [String: String]
    private var children: [(element: ExportElement, attributes: [String: String])] = []
    private var repairs: Repairs

    /// No audiogram has as many points; more are a made-up file.
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

    func finished() throws(SkipReason) -> (record: any SpecialRecord, repairs: Repairs) {
        let own: ElementAttributes = { attributes[$0] }
        func child(_ wanted: ExportElement) -> ElementAttributes? {
            guard let child = children.first(where: { $0.element == wanted }) else { return nil }
            return { child.attributes[$0] }
        }
        switch element {
        case .activitySummary:
            let (record, mended) = try ActivitySummary.read(own)
            return (record, repairs.union(mended))
        case .audiogram:
            let points = children.filter { $0.element == .sensitivityPoint }.map { child -> ElementAttributes in
                { child.attributes[$0] }
            }
            let (record, mended) = try Audiogram.read(own, points: points)
            return (record, repairs.union(mended))
        case .visionPrescription:
            let (record, mended) = try VisionPrescription.read(own, right: child(.rightEye), left: child(.leftEye))
            return (record, repairs.union(mended))
        default: throw .unsupportedType
        }
    }
}

/// The beats inside a record of the heart rate variability.
struct BeatsDraft {
    private let record: [String: String]
    private var beats: [[String: String]] = []
    /// Whether a list of beats was begun.
    var isOpen = false

    init(_ record: [String: String]) { self.record = record }

    mutating func add(_ attributes: MarkupAttributes) {
        if beats.count < HeartbeatSeries.maximumBeats { beats.append(attributes.texts()) }
    }

    /// nil where no beat can be read.
    func series() -> (HeartbeatSeries, Repairs)? {
        try? HeartbeatList.read({ record[$0] }, beats: beats.map { beat in { beat[$0] } })
    }
}

extension MarkupAttributes {
    /// The values by name, references resolved. Values that are longer than any that is read are left out. To be asked
    /// for once: references are resolved where they stand.
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
