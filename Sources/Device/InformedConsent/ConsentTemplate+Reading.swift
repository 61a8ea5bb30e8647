import FHIR

extension ConsentTemplate {
    /// Returns the terms that are sections: terms with a type of ORKConsentSectionType. C3-PRO ignores other systems
    /// and accepts a coding without a system.
    static func sections(of contract: Contract, _ warnings: inout [String]) -> [ConsentSection] {
        contract.term.enumerated().compactMap { index, term in
            let codings = term.type?.coding ?? []
            let ours = codings.filter { $0.system == nil || $0.system == ConsentVocabulary.sectionType }
            guard !ours.isEmpty else {
                warnings.append("term \(index + 1): no type of \(ConsentVocabulary.sectionType)")
                return nil
            }
            guard let kind = ours.lazy.compactMap({ $0.code.flatMap(ConsentSection.Kind.init) }).first else {
                warnings.append("term \(index + 1): an unknown section type")
                return nil
            }
            let details = term.extension(ConsentVocabulary.section)
            func detail(_ name: String) -> String? { details.flatMap { ConsentTemplate.detail(name, of: $0) } }
            return ConsentSection(
                kind: kind, title: detail("title"), summary: term.text ?? term.offer?.text,
                htmlContent: detail("htmlContent"), htmlContentFile: detail("htmlContentFile"),
                image: detail("image"), animation: detail("animation"))
        }
    }

    /// Returns a value from a term's section extension.
    static func detail(_ name: String, of details: Extension) -> String? {
        // Some implementations write these parts with the full URL and a fragment.
        details.extension.first { $0.url == name || $0.url?.hasSuffix("#" + name) ?? false }?.value?.json.string
    }

    /// Returns the criteria of the Group that the contract's first subject refers to.
    static func criteria(of contract: Contract, _ warnings: inout [String]) -> [EligibilityCriterion] {
        guard let reference = contract.subject.first?.reference else { return [] }
        guard let group: Group = contract.containedResource(reference)?.as() else {
            warnings.append("subject: no contained Group, so there are no eligibility questions")
            return []
        }
        return group.characteristic.enumerated().compactMap { index, characteristic in
            guard let text = characteristic.code?.text ?? characteristic.code?.coding.first?.display, !text.isEmpty
            else {
                warnings.append("characteristic \(index + 1): no text")
                return nil
            }
            guard let exclude = characteristic.exclude else {
                warnings.append("characteristic \(index + 1): exclude is missing")
                return nil
            }
            var value = true
            if case .boolean(let given)? = characteristic.value { value = given }
            return EligibilityCriterion(text: text, mustBeMet: value != exclude)
        }
    }

    static func teamName(of contract: Contract) -> String? {
        guard let authority = contract.authority.first else { return nil }
        return contract.containedResource(authority.reference).flatMap { Organization($0.object).name }
            ?? authority.display
    }
}
