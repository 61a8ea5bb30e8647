extension SearchConditionError {
    static func noReference(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "chain-invalid",
            message: "\(parameter) is not a reference, so it cannot be chained.")
    }

    static func noTarget(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "chain-invalid",
            message: "\(parameter) does not refer to resources of that type; see /fhir/metadata.")
    }

    static let reverseUnknown = SearchConditionError(
        code: "chain-invalid",
        message: "_has needs a type, its reference and a parameter: _has:Observation:patient:code=8867-4.")

    static func tooDeep(_ limit: Int) -> SearchConditionError {
        SearchConditionError(
            code: "too-costly", message: "A chain may follow up to \(limit) references; use several searches.")
    }

    package static let tooManySteps = SearchConditionError(
        code: "too-costly",
        message: "The chains of this search lead to too many types; add the type: subject:Patient.name.")

    static func tooManyInAll(_ limit: Int) -> SearchConditionError {
        SearchConditionError(
            code: "too-costly", message: "A search may have up to \(limit) values; use several searches.")
    }

    package static func terminologyUnknown(_ parameter: String, _ sentence: String) -> SearchConditionError {
        SearchConditionError(code: "terminology-unknown", message: "\(parameter): \(sentence)")
    }

    /// Whether a name is unknown, rather than a value invalid.
    var isOfName: Bool { code == "parameter-unknown" || code == "modifier-unknown" || code == "chain-invalid" }
}
