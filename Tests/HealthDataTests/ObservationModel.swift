import FHIR

@testable import HealthData

/// A second mapper of samples to observations. It builds JSON values, and the tests compare its text with that of
/// ``HealthObservation/write(to:id:)``.
struct ObservationModel {
    let sample: HealthSample
    let subject: String?
    let units: HealthSelection.Units

    var json: JSON {
        let (type, fingerprint) = (sample.type, sample.fingerprint)
        var object = JSONObject()
        object["resourceType"] = "Observation"
        object["id"] = .string(fingerprint.resourceID(subject: subject))
        let extensions = sample.context.metadata.filter { !$0.isComponent(of: type) }.map(`extension`)
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        var identifiers: [JSON] = []
        if let uuid = sample.uuid {
            identifiers.append(["system": "com.apple.health", "value": .string(uuid.uuidString)])
        }
        identifiers.append(["system": "urn:tributary:content-hash", "value": .string(fingerprint.text)])
        object["identifier"] = .array(identifiers)
        object["status"] = "final"
        object["category"] = type.categoryJSON
        object["code"] = type.concept
        if let subject { object["subject"] = ["reference": .string("Patient/" + subject)] }
        if sample.start.seconds == sample.end.seconds {
            object["effectiveDateTime"] = .string(sample.start.text)
        } else {
            object["effectivePeriod"] = ["start": .string(sample.start.text), "end": .string(sample.end.text)]
        }
        if let created = sample.created { object["issued"] = .string(created.text) }
        switch sample.value {
        case .quantity(let value): object["valueQuantity"] = type.measure.map { quantity(value, as: $0) }
        case .option(let option): object["valueCodeableConcept"] = option.concept
        case .event: object["valueBoolean"] = true
        case .workout(let workout): object["valueCodeableConcept"] = workout.activity.concept
        case .bloodPressure, .components: break
        }
        if sample.context.wasUserEntered == true { object["method"] = HealthContext.enteredByHand }
        object["device"] = sample.source.reference(subject: subject)
        if !sample.members.isEmpty {
            object["hasMember"] = .array(
                sample.members.map { ["reference": .string("Observation/" + $0.resourceID(subject: subject))] })
        }
        let components = values + sample.context.metadata.filter { $0.isComponent(of: type) }.map(component)
        if !components.isEmpty { object["component"] = .array(components) }
        return .object(object)
    }

    private var values: [JSON] {
        switch sample.value {
        case .quantity, .option, .event: []
        case .bloodPressure(let systolic, let diastolic):
            zip(sample.type.components, [systolic, diastolic]).compactMap { part, value in
                value.map { component(part.measure, $0) }
            }
        case .workout(let workout):
            sample.type.components.compactMap { part in
                workout.figures.first { $0.identifier == part.identifier }.map { component(part.measure, $0.quantity) }
            } + workout.parts.map(component)
        case .components(let members): members.map { component($0.measure, $0.quantity) }
        }
    }

    private func component(_ measure: HealthMeasure, _ value: HealthQuantity) -> JSON {
        ["code": measure.concept, "valueQuantity": quantity(value, as: measure)]
    }

    private func component(_ part: HealthWorkoutPart) -> JSON {
        var object = JSONObject()
        let figures = part.figures.map { figure -> JSON in
            [
                "url": .string(HealthWorkoutPart.figurePrefix + figure.identifier),
                "valueQuantity": quantity(figure.quantity, as: figure.measure),
            ]
        }
        let extensions = part.context.metadata.map(`extension`) + figures
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        object["code"] = part.kind.concept
        let (start, end) = (part.start.text, part.end.text)
        if start == end, part.endMilliseconds == 0 {
            object["valueDateTime"] = .string(start)
        } else {
            let digits = String(part.endMilliseconds + 1000).dropFirst()
            let fraction = part.endMilliseconds == 0 ? "" : "." + digits
            object["valuePeriod"] = [
                "start": .string(start), "end": .string(end.prefix(19) + fraction + end.dropFirst(19)),
            ]
        }
        return .object(object)
    }

    private func component(_ datum: HealthMetadatum) -> JSON {
        let member = member(of: datum, isComponent: true)
        return ["code": datum.key.concept, member.name: member.value]
    }

    private func `extension`(_ datum: HealthMetadatum) -> JSON {
        let member = member(of: datum, isComponent: false)
        return ["url": .string(HealthMetadataKey.extensionPrefix + datum.key.key), member.name: member.value]
    }

    private func member(of datum: HealthMetadatum, isComponent: Bool) -> (name: String, value: JSON) {
        switch datum.value {
        case .boolean(let flag): ("valueBoolean", .bool(flag))
        case .option(let option):
            isComponent ? ("valueCodeableConcept", option.concept) : ("valueCode", .string(option.code))
        case .quantity(let measure, let value): ("valueQuantity", quantity(value, as: measure))
        }
    }

    private func quantity(_ value: HealthQuantity, as measure: HealthMeasure) -> JSON {
        let digits = JSONNumber(text: value.written) ?? value.number
        guard value.unit.scale != .same, case .object(let plain) = measure.quantity(value.number) else {
            return measure.quantity(value.number)
        }
        if units == .asRecorded, value.unit.scale != .fraction, let code = value.unit.ucum {
            return [
                "value": .number(digits), "unit": .string(value.unit.name), "system": "http://unitsofmeasure.org",
                "code": .string(code),
            ]
        }
        var object = JSONObject()
        object["extension"] = [HealthQuantity.recorded(digits, value.unit.name)]
        for member in plain.members { object[member.key] = member.value }
        return .object(object)
    }
}
