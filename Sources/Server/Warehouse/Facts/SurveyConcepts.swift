import FHIR

/// The concepts of one form: which path and code each question and each of its options has. Pure; made once for a form,
/// not for each response.
public struct SurveyConcepts: Sendable {
    struct Option: Sendable, Hashable {
        let system: String?
        let code: String
        let concept: Concept
    }

    struct Question: Sendable {
        let concept: Concept
        let options: [Option]
        /// Whether its value set is not listed in the form, so that an answer may be any code of a terminology.
        let offersUnlisted: Bool
        /// The places of the options with a code.
        private let places: [String: [Int]]

        init(concept: Concept, options: [Option], offersUnlisted: Bool) {
            self.concept = concept
            self.options = options
            self.offersUnlisted = offersUnlisted
            places = Dictionary(grouping: options.indices) { options[$0].code }
        }

        /// The option that an answer means; an answer without a system means the one option with its code.
        func option(system: String?, code: String) -> Option? {
            let alike = (places[code] ?? []).map { options[$0] }
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
    /// The name of the form, without a version: codes of items without one are made of it.
    let formName: String
    private let formHash: String
    /// The form's concepts, parents first.
    let concepts: [Concept]
    /// A hash of all of them: the ontology notes it, so that a form that it has costs one look-up.
    let digest: String

    /// - Parameter valueSet: gives a value set by the name that a question has for it; contained ones are found without it.
    public init(_ questionnaire: Questionnaire, valueSet: @escaping (String) -> ValueSet? = { _ in nil }) {
        let questionnaire = StorableText.questionnaire(questionnaire)
        formName = questionnaire.url ?? questionnaire.id ?? questionnaire.name ?? questionnaire.title ?? "form"
        formHash = Self.hash(ofForm: formName)
        folder = Concept(
            path: Self.folderPath(formName), code: nil,
            name: questionnaire.title ?? questionnaire.name ?? formName, kind: .folder)
        var builder = Builder(OfferedCodings(of: questionnaire, valueSet: valueSet), questionnaire, formName: formName)
        builder.add(questionnaire.item, below: folder.path)
        questions = builder.questions
        order = builder.order
        concepts =
            [folder]
            + builder.order.flatMap { linkID in
                builder.questions[linkID].map { [$0.concept] + $0.options.map(\.concept) } ?? []
            }
        digest = Self.digest(of: concepts)
    }

    /// The form of a response that is not at hand: it gives its questions their codes, and has no concepts.
    init(formName name: String) {
        formName = name
        formHash = Self.hash(ofForm: name)
        folder = Concept(path: Self.folderPath(name), code: nil, name: name, kind: .folder)
        questions = [:]
        order = []
        concepts = []
        digest = ""
    }

    private static func digest(of concepts: [Concept]) -> String {
        let lines = concepts.map { concept in
            var line = [concept.path, concept.code ?? "", concept.name, concept.kind.name]
            switch concept.kind {
            case .numeric(let units): line.append(units ?? "")
            case .choice(let choices): line += choices.flatMap { [$0.code, $0.name] }
            case .folder, .text, .boolean, .option: break
            }
            return line.joined(separator: "\u{1}")
        }
        return ConceptCode.hash(lines.joined(separator: "\u{2}"), 64)
    }

    static func folderPath(_ formName: String) -> String {
        ConceptPath.child(of: ConceptPath.surveys, ConceptPath.segment(shortName(formName)))
    }

    /// The last part of a URL reads better than all of it; the hash of the whole keeps two forms apart.
    private static func shortName(_ formName: String) -> String {
        guard formName.contains("/"), let last = formName.split(separator: "/").last else { return formName }
        return "\(last)-\(ConceptCode.hash(formName, 6))"
    }

    /// The code of a question that has none of its own.
    func ownCode(linkID: String) -> String { Self.ownCode(formHash: formHash, linkID: linkID) }

    static func ownCode(formName: String, linkID: String) -> String {
        ownCode(formHash: hash(ofForm: formName), linkID: linkID)
    }

    private static func hash(ofForm name: String) -> String { ConceptCode.hash(name, 8) }

    private static func ownCode(formHash form: String, linkID: String) -> String {
        let plain = "SURVEY:\(form):\(linkID)"
        // Only ASCII letters, so that a character is a code point.
        let isPlain = linkID.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
        guard isPlain, plain.count <= ConceptCode.maximumLength else {
            return "SURVEY:\(form):H-" + ConceptCode.hash(linkID, 24)
        }
        return plain
    }

    /// The code of an option that means something only together with its question.
    static func combinedCode(question: String, system: String?, code: String) -> String {
        // LOINC's answers need no prefix; of every other system two options of one code could meet without it.
        let prefix = system.flatMap { ConceptCode.prefixes[$0] }
        let plain = prefix == "LOINC" ? "\(question):\(code)" : "\(question):\(prefix ?? ""):\(code)"
        guard prefix != nil, plain.unicodeScalars.count <= ConceptCode.maximumLength else {
            return ConceptCode.bounded(
                "\(question.prefix { $0 != ":" }):O-" + ConceptCode.hash("\(question)|\(system ?? "")|\(code)", 24))
        }
        return plain
    }
}

extension SurveyConcepts {
    /// Walks the items of a form.
    private struct Builder {
        let offered: OfferedCodings
        let formName: String
        var questions: [String: Question] = [:]
        var order: [String] = []
        /// How many items bear a code, and how many questions offer an option.
        private var itemCodes: [String: Int] = [:]
        private var optionCodes: [String: Int] = [:]

