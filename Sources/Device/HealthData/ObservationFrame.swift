import FHIR

/// The text that observations of one person and one source share. Millions of observations have few frames.
final class ObservationFrame: Sendable {
    /// The id of the Patient; nil omits the subject.
    let subject: String?
    let units: HealthSelection.Units
    /// The member `subject` with a comma before it; empty if there is no subject.
    let subjectText: [UInt8]
    /// The member `device` with a comma before it.
    let deviceText: [UInt8]

    init(subject: String?, units: HealthSelection.Units, source: HealthSource) {
        self.subject = subject
        self.units = units
        subjectText = subject.map { Self.member("subject", ["reference": .string("Patient/" + $0)]) } ?? []
        deviceText = Self.member("device", source.reference(subject: subject))
    }

    private static func member(_ name: String, _ value: JSON) -> [UInt8] { Array(",\"\(name)\":".utf8) + value.bytes() }
}

/// Creates observations of one person's samples. The text that observations of one source share is created once.
public struct ObservationFrames: Sendable {
    private static let limit = 8

    private let subject: String?
    private let units: HealthSelection.Units
    /// The last sources and their frames.
    private var frames: [(source: HealthSource, frame: ObservationFrame)] = []

    /// Creates an empty cache of frames.
    ///
    /// - Parameter subject: the id of the Patient; nil omits the subject.
    public init(subject: String?, units: HealthSelection.Units = .metric) {
        self.subject = subject
        self.units = units
    }

    /// Returns the observation of a sample.
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
