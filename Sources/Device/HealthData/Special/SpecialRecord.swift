import FHIR
import Foundation

/// A piece of health data with a structure of its own: an electrocardiogram, a route, a questionnaire's answers.
///
/// It follows ``HealthSample``: no field can hold a person's name or an app's free text, the fingerprint is that of the
/// content, and the observation has the same members in the same order.
public protocol SpecialRecord: Sendable, Hashable {
    /// Which kind it is.
    var kind: SpecialKind { get }
    /// The source that made it, and the time when it was saved.
    var origin: SpecialOrigin { get }
    /// When it was true of the person.
    var time: SpecialTime { get }
    /// Whether the times can be believed; the reason to skip the record where not.
    var timeProblem: SkipReason? { get }
    /// The fingerprint that makes it the same record wherever it is read: see ``SampleFingerprint``.
    var fingerprint: SampleFingerprint { get }
    /// The fingerprint from which the id of its resource is made. It is ``fingerprint``, but for records that are
    /// corrected, that is written again with more in them (the summary of a day that is not over): the newer then takes
    /// the place of the older.
    var place: SampleFingerprint { get }

    /// The record as a FHIR R4 resource.
    ///
    /// - Parameters:
    ///   - subject: the id of the Patient; nil leaves the subject out.
    ///   - device: the reference to the device; nil refers to the source's own (``HealthDevice/reference(subject:)``), or
    ///     names the kind of product where the source has none.
    ///   - extensions: what of the metadata is passed on.
    func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON
}

extension SpecialRecord {
    public var place: SampleFingerprint { fingerprint }

    /// The id of the resource.
    public func id(subject: String?) -> String { place.resourceID(subject: subject) }

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

/// When a record was true of the person.
public enum SpecialTime: Sendable, Hashable {
    /// From and to, or a moment where they are equal.
    case period(HealthInstant, HealthInstant)
    /// A day of the person's calendar, `2016-11-15`: it begins and ends where the person was, which nobody wrote down.
    case day(String)
    /// Nothing outside of the record says it.
    case unknown

    /// A moment.
    public static func moment(_ instant: HealthInstant) -> SpecialTime { .period(instant, instant) }

    /// The beginning as FHIR's date or dateTime; nil where it is not known.
    public var text: String? {
        switch self {
        case .period(let start, _): start.text
        case .day(let day): day
        case .unknown: nil
        }
    }
}

/// The origin of a record: what made it and how it came.
public struct SpecialOrigin: Sendable, Hashable {
    /// nil where the source has no product: Apple's own sums.
    public var source: HealthSource?
    /// The identifier HealthKit gave the sample; exports have none.
    public var uuid: UUID?
    /// When it was saved.
    public var created: HealthInstant?
    /// Typed in by the person.
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

/// The bytes that make a record's fingerprint. Every text ends with a zero byte, so that none runs into the next.
struct RecordContent {
    private(set) var bytes: [UInt8] = []

    /// Begins with what all records have.
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

    /// Adds a quantity in the unit of the record, as far as two written forms agree after Apple's rounding.
    mutating func add(_ quantity: SpecialQuantity?) {
        add(quantity.map { IdentityNumber($0.number.text, .significant(6, isCount: false)).text })
        add(quantity?.unit.ucum)
    }

    mutating func add(_ instant: HealthInstant) {
        withUnsafeBytes(of: instant.seconds.bigEndian) { bytes.append(contentsOf: $0) }
    }

    var fingerprint: SampleFingerprint { SampleFingerprint(of: bytes) }
}
