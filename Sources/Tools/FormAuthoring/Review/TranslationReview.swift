import FHIR
import Questionnaires

/// Texts that lack a language that other texts of the form have.
struct TranslationReview {
    private let questionnaire: Questionnaire
    private let own: LanguageTag?
    /// The other languages with a reader of designations for each.
    private let languages: [(tag: LanguageTag, designations: DesignationReader)]

    /// Maximum number of languages that are compared.
    private static let maximumLanguages = 50

    init(
        _ questionnaire: Questionnaire, valueSet: @escaping (String) -> ValueSet?,
        codeSystem: @escaping (String) -> CodeSystem?
    ) {
        self.questionnaire = questionnaire
        let own = questionnaire.ownLanguage
        self.own = own
        let others = questionnaire.languages.filter { $0 != own }.prefix(Self.maximumLanguages)
        let texts = ConceptTexts(of: questionnaire, valueSet: valueSet, codeSystem: codeSystem)
        languages = others.map { ($0, DesignationReader(texts, in: $0)) }
    }

    /// The problems of the form as a whole.
    var problems: [FormProblem] {
        guard !languages.isEmpty else { return [] }
        var problems: [FormProblem] = []
        if own == nil {
            problems.append(
                .warning(
                    "language-missing", nil,
                    message: "The form has translations, and does not name the language of its own texts (language)."))
        }
        return problems
            + missing(
                [("title", questionnaire.titleElement, questionnaire.title)]
                    + [("description", questionnaire.descriptionElement, questionnaire.description)], nil)
    }

    /// Returns the problems of an item.
    func problems(of node: FormOutline.Node) -> [FormProblem] {
        guard !languages.isEmpty else { return [] }
        let item = node.source
        var texts: [(name: String, element: PrimitiveElement?, text: String?)] = [
            ("text", item.textElement, item.text), ("prefix", item.prefixElement, item.prefix),
        ]
        for url in [FormExtension.entryFormat] + FormExtension.validationTexts {
            for given in item.extensions(url) {
                texts.append((Self.name(url), given.valueElement, given.value?.json.string))
            }
        }
        return missing(texts, node.item.linkID) + missingOptions(of: node)
    }

    private static func name(_ url: String) -> String { ExtensionComparison.name(url) }

    private func missing(
        _ texts: [(name: String, element: PrimitiveElement?, text: String?)], _ linkID: String?
    ) -> [FormProblem] {
        texts.compactMap { name, element, text in
            // Numbers and signs are the same in all languages.
            guard let text, text.contains(where: \.isLetter), name != "prefix" || text.count > 2 else { return nil }
            let absent = languages.filter { !has(element, $0.tag) }.map(\.tag.text)
            guard !absent.isEmpty else { return nil }
            return .warning(
                "translation-missing", linkID,
                message: "The \(name) has no translation to \(absent.joined(separator: ", ")).")
        }
    }

    private func has(_ element: PrimitiveElement?, _ tag: LanguageTag) -> Bool {
        if let own, tag.fallbacks.contains(own) { return true }
        return element?.translation(to: tag) != nil
    }

    private func missingOptions(of node: FormOutline.Node) -> [FormProblem] {
        guard let options = node.item.options, !options.isEmpty else { return [] }
        let set = node.source.answerOption.isEmpty ? node.source.answerValueSet : nil
        let sources = node.source.answerOption
        var problems: [FormProblem] = []
        for (tag, designations) in languages where own.map({ !tag.fallbacks.contains($0) }) ?? true {
            let names =
                if let set {
                    options.filter { option in
                        option.value.coding.map { designations.text(of: $0, inSet: set) == nil } ?? false
                    }.map(\.value.text)
                } else {
                    sources.filter { designations.label(of: $0) == nil }.compactMap { AnswerValue($0.value) }
                        .filter { ["Coding", "String"].contains($0.type) }.map(\.text)
                }
            let words = names.filter { $0.contains(where: \.isLetter) }
            guard !words.isEmpty else { continue }
            problems.append(
                .warning(
                    "translation-missing", node.item.linkID,
                    message: "\(FormProblem.list(words)): The options have no translation to \(tag.text)."))
        }
        return problems
    }
}
