import FHIR

extension HealthSample {
    /// The systems of the observation's identifiers.
    public enum IdentifierSystem {
        /// The SHA-256 of the content: ``SampleIdentity/text``.
        public static let contentHash = "urn:tributary:content-hash"
        /// HealthKit's own identifier, under the system that other exporters of HealthKit use.
        public static let healthKit = "com.apple.health"
    }

    /// The sample as a FHIR R4 observation (<https://hl7.org/fhir/R4/observation.html>).
    ///
    /// - Parameter subject: the id of the Patient; nil leaves the subject out.
    public func observation(subject: String?) -> Observation { observation(subject: subject, identity: identity) }

    func observation(subject: String?, identity: SampleIdentity) -> Observation {
        var object = JSONObject()
        object["resourceType"] = "Observation"
        object["id"] = .string(identity.resourceID(subject: subject))
        let extensions = context.extensions
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        var identifiers: [JSON] = []
        if let uuid {
            identifiers.append(Identifier(system: IdentifierSystem.healthKit, value: uuid.uuidString).json)
        }
        identifiers.append(["system": .string(IdentifierSystem.contentHash), "value": .string(identity.text)])
        object["identifier"] = .array(identifiers)
        object["status"] = "final"
        object["category"] = type.categoryJSON
        object["code"] = type.concept
        if let subject { object["subject"] = ["reference": .string("Patient/" + subject)] }
        if start.seconds == end.seconds {
            object["effectiveDateTime"] = .string(start.text)
        } else {
            object["effectivePeriod"] = ["start": .string(start.text), "end": .string(end.text)]
        }
        if let created { object["issued"] = .string(created.text) }
        switch value {
        case .quantity(let quantity): object["valueQuantity"] = type.measure?.quantity(quantity.number)
        case .option(let option): object["valueCodeableConcept"] = option.concept
        case .event: object["valueBoolean"] = true
        case .workout(let workout): object["valueCodeableConcept"] = workout.activity.concept
        case .bloodPressure: break
        }
        if context.wasUserEntered == true { object["method"] = HealthContext.enteredByHand }
        object["device"] = source.device?.reference(subject: subject) ?? source.product.reference
        let components = componentValues
        if !components.isEmpty { object["component"] = .array(components) }
        return Observation(object)
    }

    private var componentValues: [JSON] {
        switch value {
        case .quantity, .option, .event: []
        case .bloodPressure(let systolic, let diastolic):
            zip(type.components, [systolic, diastolic]).compactMap { component, quantity in
                quantity.map { component.value($0) }
            }
        case .workout(let workout):
            type.components.compactMap { component in
                workout.figures.first { $0.identifier == component.identifier }.map { component.value($0.quantity) }
            }
        }
    }
}

extension HealthComponent {
    func value(_ quantity: HealthQuantity) -> JSON {
        ["code": measure.concept, "valueQuantity": measure.quantity(quantity.number)]
    }
}

extension HealthProduct {
    /// `Observation.device`: the kind of product alone.
    var reference: JSON { ["display": .string(rawValue)] }
}

extension HealthContext {
    /// The extensions that carry HealthKit's metadata: this prefix and the key.
    public static let extensionPrefix = "urn:tributary:healthkit-metadata:"

    /// `Observation.method` of what the person typed in.
    static let enteredByHand = CodeableConcept(
        coding: [Coding(system: CodeSystem.healthKit, code: "HKWasUserEntered", display: "Entered by the person")],
        text: "Entered by hand"
    ).json

    /// The same as text.
    static let enteredByHandText = enteredByHand.bytes()

    var extensions: [JSON] {
        var extensions: [JSON] = []
        func add(_ key: String, _ name: String, _ value: JSON) {
            extensions.append(Extension(url: Self.extensionPrefix + key, value: name, value).json)
        }
        if let motion, motion != .notSet {
            let word = motion == .active ? "active" : "sedentary"
            add("HKMetadataKeyHeartRateMotionContext", "Code", .string(word))
        }
        if let mealTime {
            add("HKBloodGlucoseMealTime", "Code", .string(mealTime == .preprandial ? "preprandial" : "postprandial"))
        }
        if let isIndoor { add("HKIndoorWorkout", "Boolean", .bool(isIndoor)) }
        return extensions
    }
}
