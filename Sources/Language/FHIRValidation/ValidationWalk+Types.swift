import FHIR
import UCUM

extension ValidationWalk {
    /// Checks the rules of certain data types in addition to their structure.
    mutating func special(_ special: ValidationPlan.Special, _ object: JSONObject) {
        switch special {
        case .extension: extensionRules(object)
        case .reference: referenceRules(object)
        case .quantity: quantityRules(object)
        case .coding: codingRules(object)
        case .none, .narrative, .codeableConcept, .bundle, .resource, .xhtml: break
        }
        if special != .extension { extensionList(object) }
    }

    /// Checks that a unit's code has a system (qty-3), and that a code of UCUM is valid. No binding makes this an
    /// error.
    private mutating func quantityRules(_ object: JSONObject) {
        let hasCode = object["code"] != nil || object.sibling(of: "code") != nil
        if hasCode, object["system"] == nil, object.sibling(of: "system") == nil {
            error(
                .invariant, code: "qty-3",
                message: "qty-3: A code for a unit needs its system: add http://unitsofmeasure.org or another.")
        }
        if let code = object["code"]?.string, object["system"]?.string == "http://unitsofmeasure.org",
            !UCUMUnit.isValid(code)
        {
            warning(.codeInvalid, code: "unknown-unit", message: "UCUM has no such unit: correct the code.", at: "code")
        }
    }

    private mutating func codingRules(_ object: JSONObject) {
        if let code = object["code"]?.string, object["system"]?.string == "http://unitsofmeasure.org",
            !UCUMUnit.isValid(code)
        {
            warning(.codeInvalid, code: "unknown-unit", message: "UCUM has no such unit: correct the code.", at: "code")
        }
        if let system = object["system"]?.string, !system.isEmpty, !ValidationWalk.isAbsolute(system) {
            // HealthKitToFhir writes `com.apple.health` into each of its Observations.
            warning(
                .value, code: "relative-system",
                message: "The system of a coding is an absolute URI: write it with its scheme.",
                at: "system")
        }
    }

    /// Whether libraries write elements of this type with only an id: HealthKitOnFHIR's identifier has the sample's
    /// UUID as its id, and no value.
    func mayHaveIDAlone(_ type: TypeModel.TypeID) -> Bool {
        ["Identifier", "Coding"].contains(model.name(of: type))
    }

    /// Whether the present primitive is the value of an Identifier.
    var isIdentifierValue: Bool {
        guard path.steps.count >= 2, path.steps[path.steps.count - 1].key == "value" else { return false }
        let owner = path.steps[path.steps.count - 2].type
        return owner.isKnown && model.name(of: owner) == "Identifier"
    }
}
