import FHIR

/// Who takes what a conversion makes.
///
/// A resource that no closure takes is not made, and is counted as of an unsupported type. The errors of a closure are its
/// owner's, of whatever type: the conversion ends with them.
public struct HealthSink {
    /// Whether a sample was converted at an earlier time; such are skipped.
    public var isKnown: (SampleFingerprint) -> Bool
    /// For a sink that knows again what it took before, as a database does: is told where in the import report the
    /// thing is counted that it is handed next. Samples that come again are handed on then, and no fingerprint of them
    /// is kept in memory; the sink's owner corrects their count with ``HealthImportReport/recount(_:as:times:)``. Nil where
    /// the conversion shall find them.
    public var counting: ((HealthImportReport.Place) -> Void)?
    /// Takes the observation of a sample.
    public var observation: (HealthObservation) throws -> Void
    /// Takes a record with a structure of its own.
    public var special: ((HealthSpecial) throws -> Void)?
    /// Takes a device, once, before the first observation that refers to it.
    public var device: ((HealthDevice) throws -> Void)?

    /// Makes a sink of its parts.
    public init(
        isKnown: @escaping (SampleFingerprint) -> Bool = { _ in false },
        counting: ((HealthImportReport.Place) -> Void)? = nil, special: ((HealthSpecial) throws -> Void)? = nil,
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

/// A record with a structure of its own that is ready to be sent.
public struct HealthSpecial: Sendable {
    /// The record.
    public let record: any SpecialRecord
    /// The record's fingerprint.
    public let fingerprint: SampleFingerprint
    /// The id of the Patient; nil leaves the subject out.
    public let subject: String?

    /// Makes a record ready to be sent.
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

    /// The resource: an Observation, of a clinical record whatever it is.
    public var resource: JSON {
        record.resource(
            subject: subject, device: record.origin.source?.device?.reference(subject: subject), extensions: [])
    }
}
