import FHIR

extension SearchCondition {
    /// The condition with other alternatives and another modifier.
    func asking(_ alternatives: [SearchComparand], _ modifier: SearchModifier?) -> SearchCondition {
        // Of a value set without codes nothing is found.
        let nothing = [SearchComparand.codes(SearchComparand.Codes(system: "", codes: []))]
        return SearchCondition(
            type: type, parameter: parameter, modifier: modifier,
            alternatives: alternatives.isEmpty ? nothing : alternatives)
    }

    init(
        type: String, parameter: SearchParameterTable.Parameter, modifier: SearchModifier?,
        alternatives: [SearchComparand]
    ) {
        self.type = type
        self.parameter = parameter
        self.modifier = modifier
        self.alternatives = alternatives
    }
}
