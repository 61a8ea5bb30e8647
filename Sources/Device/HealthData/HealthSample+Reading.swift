import FHIR
import Foundation

extension HealthSample {
    /// Reads an Observation of a type of the table. Only the members for plots and daily summaries are read: the type,
    /// the value in the type's unit, the times and the source. Metadata and identifiers are omitted.
    ///
    /// Nil for an Observation of another type, without a time, or with a value that the type does not permit.
    public init?(reading observation: Observation) {
        guard let type = HealthTypeTable.standard.type(of: observation.code?.coding ?? []),
            let value = HealthValue(reading: observation, of: type), let times = Self.times(of: observation)
        else { return nil }
        var context = HealthContext()
        if HealthContext.isEnteredByHand(observation.method) { context.wasUserEntered = true }
        self.init(
            type: type, value: value, start: times.start, end: times.end, source: HealthSource(reading: observation),
            context: context)
    }

    /// Returns the first and last instant of an Observation with the offset of its text; nil if there is no time.
    private static func times(of observation: Observation) -> (start: HealthInstant, end: HealthInstant)? {
        let object = observation.object
        if let text = object["effectiveDateTime"]?.string ?? object["effectiveInstant"]?.string {
            return HealthInstant(reading: text).map { ($0, $0) }
        }
        guard let period = object["effectivePeriod"] else { return nil }
        let (start, end) = (period["start"]?.string, period["end"]?.string)
        guard let first = (start ?? end).flatMap(HealthInstant.init(reading:)) else { return nil }
        let last = (end ?? start).flatMap(HealthInstant.init(reading:)) ?? first
        return (first, last.seconds < first.seconds ? first : last)
    }
}

extension HealthInstant {
    /// Reads a FHIR dateTime; one without an offset is read as UTC.
    init?(reading text: String) {
        guard let time = DateTime(text) else { return nil }
        self.init(
            seconds: Int64(time.start().timeIntervalSince1970.rounded(.down)),
            offsetMinutes: Int16(time.offsetMinutes ?? 0))
    }
}

extension HealthValue {
    /// Reads the value of an Observation of a type; nil if it has no value of the type's kind.
    fileprivate init?(reading observation: Observation, of type: HealthType) {
        let object = observation.object
        switch type.valueKind {
        case .quantity:
            guard let quantity = type.measure.flatMap({ HealthQuantity(object["valueQuantity"], of: $0) }) else {
                return nil
            }
            self = .quantity(quantity)
        case .concept:
            let codes = (object["valueCodeableConcept"]?["coding"]?.array ?? []).compactMap { $0["code"]?.string }
            guard let option = codes.lazy.compactMap(type.option(named:)).first else { return nil }
            self = type.kind == .workout ? .workout(Self.workout(option, of: type, observation)) : .option(option)
        case .event: self = .event
        case .components where type.components.count == 2 && type.kind == .correlation:
            let parts = type.components.map { Self.quantity(of: $0, in: observation) }
            guard parts.contains(where: { $0 != nil }) else { return nil }
            self = .bloodPressure(systolic: parts[0], diastolic: parts[1])
        case .components, .sampledData, .integer, .resource: return nil
        }
    }

    private static func workout(
        _ activity: HealthOption, of type: HealthType, _ observation: Observation
    ) -> HealthWorkout {
        var workout = HealthWorkout(activity: activity)
        for component in type.components {
            if let quantity = quantity(of: component, in: observation) { workout.add(component.identifier, quantity) }
        }
        return workout
    }

    private static func quantity(of component: HealthComponent, in observation: Observation) -> HealthQuantity? {
        let codes = Set(component.codings.compactMap { coding in coding.code.map { [coding.system ?? "", $0] } })
        for part in observation.object["component"]?.array ?? [] {
            let own = (part["code"]?["coding"]?.array ?? []).map {
                [$0["system"]?.string ?? "", $0["code"]?.string ?? ""]
            }
            guard own.contains(where: codes.contains) else { continue }
            return HealthQuantity(part["valueQuantity"], of: component.measure)
        }
        return nil
    }
}

extension HealthQuantity {
    /// Reads a FHIR Quantity of a measure; nil if it cannot be converted.
    fileprivate init?(_ json: JSON?, of measure: HealthMeasure) {
        guard let quantity = json.flatMap(Quantity.init(json:)), let value = measure.value(of: quantity) else {
            return nil
        }
        self.init(number: value, of: measure)
    }

    /// Creates a quantity from a value in the unit of its measure.
    private init(number: JSONNumber, of measure: HealthMeasure) {
        written = number.text
        unit = SourceUnit(measure.unit.display)
        self.number = number
        repairs = []
    }
}

extension HealthSource {
    /// Reads the source of an Observation that was converted from a sample: the kind of product, and the device's id,
    /// which distinguishes two devices of one kind.
    fileprivate convenience init(reading observation: Observation) {
        let device = observation.object["device"]
        let product = device?["display"]?.string.flatMap(HealthProduct.init(rawValue:)) ?? .app
        let id = device?["reference"]?.string?.split(separator: "/").last ?? ""
        self.init(product: product, version: String(id.filter { $0 != "-" }))
    }
}
