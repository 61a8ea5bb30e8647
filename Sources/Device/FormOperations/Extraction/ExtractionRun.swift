import FHIR
import FHIRPath
import Foundation
import Questionnaires

/// One extraction: it walks the form and the response together, the root first, items depth first.
struct ExtractionRun {
    /// The rules that an item has from the items above it.
    struct Frame {
        /// The names of expressions, and the node of the response on which they are evaluated.
        var scope: ExtractionScope
        /// The rule of the observation-based extraction.
        var observation = ObservationRule()
        /// The resources that definitions of items write to.
        var definitions: [DefinitionScope] = []
        var depth = 0
    }

    let questionnaire: Questionnaire
    let response: QuestionnaireResponse
    let limits: OperationLimits
    let definition: (CanonicalURL) -> StructureDefinition?
    let makeUUID: () -> UUID
    var runner: ExpressionRunner
    var log = ProblemLog()
    var entries: [ExtractedEntry] = []
    /// The Observations of groups that are not written yet, by the index of their entry.
    var pendingObservations: [Int: JSONObject] = [:]
    /// The entries of Observations of groups that are members, with the entry that names them.
    var pendingMembers: [Int: Int] = [:]
    /// The addresses of the entries of a template's Bundle.
    var bundleAddresses: Set<String> = []
    /// The elements of profiles that were read, by canonical.
    var profiles: [String: ProfileElements] = [:]
    private var isStopped = false

    init(
        _ questionnaire: Questionnaire, response: QuestionnaireResponse, now: DateTime, limits: OperationLimits,
        definition: @escaping (CanonicalURL) -> StructureDefinition?, makeUUID: @escaping () -> UUID
    ) {
        self.questionnaire = questionnaire
        self.response = response
        self.limits = limits
        self.definition = definition
        self.makeUUID = makeUUID
        runner = ExpressionRunner(
            response: response.object, questionnaire: questionnaire.object, now: now, limits: limits)
    }

    /// The type of an item of a response.
    static let itemType = TypeModel.r4.type("QuestionnaireResponse.item") ?? .unknown
    private static let formItemType = TypeModel.r4.type("Questionnaire.item") ?? .unknown

    // MARK: Result

    mutating func result() -> (bundle: FHIR.Bundle, problems: [OperationProblem]) {
        checkResponse()
        var frame = Frame(
            scope: ExtractionScope(
                input: [.element(TypedElement(resource: response.object))], location: "QuestionnaireResponse"))
        allocateIDs(questionnaire.extension, in: &frame)
        if let rule = observationRule(questionnaire.extension, below: ObservationRule(), in: frame.scope) {
            frame.observation = rule
        }
        let opened = openDefinitions(
            questionnaire.extension, at: &frame, below: questionnaire.item, isRoot: true)
        writeDefinitionValues(questionnaire.extension, at: &frame)
        extractTemplates(questionnaire.extension, in: frame.scope)
        visit(questionnaire.item, in: response.item, frame)
        closeDefinitions(opened)
        var bundle = FHIR.Bundle(type: .transaction)
        if let whole = templateBundle(in: frame.scope) { bundle = whole }
        if runner.budget.isExhausted {
            log.report(
                "too-expensive", at: "QuestionnaireResponse",
                "The extraction takes more than \(limits.steps) steps; the result is incomplete.")
        }
        let own = (bundle.object["entry"]?.array ?? []) + finishedEntries()
        if !own.isEmpty { bundle.object["entry"] = .array(own) }
        return (bundle, log.problems)
    }

    private mutating func checkResponse() {
        if let name = response.questionnaire, !questionnaire.isNamed(by: CanonicalURL(name)),
            questionnaire.url != nil || questionnaire.id != nil
        {
            log.report(
                "questionnaire-other", severity: .warning, at: "QuestionnaireResponse.questionnaire",
                "The response names another form.")
        }
        if questionnaire.extension(OperationExtension.targetStructureMap) != nil {
            log.report(
                "extraction-unsupported", severity: .warning, at: "Questionnaire",
                "An extraction by StructureMap is not supported; the other kinds are extracted.")
        }
    }

    /// Returns the entries, each with its own address and resource.
    private mutating func finishedEntries() -> [JSON] {
        var addresses = bundleAddresses
        var written: Set<String> = []
        var output: [JSON] = []
        for var entry in entries {
            guard let resource = entry.resource else { continue }
            if !addresses.insert(entry.fullURL).inserted {
                log.report(
                    "full-url-repeated", at: entry.location, linkID: entry.linkID,
                    "Two entries have the same fullUrl; the second one has a new one.")
                entry.fullURL = newURN()
                addresses.insert(entry.fullURL)
            }
            if let id = resource["id"]?.string, let type = resource["resourceType"]?.string,
                !written.insert("\(type)/\(id)").inserted
            {
                log.report(
                    "resource-id-repeated", at: entry.location, linkID: entry.linkID,
                    "Two resources of the type have the same id; the second one is not extracted.")
                continue
            }
            if let json = entry.json { output.append(json) }
        }
        return output
    }

    // MARK: Walk

