import Core

/// The reason why data are not part of a care plan, with the location.
public struct CarePlanError: CodedError, Hashable {
    /// The kind of fault; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A version is not the JSON of CareKit's entity.
        case entityInvalid = "entity-invalid"
        /// A knowledge vector is not a list of processes with clocks.
        case vectorInvalid = "vector-invalid"
        /// A version follows itself, directly or by others.
        case versionCycle = "version-cycle"
        /// A schedule is not one that CareKit can read and compute.
        case scheduleInvalid = "schedule-invalid"
        /// A question about a schedule needs too many events.
        case scheduleTooDense = "schedule-too-dense"
        /// A question is about too long a time, or about too many events.
        case rangeTooLarge = "range-too-large"
    }

    /// The kind of fault.
    public let reason: Reason
    /// The path of the member, such as `$.schedule.elements[0].interval`, or the index of the entity.
    public let location: String

    /// Creates an error of this kind at this location.
    public init(_ reason: Reason, at location: String) {
        self.reason = reason
        self.location = location
    }

    public var code: String { reason.rawValue }

    public var message: String {
        let sentence =
            switch reason {
            case .entityInvalid: "The member is missing, or is not what CareKit's JSON has there"
            case .vectorInvalid:
                "A knowledge vector has up to \(KnowledgeVector.maximumProcesses) processes, each with a UUID and a clock "
                    + "from 0 to \(KnowledgeVector.maximumClock)"
            case .versionCycle: "A version follows itself"
            case .scheduleInvalid:
                "A schedule needs the members of CareKit's JSON: elements with a complete calendar, a known time zone, an "
                    + "interval that moves forward, an end after the start, and target values with a type"
            case .rangeTooLarge:
                "The limit of an answer is \(CarePlanContents.maximumDays) days and \(CarePlanContents.maximumEvents) events; ask "
                    + "for a shorter time"
            case .scheduleTooDense: "The schedule has too many events for this question; ask for a shorter time"
            }
        return "\(sentence) (\(location))."
    }
}
