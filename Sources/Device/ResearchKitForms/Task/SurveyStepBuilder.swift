import FHIR
import FormRendering
import Questionnaires

/// Makes the steps of a form's pages.
struct SurveyStepBuilder {
    private let form: QuestionnaireForm
    private let title: String?
    private let offsetMinutes: Int
    private var stepIdentifiers = SurveyIdentifiers()
    private var rowIdentifiers = SurveyIdentifiers()
    /// The paths of rows by their identifiers, where the identifier alone does not lead to the item.
    private(set) var paths: [String: ItemPath] = [:]

    init(form: QuestionnaireForm, title: String?, offsetMinutes: Int) {
        self.form = form
        self.title = title
        self.offsetMinutes = offsetMinutes
    }

    /// - Parameter hasRepetitions: whether further repetitions of groups and answers get steps, and questions for more.
    mutating func steps(of session: FormSession, hasRepetitions: Bool) -> [SurveyStep] {
        let plan = RenderPlan(session, scope: RenderScope(includesDisabled: true))
        return plan.pages.flatMap { steps(of: $0, hasRepetitions: hasRepetitions) }
    }

    private mutating func steps(of page: RenderPlan.Page, hasRepetitions: Bool) -> [SurveyStep] {
        let isFurther = (page.path.steps.first?.instance ?? 0) > 0
        if isFurther, !hasRepetitions { return [] }
        var steps: [SurveyStep] = []
        if isFurther, let offer = offer(page.path, text: page.group?.text?.plain) { steps.append(offer) }
        for part in parts(of: page) {
            switch part {
            case .content(let key, let elements):
                if key != nil, !hasRepetitions { continue }
                if let key, let offer = offer(key, text: heading(of: key, in: elements)) { steps.append(offer) }
                var draft = SurveyPageDraft(page: page, key: key)
                for element in elements { add(element, to: &draft, &steps, hasRepetitions: hasRepetitions) }
                finish(&draft, &steps)
            case .more(let path, let item, let text):
                if hasRepetitions { steps.append(more(path, item, text: text)) }
            }
        }
        return steps
    }

    /// Returns the question for a repetition of a group that exists already; nil for other paths.
    private mutating func offer(_ path: ItemPath, text: String?) -> SurveyStep? {
        guard let item = path.steps.last.flatMap({ form.item($0.linkID) }), item.type == .group else { return nil }
        return more(path, item, text: text)
    }

    /// Returns the text of the group at a path.
    private func heading(of path: ItemPath, in elements: [RenderPlan.Element]) -> String? {
        guard case .section(let section) = elements.first, section.path == path else { return nil }
        return section.text?.plain
    }

    // MARK: Parts of a page

    private enum Part {
        /// The content of the page, or of one further repetition in it.
        case content(key: ItemPath?, [RenderPlan.Element])
        /// The question for one more repetition.
        case more(ItemPath, FormItem, text: String?)
    }

    /// Separates the further repetitions of a page, which have steps of their own, because they appear after an answer.
    private func parts(of page: RenderPlan.Page) -> [Part] {
        var contents: [(key: ItemPath?, elements: [RenderPlan.Element])] = [(nil, [])]
        var indexes: [ItemPath?: Int] = [nil: 0]
        var order: [Int?] = [0]
        var offers: [(path: ItemPath, item: FormItem, text: String?)] = []
        for element in page.elements {
            if case .repetition(let repetition) = element {
                guard let item = form.item(repetition.linkID) else { continue }
                offers.append((repetition.path, item, repetition.text?.plain))
                order.append(nil)
                continue
            }
            let key = key(of: element, on: page)
            if let index = indexes[key] {
                contents[index].elements.append(element)
            } else {
                indexes[key] = contents.count
                order.append(contents.count)
                contents.append((key, [element]))
            }
        }
        var next = offers.makeIterator()
        return order.compactMap { index in
            if let index { return .content(key: contents[index].key, contents[index].elements) }
            return next.next().map { .more($0.path, $0.item, text: $0.text) }
        }
    }

    /// Returns the path of the further repetition that an element belongs to; nil for the page itself.
    private func key(of element: RenderPlan.Element, on page: RenderPlan.Page) -> ItemPath? {
        var steps = element.path.steps
        switch element {
        case .text, .question: steps.removeLast()
        case .section, .answer, .repetition: break
        }
        guard let last = steps.lastIndex(where: { $0.instance > 0 }) else { return nil }
        let key = Array(steps[...last])
        return page.path.steps.starts(with: key) ? nil : ItemPath(key)
    }

    // MARK: Rows

