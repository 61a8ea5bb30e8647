import Core
import Foundation

/// The content of a draft in CareKit's JSON: ISO dates as seconds since 2001, and the members that CareKit's initialisers
/// set.
struct CareDraft {
    let kind: CareEntityKind
    var object: JSON
    /// The present, in seconds since 2001.
    let now: JSON
    /// The name of the time zone of the person who makes the draft.
    let zone: String

    private static let schemaVersion: JSON = ["majorVersion": 2, "minorVersion": 1, "patchNumber": 0]
    private static let dates = ["effectiveDate", "deletedDate", "createdDate", "updatedDate", "birthday"]
    /// The duration that CareKit's initialiser sets: one hour.
    private static let defaultDuration: JSON = ["isAllDay": false, "seconds": 3_600]

    init(kind: CareEntityKind, object: JSON, now: Date, zone: TimeZone) throws(CarePlanError) {
        guard object.object != nil else { throw CarePlanError(.entityInvalid, at: "$.object") }
        self.kind = kind
        self.object = object
        self.now = Self.number(now.timeIntervalSinceReferenceDate)
        self.zone = zone.identifier
    }

    /// Seconds as JSON: without a fraction if they are whole, as CareKit's encoder writes them.
    static func number(_ seconds: Double) -> JSON {
        if let whole = Int(exactly: seconds) { return .number(JSONNumber(whole)) }
        return .number(JSONNumber(text: "\(seconds)") ?? JSONNumber(0))
    }

    /// Replaces ISO dates by seconds, and a name of a time zone by its JSON; adds the members of schedules and values that
    /// CareKit's initialisers set. A date without a time begins at midnight in the time zone of the entity.
    mutating func normalize() throws(CarePlanError) {
        if let name = object["timezone"]?.string { object["timezone"] = ["identifier": .string(name)] }
        if object["timezone"] == nil { object["timezone"] = ["identifier": .string(zone)] }
        guard let entityZone = CareCalendar.timeZone(object["timezone"]) else {
            throw CarePlanError(.entityInvalid, at: "$.timezone")
        }
        for member in Self.dates { Self.readDate(&object, member, in: entityZone) }
        if kind == .task || kind == .healthKitTask, let schedule = object["schedule"] {
            object["schedule"] = try normalized(schedule: schedule, in: entityZone)
        }
        if kind == .outcome, let values = object["values"]?.array {
            object["values"] = .array(values.map { outcomeValue($0, in: entityZone) })
        }
    }

    /// Adds the members that CareKit's initialisers set.
    mutating func addDefaults(uuid: UUID) {
        setDefault("uuid", .string(uuid.uuidString))
        object["previousVersionUUIDs"] = []
        object["nextVersionUUIDs"] = []
        if kind == .task || kind == .healthKitTask {
            setDefault("impactsAdherence", true)
            if let start = object.at("schedule", "elements")?[0]?["start"] { setDefault("effectiveDate", start) }
        }
        setDefault("effectiveDate", now)
        setDefault("createdDate", now)
        setDefault("updatedDate", now)
        setDefault("schemaVersion", Self.schemaVersion)
    }

    private mutating func setDefault(_ member: String, _ value: JSON) {
        if object[member].map(\.isNull) ?? true { object[member] = value }
    }

    private static func readDate(_ object: inout JSON, _ member: String, in zone: TimeZone) {
        guard let text = object[member]?.string, let date = DateTime(text) else { return }
        let midnight = date.start()
        // The offset before the shift decides: at midnight a second look is needed only next to a clock change.
        let guess = midnight.addingTimeInterval(-Double(zone.secondsFromGMT(for: midnight)))
        let offset = Double(zone.secondsFromGMT(for: guess))
        let instant = date.offsetMinutes == nil ? midnight.addingTimeInterval(-offset) : midnight
        object[member] = number(instant.timeIntervalSinceReferenceDate)
    }

    private func normalized(schedule: JSON, in entityZone: TimeZone) throws(CarePlanError) -> JSON {
        guard let array = schedule["elements"]?.array else { return schedule }
        var schedule = schedule
        var elements: [(start: Double, element: JSON)] = []
        for (index, element) in array.enumerated() {
            var element = element
            guard element.object != nil else {
                throw CarePlanError(.scheduleInvalid, at: "$.schedule.elements[\(index)]")
            }
            element["calendar"] = CareCalendar.completed(element["calendar"], in: entityZone.identifier)
            let zone = CareCalendar.timeZone(element.at("calendar", "timeZone")) ?? entityZone
            Self.readDate(&element, "start", in: zone)
            Self.readDate(&element, "end", in: zone)
            if element["duration"] == nil { element["duration"] = Self.defaultDuration }
            let targets = element["targetValues"] ?? []
            guard let values = targets.isNull ? [] : targets.array else {
                throw CarePlanError(.scheduleInvalid, at: "$.schedule.elements[\(index)].targetValues")
            }
            element["targetValues"] = .array(values.map { outcomeValue($0, in: zone) })
            let read = try CareScheduleElement(element, at: "$.schedule.elements[\(index)]")
            // CareKit's initialiser moves the start of events of whole days to the start of the day.
            let start = read.start.timeIntervalSinceReferenceDate
            if read.start != Date(careSeconds: element["start"]) { element["start"] = Self.number(start) }
            elements.append((start, element))
        }
        schedule["elements"] = .array(
            elements.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
                .map(\.element.element))
        return schedule
    }

    /// Makes an outcome value of JSON: a number, a text or a Boolean, or an object with `value` and other members of
    /// CareKit's JSON.
    func outcomeValue(_ json: JSON, in zone: TimeZone) -> JSON {
        var value = json.object == nil ? ["value": json] as JSON : json
        Self.readDate(&value, "createdDate", in: zone)
        if value["createdDate"] == nil { value["createdDate"] = now }
        if value["type"]?.string == "date" { Self.readDate(&value, "value", in: zone) }
        if value["type"] == nil {
            let type: String? =
                switch value["value"] {
                case .number(let number): number.integer == nil ? "double" : "integer"
                case .bool: "boolean"
                case .string: "text"
                default: nil
                }
            if let type { value["type"] = .string(type) }
        }
        return value
    }
}
