import FHIR
import Foundation

/// Health data with a structure of its own: an electrocardiogram, a route, a questionnaire's answers.
///
/// It follows the rules of ``HealthSample``: no field can hold a person's name or an app's free text, the fingerprint
/// is computed from the content, and the observation has the same members in the same order.
public protocol SpecialRecord: Sendable, Hashable {
    /// The kind of record.
    var kind: SpecialKind { get }
    /// The source that created it, and the time at which it was saved.
    var origin: SpecialOrigin { get }
    /// The time to which the record applies.
    var time: SpecialTime { get }
    /// The reason to skip the record because of its times; nil if they are valid.
    var timeProblem: SkipReason? { get }
    /// The fingerprint that identifies the same record in all sources: see ``SampleFingerprint``.
    var fingerprint: SampleFingerprint { get }
    /// The fingerprint from which the id of its resource is computed. It equals ``fingerprint``, except for records
    /// that are later written again with more content (the summary of a day that is not over): the newer version then
    /// replaces the older.
    var resourceFingerprint: SampleFingerprint { get }

    /// Returns the record as a FHIR R4 resource.
    ///
    /// - Parameters:
    ///   - subject: the id of the Patient; nil omits the subject.
    ///   - device: the reference to the device; nil refers to the source's own (``HealthDevice/reference(subject:)``),
    ///     or names the kind of product if the source has no device.
    ///   - extensions: the extensions with converted metadata.
    func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON
}

extension SpecialRecord {
    public var resourceFingerprint: SampleFingerprint { fingerprint }

    /// Returns the id of the resource.
    public func id(subject: String?) -> String { resourceFingerprint.resourceID(subject: subject) }

    public var timeProblem: SkipReason? {
        switch time {
        case .period(let start, let end):
            guard HealthInstant.believable.contains(start.seconds), HealthInstant.believable.contains(end.seconds)
            else { return .dateOutOfRange }
            return end.seconds < start.seconds ? .endBeforeStart : nil
        case .day(let day):
            guard let date = DateTime(day), !day.contains("T") else { return .dateInvalid }
            let seconds = Int64(date.start().timeIntervalSince1970)
            return HealthInstant.believable.contains(seconds) ? nil : .dateOutOfRange
        case .unknown: return nil
        }
    }
}

/// The time to which a record applies.
public enum SpecialTime: Sendable, Hashable {
    /// Start and end; equal for a single instant.
    case period(HealthInstant, HealthInstant)
    /// A day of the person's calendar, `2016-11-15`. Its start and end depend on the person's time zone, which is
    /// unknown.
    case day(String)
    /// Only the record's content contains the time.
    case unknown

    /// Returns a single instant.
    public static func moment(_ instant: HealthInstant) -> SpecialTime { .period(instant, instant) }

    /// The start as FHIR's date or dateTime; nil if it is unknown.
    public var text: String? {
        switch self {
        case .period(let start, _): start.text
        case .day(let day): day
        case .unknown: nil
        }
    }
}

/// The origin of a record: its source and the circumstances of its recording.
public struct SpecialOrigin: Sendable, Hashable {
    /// The source; nil if there is no product, as for Apple's own sums.
    public var source: HealthSource?
    /// The identifier that HealthKit gave the sample; exports have none.
    public var uuid: UUID?
    /// The time at which the record was saved.
    public var created: HealthInstant?
    /// Whether the person entered it.
    public var wasUserEntered: Bool?

    public init(
        source: HealthSource? = nil, uuid: UUID? = nil, created: HealthInstant? = nil, wasUserEntered: Bool? = nil
    ) {
        self.source = source
        self.uuid = uuid
        self.created = created
        self.wasUserEntered = wasUserEntered
    }
}

/// The bytes from which a record's fingerprint is computed. Every text ends with a zero byte, so that the texts are
/// separated.
struct RecordContent {
    private(set) var bytes: [UInt8] = []

    /// Creates the content that all records have.
    init(_ record: some SpecialRecord) {
        add(record.kind.identifier)
        switch record.time {
        case .period(let start, let end):
            add(start)
            add(end)
        case .day(let day): add(day)
        case .unknown: add("")
        }
        add(record.origin.source?.product.rawValue)
        add(record.origin.source?.version)
    }

    mutating func add(_ text: String?) {
        bytes.append(contentsOf: (text ?? "").utf8)
        bytes.append(0)
    }

    mutating func add(_ value: Int?) { add(value.map(String.init)) }

    /// Adds a quantity in the unit of the record, with the precision in which two written forms agree after Apple's
    /// rounding.
    mutating func add(_ quantity: SpecialQuantity?) {
        add(quantity.map { IdentityNumber($0.number.text, .significant(6, isCount: false)).text })
        add(quantity?.unit.ucum)
    }

    mutating func add(_ instant: HealthInstant) {
        withUnsafeBytes(of: instant.seconds.bigEndian) { bytes.append(contentsOf: $0) }
    }

    var fingerprint: SampleFingerprint { SampleFingerprint(of: bytes) }
}
