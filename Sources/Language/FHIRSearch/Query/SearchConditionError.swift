import Core

/// The reason that a search condition is refused. The message names the parameter, but never the searched value, which
/// may be health data.
public struct SearchConditionError: CodedError, Hashable {
    /// Stable code for programs, such as `parameter-unknown`.
    public let code: String
    /// Message for users; it contains no searched value.
    public let message: String

    /// Creates the value from its parts.
    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    package static func unknownParameter(_ type: String) -> SearchConditionError {
        SearchConditionError(
            code: "parameter-unknown", message: "\(type) has no such search parameter; see /fhir/metadata.")
    }

    /// The error of an unknown parameter, with its name.
    package static func unknownParameter(_ name: String, of types: [String]) -> SearchConditionError {
        let owner = types.count == 1 ? types[0] : "None of the searched types"
        return SearchConditionError(
            code: "parameter-unknown",
            message: "\(owner) has no search parameter \(ParameterName.shown(name)); see /fhir/metadata.")
    }

    /// <https://hl7.org/fhir/R4/http.html#vsearch>: a search of several types accepts only parameters that all of them
    /// have.
    static func parameterNotCommon(_ name: String) -> SearchConditionError {
        SearchConditionError(
            code: "parameter-not-common",
            message:
                "Not all searched types have the parameter \(ParameterName.shown(name)); name in _type only "
                + "types that have it.")
    }

    static func unknownModifier(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "modifier-unknown",
            message: "\(parameter) does not support this modifier; remove it, or use another one.")
    }

    package static func invalid(_ parameter: String, _ wanted: String) -> SearchConditionError {
        SearchConditionError(code: "parameter-invalid", message: "\(parameter) must be \(wanted).")
    }

    /// The error of an unknown compartment, or of a type whose resources do not belong to it.
    package static let compartmentUnknown = SearchConditionError(
        code: "compartment-unknown",
        message: "There is no such compartment, or no resources of this type belong to it.")

    package static func escape(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "parameter-escape",
            message:
                "In \(parameter) a backslash precedes another character than a comma, |, $ or \\; write \\\\ for it.")
    }

    package static func tooMany(_ parameter: String, _ limit: Int) -> SearchConditionError {
        SearchConditionError(
            code: "too-costly", message: "\(parameter) has more than \(limit) values; use several searches."
        )
    }
}
