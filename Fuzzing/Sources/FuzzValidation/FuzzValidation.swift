import FHIR
import FHIRValidation
import FuzzDriver

private let validator: FHIRValidator = {
    let profile = """
        {"resourceType":"StructureDefinition","url":"http://example.org/p","type":"Observation",
        "baseDefinition":"http://hl7.org/fhir/StructureDefinition/vitalsigns","differential":{"element":[
        {"id":"Observation.component","path":"Observation.component","min":1,
        "slicing":{"discriminator":[{"type":"value","path":"code.coding.code"}],"rules":"closed"}},
        {"id":"Observation.component:a","path":"Observation.component","sliceName":"a","max":"1"},
        {"id":"Observation.component:a.code.coding.code","path":"Observation.component.code.coding.code","fixedCode":"a"}]}}
        """
    return FHIRValidator(profiles: [(try? JSON(profile.utf8))?.object ?? JSONObject()])
}()

/// The validation of any input ends, each issue has a message and a location, and the outcome itself is a valid
/// resource.
func fuzzValidation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let report = validator.validate(bytes, profiles: ["http://example.org/p"])
    for issue in report.issues {
        precondition(!issue.message.isEmpty && !issue.code.isEmpty, "an issue says nothing")
        precondition(issue.line ?? 1 >= 1 && issue.column ?? 1 >= 1, "the place is outside")
    }
    // Uses the text as a definition: a profile of any content can be read.
    if let definition = (try? JSON(bytes))?.object {
        let own = FHIRValidator(profiles: [definition])
        _ = own.validate(
            ["resourceType": "Observation", "status": "final"], profiles: own.applicableProfiles(for: "Observation"))
    }
    return 0
}

@main enum FuzzValidation {
    static func main() { fuzz(fuzzValidation) }
}
