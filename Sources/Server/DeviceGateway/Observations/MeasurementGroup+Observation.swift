import Core
import FHIR

extension MeasurementGroup {
    /// Returns the Observation of the readings.
    ///
    /// - Parameters:
    ///   - id: the id of the Observation; nil for one that is not stored (``id``).
    ///   - patient: the id of the Patient to whom the device belongs; nil if it is unknown.
    ///   - device: the id of the Device; nil if it is unknown.
    ///   - status: `amended` if an Observation of fewer readings was released before.
    /// - Throws: ``MeasurementProblem`` if the template does not accept a value, or there is no value.
    func observation(
        id: String? = nil, patient: String?, device: String?, status: ObservationStatus = .final
    ) throws(MeasurementProblem) -> Resource {
        var members: [JSONObject.Member] = []
        func add(_ key: String, _ value: JSON) { members.append(.init(key: key, value: value)) }
        add("resourceType", .string(Observation.resourceType))
        add("id", .string(id ?? self.id))
        let times = times
        if !times.isEmpty { add("extension", .array(times.map(\.json))) }
        add("identifier", [["system": .string(Self.identifierSystem), "value": .string(identifier)]])
        add("status", .string(status.rawValue))
        if !template.category.isEmpty { add("category", .array(template.category)) }
        let type = template.typeName
        let service: JSON = [
            "system": .string(Self.identifierSystem), "code": .string(type), "display": .string(type),
        ]
        add("code", ["coding": .array(template.codings + [service]), "text": .string(type)])
        if let patient { add("subject", ["reference": .string("Patient/\(patient)")]) }
        if let encounter = measurements.first?.encounterID {
            add("encounter", ["identifier": ["value": .string(encounter)]])
        }
        add("effectivePeriod", ["start": .string(start.description), "end": .string(end.description)])
        if let value = template.value, let made = try made(value) { add("value" + made.name, made.json) }
        add(
            "device",
            device.map { ["reference": .string("Device/\($0)")] }
                ?? ["identifier": ["value": .string(measurements.first?.deviceID ?? "")]])
        var components: [JSON] = []
        for component in template.components {
            guard let made = try made(component.value) else { continue }
            let own: JSON = [
                "system": .string(Self.identifierSystem), "code": .string(component.value.name),
                "display": .string(component.value.name),
            ]
            var object = JSONObject()
            object["code"] = ["coding": .array(component.codings + [own]), "text": .string(component.value.name)]
            object["value" + made.name] = made.json
            components.append(.object(object))
        }
        if !components.isEmpty { add("component", .array(components)) }
        let hasValue = members.contains { $0.key.hasPrefix("value") } || !components.isEmpty
        guard hasValue else {
            throw MeasurementProblem("value-missing", "The readings have none of the values that the template names.")
        }
        return Resource(JSONObject(keepingFirst: members))
    }

    /// The times of measurement of values in a window, which have no time of their own in FHIR.
    private var times: [ValueTime] {
        guard template.period != .single else { return [] }
        let values = [(template.value, nil)] + template.components.map { ($0.value, $0.value.name) }
        return values.compactMap { (value: FHIRTemplate.Value?, name: String?) in
            guard let value, case .quantity = value.kind,
                let last = measurements.last(where: { $0.value(value.name) != nil }), last.occurrence != start,
                let time = DateTime(last.occurrence.description)
            else { return nil }
            return ValueTime(name: name, time: time)
        }
    }

    /// Checks that a reading has a value that its template accepts, so that an invalid reading does not exclude
    /// others.
    ///
    /// - Throws: ``MeasurementProblem`` `value-missing`, `value-not-a-number`.
    static func check(_ measurement: Measurement, by template: FHIRTemplate) throws(MeasurementProblem) {
        var hasValue = false
        for value in [template.value].compactMap({ $0 }) + template.components.map(\.value) {
            guard let text = measurement.value(value.name) else { continue }
            hasValue = true
            switch value.kind {
            case .sampled, .quantity: _ = try number(text)
            case .string, .concept: break
            }
        }
        guard hasValue else {
            throw MeasurementProblem("value-missing", "The reading has none of the values that the template names.")
        }
    }

    /// Returns a value as a FHIR element; nil if no reading has it.
    private func made(_ value: FHIRTemplate.Value) throws(MeasurementProblem) -> (name: String, json: JSON)? {
        var found: [(time: MeasurementTime, text: String)] = []
        for measurement in measurements {
            if let text = measurement.value(value.name) { found.append((measurement.occurrence, text)) }
        }
        // The last measured value, regardless of the order of arrival.
        guard let last = found.last?.text else { return nil }
        switch value.kind {
        case .sampled(let period, let unit):
            guard (end.ticks - start.ticks) / period < FHIRTemplate.maximumValues else {
                throw MeasurementProblem(
                    "too-many-measurements", "The readings are further apart than one Observation can hold.")
            }
            for index in found.indices { found[index].text = try Self.number(found[index].text).text }
            var origin = JSONObject()
            origin["value"] = 0
            if let unit { origin["unit"] = .string(unit) }
            return (
                "SampledData",
                [
                    "origin": .object(origin), "period": .number(JSONNumber(period / MeasurementTime.perMillisecond)),
                    "dimensions": 1,
                    "data": .string(SampledValues.data(of: found, from: start, through: end, period: period)),
                ]
            )
        case .quantity(let unit, let system, let code):
            var quantity = JSONObject()
            quantity["value"] = .number(try Self.number(last))
            for (name, text) in [("unit", unit), ("system", system), ("code", code)] {
                if let text { quantity[name] = .string(text) }
            }
            return ("Quantity", .object(quantity))
        case .string: return ("String", .string(last))
        case .concept(let concept): return ("CodeableConcept", concept)
        }
    }

    /// Returns a number with its original digits.
    private static func number(_ text: String) throws(MeasurementProblem) -> JSONNumber {
        guard text.utf8.count <= 40, let number = JSONNumber(text: text), number.double.isFinite else {
            throw MeasurementProblem("value-not-a-number", "A value of a reading is no number.")
        }
        return number
    }
}

/// The result of the templates of a study for a device's events, without a store: a test of templates.
package struct TemplateTrial: Sendable {
    package let measurements: [Measurement]
    package let observations: [Resource]
    package let problems: [MeasurementProblem]

    /// - Parameters:
    ///   - events: the events in the order of arrival.
    ///   - templates: the FHIR templates; nil to produce only readings.
    package init(events: [JSON], device: DeviceTemplates, fhir templates: FHIRTemplates?) {
        var measurements: [Measurement] = []
        var problems: [MeasurementProblem] = []
        for event in events {
            let (found, failed) = device.measurements(in: event)
            measurements += found
            problems += failed
        }
        var observations: [Resource] = []
        if let templates {
            let (groups, failed) = MeasurementGroup.groups(of: measurements, by: templates)
            problems += failed
            for group in groups {
                do throws(MeasurementProblem) {
                    observations.append(
                        try group.observation(patient: group.measurements.first?.patientID, device: nil))
                } catch { problems.append(error) }
            }
        }
        self.measurements = measurements
        self.observations = observations
        self.problems = problems
    }

    /// `{"measurements": …, "observations": …, "problems": [{"code", "message"}]}`
    package var json: JSON {
        [
            "measurements": .array(measurements.map(\.json)), "observations": .array(observations.map(\.json)),
            "problems": .array(
                problems.map { ["code": .string($0.code), "message": .string($0.message)] }),
        ]
    }
}
