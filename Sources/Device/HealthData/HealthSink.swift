import FHIR

/// Receives the resources that a conversion creates.
///
/// A resource without a closure is not created, and is counted as of an unsupported type. A closure can throw any
/// error; the conversion ends with it.
public struct HealthSink {
    /// Returns whether a sample was converted earlier; such samples are skipped.
    public var isKnown: (SampleFingerprint) -> Bool
    /// For a sink that detects duplicates itself, as a database does. It is called before each resource with the
    /// counters of the import report in which the resource is counted. Duplicates are then passed to the sink, and no
    /// fingerprints are kept in memory; the sink's owner corrects the counts with
    /// ``HealthImportReport/recount(_:as:times:)``. Nil if the conversion must detect duplicates.
    public var counting: ((HealthImportReport.CounterKey) -> Void)?
    /// Receives the observation of a sample.
    public var observation: (HealthObservation) throws -> Void
    /// Receives a special record.
    public var special: ((HealthSpecial) throws -> Void)?
    /// Receives a device, once, before the first observation that refers to it.
    public var device: ((HealthDevice) throws -> Void)?

    /// Creates a sink from its closures.
    public init(
        isKnown: @escaping (SampleFingerprint) -> Bool = { _ in false },
        counting: ((HealthImportReport.CounterKey) -> Void)? = nil, special: ((HealthSpecial) throws -> Void)? = nil,
        device: ((HealthDevice) throws -> Void)? = nil,
        observation: @escaping (HealthObservation) throws -> Void
    ) {
        self.isKnown = isKnown
        self.counting = counting
        self.observation = observation
        self.special = special
        self.device = device
    }
}

/// A special record that is ready to be sent.
public struct HealthSpecial: Sendable {
    /// The record.
    public let record: any SpecialRecord
    /// The record's fingerprint.
    public let fingerprint: SampleFingerprint
    /// The id of the Patient; nil omits the subject.
    public let subject: String?

    /// Creates a special record that is ready to be sent.
    public init(_ record: any SpecialRecord, subject: String?) {
        self.init(record: record, fingerprint: record.fingerprint, subject: subject)
    }

    init(record: any SpecialRecord, fingerprint: SampleFingerprint, subject: String?) {
        self.record = record
        self.fingerprint = fingerprint
        self.subject = subject
    }

    /// The id of the resource.
    public var id: String { record.id(subject: subject) }

    /// The resource: an Observation, or the resource of a clinical record, which can have any type.
    public var resource: JSON {
        record.resource(
            subject: subject, device: record.origin.source?.device?.reference(subject: subject), extensions: [])
    }
}
