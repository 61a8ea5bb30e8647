import FHIR

extension HealthSample {
    /// The systems of the observation's identifiers.
    public enum IdentifierSystem {
        /// The SHA-256 of the content: ``SampleFingerprint/text``.
        public static let contentHash = "urn:tributary:content-hash"
        /// HealthKit's own identifier, under the system that other exporters of HealthKit data use.
        public static let healthKit = "com.apple.health"
    }

    /// Returns the sample as a FHIR R4 observation (<https://hl7.org/fhir/R4/observation.html>).
    ///
    /// - Parameter subject: the id of the Patient; nil omits the subject.
    public func observation(subject: String?) -> Observation { observation(subject: subject, fingerprint: fingerprint) }

    func observation(
        subject: String?, fingerprint: SampleFingerprint, units: HealthSelection.Units = .metric
    ) -> Observation {
        var object = JSONObject()
        object["resourceType"] = "Observation"
        object["id"] = .string(fingerprint.resourceID(subject: subject))
        let extensions = context.metadata.filter { !$0.isComponent(of: type) }.map { $0.extension(units) }
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        var identifiers: [JSON] = []
        if let uuid {
            identifiers.append(Identifier(system: IdentifierSystem.healthKit, value: uuid.uuidString).json)
        }
        identifiers.append(["system": .string(IdentifierSystem.contentHash), "value": .string(fingerprint.text)])
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
        case .quantity(let quantity): object["valueQuantity"] = type.measure.map { quantity.json(as: $0, units) }
        case .option(let option): object["valueCodeableConcept"] = option.concept
        case .event: object["valueBoolean"] = true
        case .workout(let workout): object["valueCodeableConcept"] = workout.activity.concept
        case .bloodPressure, .components: break
        }
        if context.wasUserEntered == true { object["method"] = HealthContext.enteredByHand }
        object["device"] = source.reference(subject: subject)
        if !members.isEmpty { object["hasMember"] = memberReferences(subject: subject) }
        let components =
            componentValues(units)
            + context.metadata.filter { $0.isComponent(of: type) }.map { $0.component(units) }
        if !components.isEmpty { object["component"] = .array(components) }
        return Observation(object)
    }

    /// `Observation.hasMember`.
    func memberReferences(subject: String?) -> JSON {
        .array(members.map { ["reference": .string("Observation/" + $0.resourceID(subject: subject))] })
    }

    private func componentValues(_ units: HealthSelection.Units) -> [JSON] {
        func component(_ measure: HealthMeasure, _ quantity: HealthQuantity) -> JSON {
            ["code": measure.concept, "valueQuantity": quantity.json(as: measure, units)]
        }
        return switch value {
        case .quantity, .option, .event: []
        case .bloodPressure(let systolic, let diastolic):
            zip(type.components, [systolic, diastolic]).compactMap { part, quantity in
                quantity.map { component(part.measure, $0) }
            }
        case .workout(let workout):
            type.components.compactMap { part in
                workout.figures.first { $0.identifier == part.identifier }.map { component(part.measure, $0.quantity) }
            } + workout.parts.map { $0.component(units) }
        case .components(let members): members.map { component($0.measure, $0.quantity) }
        }
    }
}

extension HealthQuantity {
    /// The extension of a Quantity that contains the same quantity as it was recorded, in HealthKit's unit
    public static let recordedURL = "http://hl7.org/fhir/StructureDefinition/iso21090-PQ-translation"

    /// Returns the extension for the recorded digits and unit.
    static func recorded(_ digits: JSONNumber, _ unit: String) -> JSON {
        [
            "url": .string(recordedURL),
            "valueQuantity": [
                "value": .number(digits), "unit": .string(unit), "system": .string(HealthCodeSystem.healthKit),
                "code": .string(unit),
            ],
        ]
    }

    /// Whether the value has its recorded digits, in a unit of the same size.
    var isAsGiven: Bool { unit.scale == .same }

    /// Returns a FHIR Quantity.
    func json(as measure: HealthMeasure, _ units: HealthSelection.Units) -> JSON {
        guard case .object(let plain) = measure.quantity(number), !isAsGiven else { return measure.quantity(number) }
        if units == .asRecorded, unit.scale != .fraction, let code = unit.ucum {
            let value = JSONNumber(text: written) ?? number
            return [
                "value": .number(value), "unit": .string(unit.name), "system": "http://unitsofmeasure.org",
                "code": .string(code),
            ]
        }
        var object = JSONObject()
        object["extension"] = [Self.recorded(JSONNumber(text: written) ?? number, unit.name)]
        for member in plain.members { object[member.key] = member.value }
        return .object(object)
    }
}

extension SourceUnit {
    /// The UCUM code of the unit; nil if there is none.
    var ucum: String? { (try? HealthKitUnit(name))?.ucum }
}

extension HealthSource {
    /// Returns `Observation.device`: the device if it is known, otherwise only the kind of product.
    func reference(subject: String?) -> JSON {
        device?.reference(subject: subject) ?? ["display": .string(product.rawValue)]
    }
}

extension HealthContext {
    /// `Observation.method` of samples that the person entered.
    static let enteredByHand = CodeableConcept(
        coding: [
            Coding(system: HealthCodeSystem.healthKit, code: "HKWasUserEntered", display: "Entered by the person")
        ],
        text: "Entered by hand"
    ).json

    /// Returns whether an observation's method means that a person entered it.
    public static func isEnteredByHand(_ method: CodeableConcept?) -> Bool {
        method.map { method in
            let own = CodeableConcept(json: enteredByHand)?.coding ?? []
            return own.contains { one in method.coding.contains { $0.system == one.system && $0.code == one.code } }
        } ?? false
    }

    static let enteredByHandText = enteredByHand.bytes()
}