        init(_ offered: OfferedCodings, _ questionnaire: Questionnaire, formName: String) {
            self.offered = offered
            self.formName = formName
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
                let code = code(of: item, linkID: linkID)
                let codings = offered.codings(of: item)
                let options = (codings ?? []).compactMap { option(of: $0, question: code, path: path) }
                let concept = Concept(
                    path: path, code: item.type == .group || item.type == .display ? nil : code,
                    name: item.text ?? linkID, kind: kind(of: item, options: options))
                questions[linkID] = Question(concept: concept, options: options, offersUnlisted: codings == nil)
                order.append(linkID)
                add(item.item, below: path)
            }
        }

        private func kind(of item: Questionnaire.Item, options: [Option]) -> Concept.Kind {
            switch item.type {
            case .group, .display: return .folder
            case .boolean: return .boolean
            case .integer, .decimal, .quantity:
                let unit = item.extension("http://hl7.org/fhir/StructureDefinition/questionnaire-unit")
                return .numeric(units: Coding(json: unit?.value?.json)?.code)
            default:
                return options.isEmpty
                    ? .text : .choice(options.map { Concept.Choice(code: $0.code, name: $0.concept.name) })
            }
        }

        private func code(of item: Questionnaire.Item, linkID: String) -> String {
            guard let coding = item.code.first, let code = coding.code else {
                return SurveyConcepts.ownCode(formName: formName, linkID: linkID)
            }
            let plain = ConceptCode.code(system: coding.system, code: code)
            // A code that two questions of a form share does not tell them apart.
            return itemCodes[plain, default: 0] > 1
                ? SurveyConcepts.ownCode(formName: formName, linkID: linkID) : plain
        }

        private func option(of coding: Coding, question: String, path: String) -> Option? {
            guard let code = coding.code else { return nil }
            let key = "\(coding.system ?? "")|\(code)"
            let isPlain =
                ConceptCode.standsAlone(system: coding.system, code: code) && optionCodes[key, default: 0] == 1
            let conceptCode =
                isPlain
                ? ConceptCode.code(system: coding.system, code: code)
                : SurveyConcepts.combinedCode(question: question, system: coding.system, code: code)
            return Option(
                system: coding.system, code: code,
                concept: Concept(
                    path: ConceptPath.child(of: path, SurveyConcepts.optionSegment(coding.system, code)),
                    code: conceptCode, name: coding.display ?? code, kind: .option))
        }
    }

    static func optionSegment(_ system: String?, _ code: String) -> String {
        ConceptPath.segment(ConceptCode.prefix(system) + "-" + code)
    }
}
