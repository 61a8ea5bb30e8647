import FHIR
import FHIRValidation

/// Short ways to validate a text in a test.
enum Validated {
    static func errors(_ text: String, _ validator: FHIRValidator = FHIRValidator(), profiles: [String] = [])
        -> [String]
    {
        validator.validate(Array(text.utf8), profiles: profiles).errors.map { "\($0.code) \($0.expression)" }
    }

    /// Returns a valid Observation with further members.
    static func observation(_ members: String = "") -> String {
        let rest = members.isEmpty ? "" : "," + members
        return #"{"resourceType":"Observation","status":"final","code":{"text":"x"}\#(rest)}"#
    }

    static func patient(_ members: String) -> String { #"{"resourceType":"Patient",\#(members)}"# }
}
