import FHIR

extension SearchCondition {
    /// Returns the condition with other alternatives and another modifier.
    package func asking(_ alternatives: [SearchComparand], _ modifier: SearchModifier?) -> SearchCondition {
        // A value set without codes matches nothing.
        let nothing = [SearchComparand.codes(SearchComparand.Codes(system: "", codes: []))]
        return SearchCondition(
            type: type, parameter: parameter, modifier: modifier,
            alternatives: alternatives.isEmpty ? nothing : alternatives)
    }

    package init(
        type: String, parameter: SearchParameterTable.Parameter, modifier: SearchModifier?,
        alternatives: [SearchComparand]
    ) {
        self.type = type
        self.parameter = parameter
        self.modifier = modifier
        self.alternatives = alternatives
    }
}
