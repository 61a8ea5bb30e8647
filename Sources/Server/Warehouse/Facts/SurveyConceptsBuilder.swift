import FHIR

/// Collects the concepts of a form's questions from its items.
struct SurveyConceptsBuilder {
    private let offered: OfferedCodings
    private let formName: String
    private let health: HealthConceptTable
    private(set) var questions: [String: SurveyConcepts.Question] = [:]
    private(set) var order: [String] = []
    /// The number of items with each code, and of questions with each option.
    private var itemCodes: [String: Int] = [:]
    private var optionCodes: [String: Int] = [:]

    init(_ offered: OfferedCodings, _ questionnaire: Questionnaire, formName: String, health: HealthConceptTable) {
        self.offered = offered
        self.formName = formName
        self.health = health
        count(questionnaire.item)
    }

    private mutating func count(_ items: [Questionnaire.Item]) {
        for item in items {
            if let coding = item.code.first, let code = coding.code {
                itemCodes[ConceptCode.code(system: coding.system, code: code), default: 0] += 1
            }
            for key in Set((offered.codings(of: item) ?? []).map { "\($0.system ?? "")|\($0.code ?? "")" }) {
                optionCodes[key, default: 0] += 1
            }
            count(item.item)
        }
    }

    mutating func add(_ items: [Questionnaire.Item], below parent: String) {
        for item in items {
            guard let linkID = item.linkId, questions[linkID] == nil else { continue }
            let path = ConceptPath.child(of: parent, ConceptPath.segment(linkID))
            let unit = unit(of: item)
            let code = code(of: item, linkID: linkID, unit: unit)
            let codings = offered.codings(of: item)
            let options = (codings ?? []).compactMap { option(of: $0, question: code, path: path) }
            let isFolder = item.type == .group || item.type == .display
            let concept = Concept(
                path: path, code: isFolder ? nil : code, name: item.text ?? linkID,
                kind: kind(of: item, unit: unit, options: options))
            questions[linkID] = SurveyConcepts.Question(
                concept: concept, options: options,
                offersUnlisted: codings == nil || item.answerConstraint == .optionsOrType,
                unit: unit,
                terminologyCodes: isFolder ? [] : item.code.compactMap(TerminologyCode.init))
            order.append(linkID)
            add(item.item, below: path)
        }
    }

    private func kind(
        of item: Questionnaire.Item, unit: ConceptUnit, options: [SurveyConcepts.Option]
    ) -> Concept.Kind {
        switch item.type {
        case .group, .display: return .folder
        case .boolean: return .boolean
        case .integer, .decimal, .quantity: return .numeric(units: unit.code)
        default:
            return options.isEmpty
                ? .text : .choice(options.map { Concept.Choice(code: $0.code, name: $0.concept.name) })
        }
    }

    /// Returns the unit that the form specifies for a question, the first of several.
    private func unit(of item: Questionnaire.Item) -> ConceptUnit {
        let base = "http://hl7.org/fhir/StructureDefinition/questionnaire-unit"
        let named = [base, base + "Option"].lazy.compactMap { item.extension($0) }.compactMap {
            Coding(json: $0.value?.json)?.code
        }
        return named.first.map(ConceptUnit.asked) ?? .ofItsKind
    }

    /// Returns the question's own code if it is unique: no type of the table and no other question of the form has it.
    /// A code is also not used if the numbers of other facts with it are in another unit, as those of a terminology's
    /// code are in the conventional unit.
    private func code(of item: Questionnaire.Item, linkID: String, unit: ConceptUnit) -> String {
        let own = SurveyConcepts.ownCode(formName: formName, linkID: linkID)
        guard let coding = item.code.first, let code = coding.code else { return own }
        let plain = ConceptCode.code(system: coding.system, code: code)
        if itemCodes[plain, default: 0] > 1 || health.has(plain) { return own }
        guard let unit = unit.code else { return plain }
        return UnitReading.read(unit)?.conventional == unit ? plain : own
    }

    private func option(of coding: Coding, question: String, path: String) -> SurveyConcepts.Option? {
        guard let code = coding.code else { return nil }
        let key = "\(coding.system ?? "")|\(code)"
        let plain = ConceptCode.code(system: coding.system, code: code)
        let isPlain =
            ConceptCode.isContextFree(system: coding.system, code: code) && optionCodes[key, default: 0] == 1
            && !health.has(plain)
        let conceptCode =
            isPlain
            ? plain
            : SurveyConcepts.combinedCode(question: question, system: coding.system, code: code)
        return SurveyConcepts.Option(
            system: coding.system, code: code,
            concept: Concept(
                path: ConceptPath.child(of: path, SurveyConcepts.optionSegment(coding.system, code)),
                code: conceptCode, name: coding.display ?? code, kind: .option))
    }
}