    private mutating func add(
        _ element: RenderPlan.Element, to draft: inout SurveyPageDraft, _ steps: inout [SurveyStep],
        hasRepetitions: Bool
    ) {
        switch element {
        case .section(let section):
            if section.path == draft.key {
                draft.heading = SurveyTexts.heading(section)
            } else if section.text != nil {
                draft.rows.append(row(section))
            }
        case .answer(let heading):
            if heading.path == draft.key { draft.heading = heading.text }
        case .text(let text): draft.rows.append(row(text))
        case .repetition: break
        case .question(let question): add(question, to: &draft, &steps, hasRepetitions: hasRepetitions)
        }
    }

    private mutating func add(
        _ question: RenderPlan.Question, to draft: inout SurveyPageDraft, _ steps: inout [SurveyStep],
        hasRepetitions: Bool
    ) {
        if question.isReadOnly {
            if !question.answers.isEmpty { draft.rows.append(readOnly(question)) }
            return
        }
        guard
            let format = SurveyAnswerFormat(
                question, language: form.language, offsetMinutes: offsetMinutes)
        else {
            finish(&draft, &steps)
            steps.append(photo(question, draft))
            return
        }
        let item = form.item(question.linkID)
        let row = row(question, format: format, isConditional: isConditional(question.path))
        draft.rows.append(row)
        guard hasRepetitions, question.repeats, question.isEnabled, !format.takesSeveralAnswers, let item else {
            return
        }
        // One field has one answer; further ones have steps of their own.
        let count = question.answers.count
        let limit = min(question.limits.maxOccurs ?? FormSession.maximumInstances, FormSession.maximumInstances)
        for index in 1..<max(count + 1, 2) where count > 0 && index < limit {
            var path = question.path
            path.steps[path.steps.count - 1].instance = index
            draft.followUps.append(more(path, item, text: question.text?.plain))
            if index < count {
                let further = self.row(question, format: format, isConditional: false, at: path)
                draft.followUps.append(
                    SurveyStep(
                        kind: .form, identifier: step(path.description), title: title, text: draft.text,
                        detailText: nil,
                        footnote: nil, isOptional: true, formItems: [further], paths: [question.path],
                        isConditional: true))
            }
        }
    }

    private mutating func row(
        _ question: RenderPlan.Question, format: SurveyAnswerFormat, isConditional: Bool, at path: ItemPath? = nil
    ) -> SurveyFormItem {
        let placeholder = question.limits.entryFormat ?? question.notes(.prompt).first
        return SurveyFormItem(
            identifier: identifier(of: question.linkID, at: path ?? question.path), text: SurveyTexts.text(question),
            detailText: SurveyTexts.details(question, format), placeholder: placeholder,
            isOptional: path != nil || !question.isRequired, format: format, path: question.path,
            linkID: question.linkID, isConditional: isConditional)
    }

    private mutating func row(_ section: RenderPlan.Section) -> SurveyFormItem {
        SurveyFormItem(
            identifier: identifier(of: section.linkID, at: section.path), text: SurveyTexts.heading(section),
            detailText: SurveyTexts.lines(section.notes.map(\.text.plain) + SurveyTexts.links(section.hints)),
            placeholder: nil, isOptional: true, format: nil, path: section.path, linkID: section.linkID,
            isConditional: isConditional(section.path))
    }

    private mutating func row(_ text: RenderPlan.Display) -> SurveyFormItem {
        SurveyFormItem(
            identifier: identifier(of: text.linkID, at: text.path),
            text: SurveyTexts.joined([text.prefix?.plain, text.text.plain]),
            detailText: SurveyTexts.lines(SurveyTexts.links(text.hints)), placeholder: nil, isOptional: true,
            format: nil,
            path: text.path, linkID: text.linkID, isConditional: isConditional(text.path))
    }

    private mutating func readOnly(_ question: RenderPlan.Question) -> SurveyFormItem {
        let answers = question.answerTexts.joined(separator: ", ")
        return SurveyFormItem(
            identifier: identifier(of: question.linkID, at: question.path), text: SurveyTexts.text(question),
            detailText: answers, placeholder: nil, isOptional: true, format: nil, path: question.path,
            linkID: question.linkID, isConditional: isConditional(question.path))
    }

    // MARK: Steps

