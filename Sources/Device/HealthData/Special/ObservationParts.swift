import FHIR

/// The parts of an observation that depend on the kind of record.
struct ObservationParts {
    /// `value[x]` without the prefix, for example `Integer`.
    var value: (type: String, value: JSON)?
    var components: [JSON] = []
    var extensions: [JSON] = []
    /// `Observation.focus`.
    var focus: JSON?

    /// Adds a component with a code and a value.
    mutating func add(_ code: JSON, type: String, value: JSON, extensions: [JSON] = []) {
        var object = JSONObject()
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        object["code"] = code
        object["value" + type] = value
        components.append(.object(object))
    }

    /// Adds a component with a quantity, if there is one.
    mutating func add(_ code: JSON, _ quantity: SpecialQuantity?, extensions: [JSON] = []) {
        guard let quantity else { return }
        add(code, type: "Quantity", value: quantity.json, extensions: extensions)
    }

    /// Adds a component for a value of the source that is not recognised
    /// (<http://terminology.hl7.org/CodeSystem/data-absent-reason>).
    mutating func addUnknown(_ code: JSON, _ reason: String) {
        components.append([
            "code": code,
            "dataAbsentReason": CodeableConcept(
                coding: [
                    Coding(
                        system: "http://terminology.hl7.org/CodeSystem/data-absent-reason", code: "unknown",
                        display: "Unknown")
                ], text: reason
            ).json,
        ])
    }

    /// Adds a component with one of HealthKit's cases, if there is one.
    mutating func add(_ code: JSON, _ option: HealthOption?) {
        guard let option else { return }
        add(code, type: "CodeableConcept", value: option.coded)
    }
}

extension SpecialRecord {
    /// Returns the observation with the parts of this kind, in the order of ``HealthSample/observation(subject:)``.
    func observation(subject: String?, device: JSON?, extensions: [JSON], _ parts: ObservationParts) -> Observation {
        var object = JSONObject()
        object["resourceType"] = "Observation"
        object["id"] = .string(id(subject: subject))
        let all = extensions + parts.extensions
        if !all.isEmpty { object["extension"] = .array(all) }
        object["identifier"] = .array(identifiers)
        object["status"] = "final"
        object["category"] = kind.category
        object["code"] = kind.concept
        if let subject { object["subject"] = ["reference": .string("Patient/" + subject)] }
        if let focus = parts.focus { object["focus"] = [focus] }
        switch time {
        case .period(let start, let end) where start.seconds == end.seconds:
            object["effectiveDateTime"] = .string(start.text)
        case .period(let start, let end):
            object["effectivePeriod"] = ["start": .string(start.text), "end": .string(end.text)]
        case .day(let day): object["effectiveDateTime"] = .string(day)
        case .unknown: break
        }
        if let created = origin.created { object["issued"] = .string(created.text) }
        if let value = parts.value { object["value" + value.type] = value.value }
        if origin.wasUserEntered == true { object["method"] = Self.enteredByHand }
        if let device {
            object["device"] = device
        } else if let source = origin.source {
            object["device"] =
                source.device?.reference(subject: subject) ?? .reference(display: source.product.rawValue)
        }
        if !parts.components.isEmpty { object["component"] = .array(parts.components) }
        return Observation(object)
    }

    /// HealthKit's own identifier, if it is known, followed by the hash of the content.
    var identifiers: [JSON] {
        var identifiers: [JSON] = []
        if let uuid = origin.uuid {
            identifiers.append(Identifier(system: HealthSample.IdentifierSystem.healthKit, value: uuid.uuidString).json)
        }
        identifiers.append(
            Identifier(system: HealthSample.IdentifierSystem.contentHash, value: fingerprint.text).json)
        return identifiers
    }

    private static var enteredByHand: JSON {
        CodeableConcept(
            coding: [
                Coding(system: HealthCodeSystem.healthKit, code: "HKWasUserEntered", display: "Entered by the person")
            ],
            text: "Entered by hand"
        ).json
    }
}

extension JSON {
    /// Returns a Reference with only a display text.
    fileprivate static func reference(display: String) -> JSON { ["display": .string(display)] }
}

/// The codes of components.
enum ComponentCode {
    /// Returns a code of HealthKit, named by the class and property in Apple's documentation, with standard codes.
    static func healthKit(_ code: String, _ title: String, further: [Coding] = []) -> JSON {
        CodeableConcept(
            coding: [Coding(system: HealthCodeSystem.healthKit, code: code, display: title)] + further, text: title
        ).json
    }

    /// Returns a code of Tributary's own system followed by HealthKit's code, which alone would be ambiguous (left and
    /// right).
    static func own(_ code: String, _ title: String, healthKit: String, healthKitTitle: String) -> JSON {
        CodeableConcept(
            coding: [
                Coding(system: HealthCodeSystem.component, code: code, display: title),
                Coding(system: HealthCodeSystem.healthKit, code: healthKit, display: healthKitTitle),
            ], text: title
        ).json
    }

    /// Returns a code for a component that HealthKit does not name.
    static func own(_ code: String, _ title: String) -> JSON {
        CodeableConcept(
            coding: [Coding(system: HealthCodeSystem.component, code: code, display: title)], text: title
        ).json
    }

    /// The heart rate, with LOINC's code first.
    static let heartRate = CodeableConcept(
        coding: [
            Coding(system: HealthCodeSystem.loinc, code: "8867-4", display: "Heart rate"),
            Coding(
                system: HealthCodeSystem.healthKit, code: "HKQuantityTypeIdentifierHeartRate", display: "Heart Rate"),
        ], text: "Heart Rate"
    ).json
}

extension HealthOption {
    /// A CodeableConcept with the case.
    var coded: JSON {
        CodeableConcept(
            coding: [Coding(system: HealthCodeSystem.healthKit, code: code, display: display)], text: display
        ).json
    }
}
