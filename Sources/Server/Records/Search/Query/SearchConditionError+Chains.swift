extension SearchConditionError {
    static func noReference(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "chain-invalid",
            message: "\(parameter) is no reference, so that no other resource can be asked for through it.")
    }

    static func noTarget(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "chain-invalid",
            message: "\(parameter) does not refer to resources of that type; see /fhir/metadata.")
    }

    static let reverseUnknown = SearchConditionError(
        code: "chain-invalid",
        message: "_has takes a type, its reference and a parameter: _has:Observation:patient:code=8867-4.")

    static func tooDeep(_ most: Int) -> SearchConditionError {
        SearchConditionError(
            code: "too-costly", message: "A chain follows at most \(most) references; ask in several searches.")
    }

    static let tooManySteps = SearchConditionError(
        code: "too-costly",
        message: "The chains of this search lead to too many types; name the type that is meant: subject:Patient.name.")

    static func tooManyInAll(_ most: Int) -> SearchConditionError {
        SearchConditionError(
            code: "too-costly", message: "A search has at most \(most) values; ask in several searches.")
    }

    static func terminologyUnknown(_ parameter: String, _ sentence: String) -> SearchConditionError {
        SearchConditionError(code: "terminology-unknown", message: "\(parameter): \(sentence)")
    }

    static let tooManyIncluded = SearchConditionError(
        code: "too-costly",
        message: "More than \(IncludedRecords.most) resources would come with this page; ask for fewer with _count, or "
            + "for fewer kinds of them.")

    /// Whether a name is not known, and not a value.
    var isOfName: Bool { code == "parameter-unknown" || code == "modifier-unknown" || code == "chain-invalid" }
}