    /// Visits the items of a form below one node of the response.
    mutating func visit(
        _ items: [Questionnaire.Item], in nodes: [QuestionnaireResponse.Item], _ frame: Frame
    ) {
        guard !items.isEmpty, !nodes.isEmpty, !isStopped else { return }
        guard frame.depth < limits.depth else {
            log.report("too-deep", at: frame.scope.location, "Items are nested deeper than \(limits.depth) levels.")
            return
        }
        var indices: [String: [Int]] = [:]
        for (index, node) in nodes.enumerated() { indices[node.linkId ?? "", default: []].append(index) }
        for item in items {
            guard let linkID = item.linkId, let found = indices[linkID] else { continue }
            for index in found {
                guard runner.budget.spend() else {
                    isStopped = true
                    return
                }
                guard nodes[index].hasAnswers else { continue }
                var below = frame
                below.depth += 1
                below.scope.location = "\(frame.scope.location).item[\(index)]"
                below.scope.linkID = linkID
                visit(item, answeredBy: nodes[index], in: &below)
            }
        }
    }

    private mutating func visit(
        _ item: Questionnaire.Item, answeredBy node: QuestionnaireResponse.Item, in frame: inout Frame
    ) {
        let extensions = item.extension
        frame.scope.input = [.element(TypedElement(node.json, type: Self.itemType))]
        frame.scope.variables["qitem"] = [.element(TypedElement(item.json, type: Self.formItemType))]
        allocateIDs(extensions, in: &frame)
        let opened = openDefinitions(extensions, at: &frame, below: [item], isRoot: false)
        let ofAnswers = writeDefinition(item, node, at: &frame)
        let isQuestion = item.type != .group && item.type != .display
        let answers = node.answer
        if isQuestion {
            for (index, answer) in answers.enumerated() where answer.value != nil {
                var scope = frame.scope
                if answers.count > 1 { scope.input = [Self.node(node, only: answer)] }
                scope.location += ".answer[\(index)]"
                extractTemplates(extensions, in: scope)
            }
        } else {
            extractTemplates(extensions, in: frame.scope)
        }
        let observed = observe(item, answeredBy: node, in: &frame)
        visit(item.item, in: node.item, frame)
        for (index, answer) in answers.enumerated() where !answer.item.isEmpty {
            var below = frame
            below.scope.location += ".answer[\(index)]"
            if let parent = observed[index] { below.observation.parent = parent }
            for (number, positions) in ofAnswers[index] ?? [:] where below.definitions.indices.contains(number) {
                below.definitions[number].positions += positions
            }
            visit(item.item, in: answer.item, below)
        }
        closeDefinitions(opened)
    }

    /// Returns the node of a question with one of its answers only.
    static func node(
        _ node: QuestionnaireResponse.Item, only answer: QuestionnaireResponse.Item.Answer
    ) -> FHIRPathValue {
        var single = node
        single.object["answer"] = [answer.json]
        return .element(TypedElement(single.json, type: itemType))
    }

    // MARK: Names

    func newURN() -> String { "urn:uuid:" + makeUUID().lowercaseText }

    /// Gives each allocated id a new value, for the item and the items below.
    private func allocateIDs(_ extensions: [Extension], in frame: inout Frame) {
        for name in extensions where name.url == OperationExtension.allocateID {
            guard let name = name.value?.json.string else { continue }
            frame.scope.variables[name] = [.string(newURN())]
        }
    }

    /// Evaluates an expression; nil if it fails, which is reported.
    ///
    /// - Parameter name: the element with the expression, for the message.
    mutating func evaluate(_ text: String, _ name: String, in scope: ExtractionScope) -> [FHIRPathValue]? {
        guard !runner.budget.isExhausted else { return nil }
        do throws(FHIRPathError) {
            return try runner.evaluate(text, in: scope)
        } catch {
            log.report(
                "expression-failed", at: scope.location, linkID: scope.linkID,
                "The expression of \(name) fails: \(error.message) [\(error.code)]")
            return nil
        }
    }

    /// Appends an entry; false if there are too many.
    mutating func append(_ entry: ExtractedEntry) -> Bool {
        guard entries.count < limits.resources else {
            log.report(
                "too-many-resources", at: entry.location, linkID: entry.linkID,
                "More than \(limits.resources) resources would be extracted; the result is incomplete.")
            return false
        }
        entries.append(entry)
        return true
    }
}

extension QuestionnaireResponse.Item {
    /// Whether the item or an item below it has an answer with a value.
    var hasAnswers: Bool { Self.hasAnswers(object, levels: 400) }

    /// - Parameter levels: the greatest number of levels that are searched.
    private static func hasAnswers(_ item: JSONObject, levels: Int) -> Bool {
        guard levels > 0 else { return false }
        for answer in item["answer"]?.array ?? [] {
            guard let answer = answer.object else { continue }
            if let value = answer.choice("value"), !value.value.isNull { return true }
            if (answer["item"]?.array ?? []).contains(where: {
                $0.object.map { hasAnswers($0, levels: levels - 1) } ?? false
            }) {
                return true
            }
        }
        return (item["item"]?.array ?? []).contains { $0.object.map { hasAnswers($0, levels: levels - 1) } ?? false }
    }
}
