import FHIR

/// A Questionnaire prepared for answering: its items, their options, and their enablement. Immutable.
///
/// <https://hl7.org/fhir/R4/questionnaire.html>
public struct QuestionnaireForm: Sendable {
    /// The resource, with its texts in the language that was asked for.
    public let questionnaire: Questionnaire
    /// The items at the top level.
    public let items: [FormItem]
    /// The problems of the form itself. They do not prevent answering it.
    public let problems: [FormProblem]
    /// All items in the form's order.
    package let all: [FormItem]
    /// The conditions with their questions.
    let graph: EnablementGraph
    /// The expressions.
    let program: FormProgram
    /// The dependencies of items on answers.
    let dependencies: DependencyGraph
    /// The items whose problems depend on the time.
    let clockItems: [Int]
    /// Returns a value set that the form does not contain for its canonical URL; nil if it is not available.
    let valueSet: @Sendable (String) -> ValueSet?
    /// Creates a reader of options, whose labels are in the form's language.
    let optionReader: @Sendable () -> OptionReader
    private let indexByLinkID: [String: Int]

    /// - Parameters:
    ///   - language: the language of texts and of the labels of options, as a BCP 47 tag: `de-CH`, otherwise `de`,
    ///     otherwise the form's own language. Codings remain as they are in the form.
    ///   - valueSet: returns a value set for its canonical URL; it is not called for contained ones.
    ///   - codeSystem: returns a code system for its URL, for the designations of codings.
    public init(
        _ questionnaire: Questionnaire, language: String? = nil,
        valueSet: @escaping @Sendable (String) -> ValueSet? = { _ in nil },
        codeSystem: @escaping @Sendable (String) -> CodeSystem? = { _ in nil }
    ) {
        let tag = language.flatMap { LanguageTag($0) }
        let questionnaire = tag.map { questionnaire.translated(to: $0) } ?? questionnaire
        self.questionnaire = questionnaire
        self.valueSet = valueSet
        optionReader = { OptionReader(questionnaire, language: tag, valueSet: valueSet, codeSystem: codeSystem) }
        var builder = FormBuilder(optionReader())
        items = builder.build(questionnaire.item, ancestors: [], isConcealed: false)
        all = builder.items.compactMap { $0 }
        var indexes: [String: Int] = [:]
        for item in all where indexes[item.linkID] == nil { indexes[item.linkID] = item.index }
        indexByLinkID = indexes
        graph = EnablementGraph(all, indexes)
        program = FormProgram(questionnaire, items: all, indexes: indexes, builder: builder)
        dependencies = DependencyGraph(items: all, conditions: graph, program: program)
        let (items, entries) = (all, program.entries)
        clockItems = items.indices.filter { index in
            items[index].limits.dependsOnTime
                || (items[index].expressions?.all ?? []).contains { entries[$0.expression].readsClock }
        }
        problems =
            FormRules.problems(of: questionnaire) + builder.problems + FormRules.problems(of: graph, in: all)
            + ExpressionRules(program: program, dependencies: dependencies, items: all).problems
    }

    /// Returns the item with the linkId; the first one if there are several.
    public func item(_ linkID: String) -> FormItem? { indexByLinkID[linkID].map { all[$0] } }

    /// The linkIds of the items that accept attachments unchanged, for the outbox (``FormItem/takesAttachmentsAsIs``).
    public var attachmentsAsIs: Set<String> { Set(all.filter(\.takesAttachmentsAsIs).map(\.linkID)) }

    /// The language of the form's texts: `Questionnaire.language`, or that of the translations that are used; nil if it
    /// is unknown.
    public var language: String? { questionnaire.language }

    /// The value of a response's `questionnaire`: the canonical URL with its version, otherwise the id.
    public var canonical: String? {
        if let url = questionnaire.url { return CanonicalURL(url: url, version: questionnaire.version).text }
        return questionnaire.id.map { "Questionnaire/\($0)" }
    }
}

/// Reads items in the form's order.
struct FormBuilder {
    private let options: OptionReader
    private(set) var items: [FormItem?] = []
    private(set) var problems: [FormProblem] = []
    private(set) var expressions: [FormExpression] = []
    private var linkIDs: Set<String> = []
    /// Maximum nesting depth. The JSON reader refuses deeper nesting long before the stack overflows; this limit
    /// applies to values that are created in code.
    private static let maximumDepth = 100

    init(_ options: OptionReader) { self.options = options }

    mutating func build(_ sources: [Questionnaire.Item], ancestors: [Int], isConcealed: Bool) -> [FormItem] {
        guard ancestors.count < Self.maximumDepth else { return [] }
        return sources.enumerated().map { position, source in
            let index = items.count
            items.append(nil)
            let linkID = source.linkId ?? ""
            if linkID.isEmpty {
                report("link-id-missing", linkID: linkID, message: "An item has no linkId.")
            } else if !linkIDs.insert(linkID).inserted {
                report(
                    "link-id-repeated", linkID: linkID,
                    message: "Two items have this linkId; each needs one of its own (que-2).")
            }
            let known = source.type.flatMap { $0.isKnown ? $0 : nil }
            if known == nil {
                report("item-type-unknown", linkID: linkID, message: "The item's type is not defined by FHIR R4.")
            }
            // With an unknown type, an item with items inside is a group, and any other item is a question.
            let type = known ?? (source.item.isEmpty ? .string : .group)
            let isHidden = isConcealed || source.extension(FormExtension.hidden)?.value?.json.bool ?? false
            let children = build(source.item, ancestors: ancestors + [index], isConcealed: isHidden)
            let item = FormItem(
                index: index, position: position, source: source, type: type, options: options, children: children,
                ancestors: ancestors, isConcealed: isHidden
            ) { limits in expressions(of: source, type: type, limits: limits) }
            items[index] = item
            problems += FormRules.problems(of: source, item)
            return item
        }
    }

    /// Compiles the expressions of an item; nil if it has none.
    private mutating func expressions(
        of source: Questionnaire.Item, type: QuestionnaireItemType, limits: AnswerLimits
    ) -> ItemExpressions? {
        let extensions = source.extension
        let hasElements = source.object["_text"] != nil || source.object["_answerValueSet"] != nil
        let (least, greatest) = (limits.least.expression, limits.greatest.expression)
        guard !extensions.isEmpty || hasElements || least != nil || greatest != nil else { return nil }
        var compiled: [FormExpression] = []
        let first = self.expressions.count
        let add: (FormExpression) -> Int = { expression in
            compiled.append(expression)
            return first + compiled.count - 1
        }
        var found = ItemExpressions(of: extensions, add: add)
        found.add(elementsOf: source, add: add)
        found.add(limit: least, isMinimum: true, add: add)
        found.add(limit: greatest, isMinimum: false, add: add)
        self.expressions += compiled
        return found.isEmpty ? nil : found
    }

    private mutating func report(_ code: String, linkID: String, message: Sentence) {
        problems.append(
            FormProblem(code: code, severity: .error, linkID: linkID.isEmpty ? nil : linkID, sentence: message))
    }
}
