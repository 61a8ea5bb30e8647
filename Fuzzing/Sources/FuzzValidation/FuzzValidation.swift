import FHIR
import FHIRValidation

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

/// Whatever is validated: it ends, each issue has a sentence and a place, and the outcome is a right resource itself.
func fuzzValidation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let report = validator.validate(bytes, profiles: ["http://example.org/p"])
    for issue in report.issues {
        precondition(!issue.message.isEmpty && !issue.code.isEmpty, "an issue says nothing")
        precondition(issue.line ?? 1 >= 1 && issue.column ?? 1 >= 1, "the place is outside")
    }
    // The text as a definition: a profile of any shape is read.
    if let definition = (try? JSON(bytes))?.object {
        let own = FHIRValidator(profiles: [definition])
        _ = own.validate(
            ["resourceType": "Observation", "status": "final"], profiles: own.profilesToAsk(for: "Observation"))
    }
    return 0
}

/// The entry that SwiftPM links as the program: it hands over to libFuzzer.
@_cdecl("FuzzValidation_main")
public func fuzzValidationMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var count = count
    var arguments = arguments
    return runFuzzer(&count, &arguments, fuzzValidation)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