    /// Makes the step of the rows so far, and begins again.
    private mutating func finish(_ draft: inout SurveyPageDraft, _ steps: inout [SurveyStep]) {
        defer {
            steps += draft.followUps
            draft.begin()
        }
        guard !draft.rows.isEmpty || draft.hasOwnText else { return }
        let hasQuestions = draft.rows.contains { $0.format != nil }
        let first = draft.rows.first { $0.format != nil } ?? draft.rows.first
        let paths = draft.rows.isEmpty ? [draft.page.path] : draft.rows.map(\.path)
        let isConditional = paths.allSatisfy { self.isConditional($0) }
        let isOfGroup = draft.isFirst && (draft.key != nil || draft.page.group?.path == draft.page.path)
        let name = isOfGroup ? identifier(ofStep: draft) : first?.identifier ?? identifier(ofStep: draft)
        let texts = hasQuestions ? [] : draft.rows.flatMap { [$0.text, $0.detailText].compactMap { $0 } }
        let isRequired = draft.rows.contains { $0.format != nil && !$0.isOptional } || draft.isRequired
        steps.append(
            SurveyStep(
                kind: hasQuestions ? .form : .instruction, identifier: step(name), title: title, text: draft.text,
                detailText: SurveyTexts.lines(draft.details + texts), footnote: SurveyTexts.lines(draft.footer),
                isOptional: hasQuestions ? !isRequired : true, formItems: hasQuestions ? draft.rows : [], paths: paths,
                isConditional: isConditional))
    }

    private func identifier(ofStep draft: SurveyPageDraft) -> String {
        let path = draft.key ?? draft.page.path
        return name(of: path.steps.last?.linkID ?? "", at: path)
    }

    private mutating func photo(_ question: RenderPlan.Question, _ draft: SurveyPageDraft) -> SurveyStep {
        let name = identifier(of: question.linkID, at: question.path)
        return SurveyStep(
            kind: .imageCapture, identifier: step(name), title: title, text: SurveyTexts.text(question),
            detailText: SurveyTexts.details(question, nil), footnote: SurveyTexts.lines(draft.footer),
            isOptional: !question.isRequired, formItems: [], paths: [question.path],
            isConditional: isConditional(question.path))
    }

    private mutating func more(_ path: ItemPath, _ item: FormItem, text: String?) -> SurveyStep {
        let name = SurveyTask.repetitionMark + path.description
        var group = path
        group.steps[group.steps.count - 1].instance = 0
        let row = SurveyFormItem(
            identifier: name, text: SurveySentences.text("Another one: \(text ?? item.linkID)?", in: form.language),
            detailText: nil, placeholder: nil,
            isOptional: true, format: SurveyAnswerFormat.boolean(form.language), path: group, linkID: item.linkID,
            isConditional: false)
        return SurveyStep(
            kind: .form, identifier: step(name), title: title, text: nil, detailText: nil, footnote: nil,
            isOptional: true,
            formItems: [row], paths: [group], isConditional: true)
    }

    // MARK: Identifiers

    /// Whether conditions decide about an item at a path, or whether it is below an answer.
    private func isConditional(_ path: ItemPath) -> Bool {
        let items = path.steps.compactMap { form.item($0.linkID) }
        return items.contains(where: \.isConditional) || items.dropLast().contains(where: \.isQuestion)
    }

    private mutating func step(_ name: String) -> String { stepIdentifiers.unique(name) }

    private mutating func identifier(of linkID: String, at path: ItemPath) -> String {
        let identifier = rowIdentifiers.unique(name(of: linkID, at: path))
        if form.located(identifier)?.path != path { paths[identifier] = path }
        return identifier
    }

    /// Returns the linkId in the first repetition of everything, otherwise the path.
    private func name(of linkID: String, at path: ItemPath) -> String {
        let isFirst = path.steps.allSatisfy { $0.instance == 0 }
        if isFirst, !linkID.isEmpty, !rowIdentifiers.contains(linkID) { return linkID }
        return isFirst && linkID.isEmpty ? "item" : path.description
    }
}

/// Identifiers of which each occurs once: a repeated name gets a number.
struct SurveyIdentifiers {
    private var counts: [String: Int] = [:]

    func contains(_ name: String) -> Bool { counts[name] != nil }

    /// Returns the name, or the name with a number if it is taken.
    mutating func unique(_ name: String) -> String {
        guard var number = counts[name] else {
            counts[name] = 1
            return name
        }
        // Names of the form can look like numbered ones.
        repeat { number += 1 } while counts["\(name)#\(number)"] != nil
        counts[name] = number
        counts["\(name)#\(number)"] = 1
        return "\(name)#\(number)"
    }
}

extension SurveyAnswerFormat {
    /// Whether one row takes several answers.
    var takesSeveralAnswers: Bool { if case .textChoice(_, let isMultiple) = self { isMultiple } else { false } }
}
