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
    public func observation(subject: String?) -> Observation {
        HealthObservation(self, fingerprint: fingerprint, subject: subject).observation
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
