import FHIR
import UCUM

extension ValidationWalk {
    /// The rules of single data types beyond their structure.
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

    /// A unit's code needs its system (qty-3), and a code of UCUM should be one: no binding makes it an error.
    private mutating func quantityRules(_ object: JSONObject) {
        let hasCode = object["code"] != nil || object.sibling(of: "code") != nil
        if hasCode, object["system"] == nil, object.sibling(of: "system") == nil {
            error(
                .invariant, "qty-3",
                "qty-3: A code for a unit needs its system: add http://unitsofmeasure.org or another.")
        }
        if let code = object["code"]?.string, object["system"]?.string == "http://unitsofmeasure.org",
            !UCUMUnit.isValid(code)
        {
            warning(.codeInvalid, "unknown-unit", "UCUM has no such unit: correct the code.", at: "code")
        }
    }

    private mutating func codingRules(_ object: JSONObject) {
        if let code = object["code"]?.string, object["system"]?.string == "http://unitsofmeasure.org",
            !UCUMUnit.isValid(code)
        {
            warning(.codeInvalid, "unknown-unit", "UCUM has no such unit: correct the code.", at: "code")
        }
        if let system = object["system"]?.string, !system.isEmpty, !ValidationWalk.isAbsolute(system) {
            error(
                .value, "relative-system", "The system of a coding is an absolute URI: write it with its scheme.",
                at: "system")
        }
    }
}
