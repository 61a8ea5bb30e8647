import FHIR

/// The concepts of one form: the path and the code of each question and option. Pure; created once for a form, not for
/// each response.
package struct SurveyConcepts: Sendable {
    struct Option: Sendable, Hashable {
        let system: String?
        let code: String
        let concept: Concept
    }

    struct Question: Sendable {
        let concept: Concept
        let options: [Option]
        /// Whether an answer may be any code of a terminology: its value set is not expanded, or its answerConstraint
        /// permits answers outside of its options.
        let offersUnlisted: Bool
        /// The unit of its numbers.
        let unit: ConceptUnit
        /// Codes of terminologies with which it is found together with the health types that have them.
        let terminologyCodes: [TerminologyCode]
        /// The indices of the options by code.
        private let indices: [String: [Int]]

        init(
            concept: Concept, options: [Option], offersUnlisted: Bool, unit: ConceptUnit,
            terminologyCodes: [TerminologyCode]
        ) {
            self.unit = unit
            self.terminologyCodes = terminologyCodes
            self.concept = concept
            self.options = options
            self.offersUnlisted = offersUnlisted
            indices = Dictionary(grouping: options.indices) { options[$0].code }
        }

        /// Returns the option that an answer means. An answer without a system means the only option with its code.
        func option(system: String?, code: String) -> Option? {
            let alike = (indices[code] ?? []).map { options[$0] }
            return alike.first { ($0.system ?? "") == (system ?? "") }
                ?? (system == nil && alike.count == 1 ? alike.first : nil)
        }
    }

    /// The form's folder.
    let folder: Concept
    /// All questions and groups by linkId.
    let questions: [String: Question]
    /// The linkIds in the form's order, parents first.
    let order: [String]
    /// The name of the form, without a version. Codes of items without a code are made from it.
    let formName: String
    private let formHash: String
    /// The form's concepts, parents first.
    let concepts: [Concept]
    /// The same concepts in the folders of their terminologies' codes, parents first.
    let terminologyConcepts: [Concept]
    /// A hash of all concepts. The ontology stores it, so that a known form costs one lookup.
    let digest: String

    /// - Parameters:
    ///   - health: the study's types. A question with the code of a type gets a code as if it had none, because an
    ///     answer and a measurement are different things.
    ///   - valueSet: returns a value set by its name in a question; contained value sets are found without it.
    package init(
        _ questionnaire: Questionnaire, health: HealthConceptTable = .standard,
        valueSet: @escaping (String) -> ValueSet? = { _ in nil }
    ) {
        self.init(questionnaire, at: nil, health: health, valueSet: valueSet)
    }

    /// - Parameter givenFolder: the form's folder if it is not among the surveys.
    init(
        _ questionnaire: Questionnaire, at givenFolder: Concept?, health: HealthConceptTable,
        valueSet: @escaping (String) -> ValueSet? = { _ in nil }
    ) {
        let questionnaire = StorableText.questionnaire(questionnaire)
        formName = questionnaire.url ?? questionnaire.id ?? questionnaire.name ?? questionnaire.title ?? "form"
        formHash = Self.hash(ofForm: formName)
        let form = formName
        folder =
            givenFolder
            ?? Concept(
                path: Self.folderPath(form), code: nil,
                name: questionnaire.title ?? questionnaire.name ?? form, kind: .folder)
        var builder = SurveyConceptsBuilder(
            OfferedCodings(of: questionnaire, valueSet: valueSet), questionnaire, formName: form, health: health)
        builder.add(questionnaire.item, below: folder.path)
        questions = builder.questions
        order = builder.order
        let asked = builder.order.compactMap { linkID in builder.questions[linkID].map { (linkID, $0) } }
        concepts = [folder] + asked.flatMap { [$0.1.concept] + $0.1.options.map(\.concept) }
        let name = Self.shortName(form)
        terminologyConcepts = asked.flatMap { linkID, question in
            question.terminologyCodes.flatMap { code in
                code.concepts(
                    of: question.concept, segment: "Survey \(name) \(linkID)",
                    options: question.options.map { (Self.optionSegment($0.system, $0.code), $0.concept) })
            }
        }
        digest = Self.digest(of: concepts + terminologyConcepts)
    }

    /// Creates the concepts of a form that is not available. It has codes for its questions, and no concepts.
    init(formName name: String) {
        formName = name
        formHash = Self.hash(ofForm: name)
        folder = Concept(path: Self.folderPath(name), code: nil, name: name, kind: .folder)
        questions = [:]
        order = []
        concepts = []
        terminologyConcepts = []
        digest = ""
    }

    private static func digest(of concepts: [Concept]) -> String {
        let lines = concepts.map { concept in
            var line = [concept.path, concept.code ?? "", concept.name, concept.kind.name]
            switch concept.kind {
            case .numeric(let units): line.append(units ?? "")
            case .choice(let choices): line += choices.flatMap { [$0.code, $0.name] }
            case .folder, .text, .boolean, .option, .dimension: break
            }
            return line.joined(separator: "\u{1}")
        }
        return ConceptCode.hash(lines.joined(separator: "\u{2}"), 64)
    }

    static func folderPath(_ formName: String) -> String {
        ConceptPath.child(of: ConceptPath.surveys, ConceptPath.segment(shortName(formName)))
    }

    /// The last segment of a URL is more readable than the whole. The hash of the whole keeps two forms apart.
    private static func shortName(_ formName: String) -> String {
        guard formName.contains("/"), let last = formName.split(separator: "/").last else { return formName }
        return "\(last)-\(ConceptCode.hash(formName, 6))"
    }

    /// Returns the code of a question without a code of its own.
    func ownCode(linkID: String) -> String { Self.ownCode(formHash: formHash, linkID: linkID) }

    static func ownCode(formName: String, linkID: String) -> String {
        ownCode(formHash: hash(ofForm: formName), linkID: linkID)
    }

    private static func hash(ofForm name: String) -> String { ConceptCode.hash(name, 8) }

    private static func ownCode(formHash form: String, linkID: String) -> String {
        let plain = "SURVEY:\(form):\(linkID)"
        // Only ASCII letters, so that a character is one code point.
        let isPlain = linkID.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
        guard isPlain, plain.count <= ConceptCode.maximumLength else {
            return "SURVEY:\(form):H-" + ConceptCode.hash(linkID, 24)
        }
        return plain
    }

    static func optionSegment(_ system: String?, _ code: String) -> String {
        ConceptPath.segment(ConceptCode.prefix(system) + "-" + code)
    }

    /// Returns the code of an option that has a meaning only together with its question.
    static func combinedCode(question: String, system: String?, code: String) -> String {
        // LOINC's answers need no prefix. With other systems, two options with one code could collide without it.
        let prefix = system.flatMap { ConceptCode.prefixes[$0] }
        let plain = prefix == "LOINC" ? "\(question):\(code)" : "\(question):\(prefix ?? ""):\(code)"
        guard prefix != nil, plain.unicodeScalars.count <= ConceptCode.maximumLength else {
            return ConceptCode.bounded(
                "\(question.prefix { $0 != ":" }):O-" + ConceptCode.hash("\(question)|\(system ?? "")|\(code)", 24))
        }
        return plain
    }
}
