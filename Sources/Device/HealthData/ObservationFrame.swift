import FHIR

/// The part that the observations of one person and one source have in common, with its text: millions have few.
final class ObservationFrame: Sendable {
    /// The id of the Patient; nil leaves the subject out.
    let subject: String?
    let units: HealthSelection.Units
    /// The member `subject` with the comma before it; empty where it is left out.
    let subjectText: [UInt8]
    /// The member `device` with the comma before it.
    let deviceText: [UInt8]

    init(subject: String?, units: HealthSelection.Units, source: HealthSource) {
        self.subject = subject
        self.units = units
        subjectText = subject.map { Self.member("subject", ["reference": .string("Patient/" + $0)]) } ?? []
        deviceText = Self.member("device", source.reference(subject: subject))
    }

    private static func member(_ name: String, _ value: JSON) -> [UInt8] { Array(",\"\(name)\":".utf8) + value.bytes() }
}

/// Makes observations of one person's samples, with the text that those of one source have in common made once.
public struct ObservationFrames: Sendable {
    private static let limit = 8

    private let subject: String?
    private let units: HealthSelection.Units
    /// The last few sources.
    private var frames: [(source: HealthSource, frame: ObservationFrame)] = []

    /// Begins without a source.
    ///
    /// - Parameter subject: the id of the Patient; nil leaves the subject out.
    public init(subject: String?, units: HealthSelection.Units = .metric) {
        self.subject = subject
        self.units = units
    }

    /// The observation of a sample.
    public mutating func observation(of sample: HealthSample, fingerprint: SampleFingerprint) -> HealthObservation {
        HealthObservation(sample, fingerprint: fingerprint, frame: frame(of: sample.source))
    }

    mutating func frame(of source: HealthSource) -> ObservationFrame {
        for known in frames where known.source === source { return known.frame }
        for known in frames where known.source == source { return known.frame }
        let frame = ObservationFrame(subject: subject, units: units, source: source)
        if frames.count == Self.limit { frames.removeFirst() }
        frames.append((source, frame))
        return frame
    }
}
