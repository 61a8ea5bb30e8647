import FHIR

/// Enters the values of an answers file into a session.
///
/// 1. Repetitions are numbered in their order, from 0, without gaps.
/// 2. Values for one question at one path are combined, in the order of their numbers.
/// 3. Values are entered from the top down: an answer must exist before the items below it.
/// 4. Enablement is computed once, at the end.
struct AnswerFiller {
    /// A path as numbers, for comparisons: the items' indexes and the repetition of each.
    private struct PathKey: Hashable {
        var items: [Int]
        var instances: [Int]
    }

    /// All values for one question at one path.
    private struct Sheet {
        let target: AnswerTarget
        let key: String
        /// The values with their numbers; an empty list removes the answers.
        var values: [(number: Int, value: JSON)] = []
    }

    private let form: QuestionnaireForm
    private var answers: [AnswerEntry]
    private var problems: [ResponseProblem]

    init(_ reader: AnswerReader) {
        form = reader.form
        answers = reader.answers
        problems = reader.problems
    }

    mutating func fill(_ session: inout FormSession) -> [ResponseProblem] {
        numberRepetitions()
        let sheets = sheets()
        let order = sheets.indices.sorted { (depth(sheets[$0]), $0) < (depth(sheets[$1]), $1) }
        var filled: [(path: ItemPath, item: FormItem, key: String)] = []
        for index in order {
            let sheet = sheets[index]
            guard let item = sheet.target.item, let path = createInstances(for: sheet, item, &session),
                let values = values(of: sheet, item)
            else { continue }
            guard session.enter(values, at: path) else {
                report("item-misplaced", at: sheet.key, linkID: item.linkID, message: "The item does not belong here.")
                continue
            }
            if !values.isEmpty { filled.append((path, item, sheet.key)) }
        }
        session.update()
        for (path, item, key) in filled where !session.isEnabled(path) {
            report(
                "not-enabled", at: key, linkID: item.linkID,
                message: "The item is not enabled with these answers; its answer is omitted.", severity: .warning)
        }
        return problems
    }

    private func depth(_ sheet: Sheet) -> Int { sheet.target.steps.count }

    /// A group has an instance for each number in any key. A question has the answers in the file; keys that contain
    /// the question above others only refer to them.
    private mutating func numberRepetitions() {
        for depth in 0..<(answers.map(\.target.steps.count).max() ?? 0) {
            var used: [PathKey: Set<Int>] = [:]
            for answer in answers where depth < answer.target.steps.count {
                let steps = answer.target.steps
                guard steps[depth].item.type == .group || depth == steps.count - 1 else { continue }
                used[pathKey(answer.target, depth), default: []].insert(steps[depth].instance ?? 0)
            }
            let numbers = used.mapValues { numbers in
                Dictionary(uniqueKeysWithValues: numbers.sorted().enumerated().map { ($0.element, $0.offset) })
            }
            for index in answers.indices where depth < answers[index].target.steps.count {
                let step = answers[index].target.steps[depth]
                // The referenced answer is determined later, when the number of answers is known.
                if step.instance == nil, step.item.isQuestion, depth < answers[index].target.steps.count - 1 {
                    continue
                }
                let instance = step.instance ?? 0
                answers[index].target.steps[depth].instance =
                    numbers[pathKey(answers[index].target, depth)]?[instance] ?? instance
            }
        }
    }

    /// Returns the path above a depth, with the item at the depth.
    private func pathKey(_ target: AnswerTarget, _ depth: Int) -> PathKey {
        PathKey(
            items: target.steps[...depth].map(\.item.index),
            instances: target.steps[..<depth].map { $0.instance ?? 0 })
    }

    private mutating func sheets() -> [Sheet] {
        var sheets: [Sheet] = []
        var indexes: [PathKey: Int] = [:]
        for answer in answers {
            let last = answer.target.steps.count - 1
            let key = pathKey(answer.target, last)
            let index = indexes[key] ?? sheets.count
            if index == sheets.count {
                indexes[key] = index
                sheets.append(Sheet(target: answer.target, key: answer.key))
            }
            guard let value = answer.value else { continue }
            let number = answer.target.steps[last].instance ?? 0
            guard !sheets[index].values.contains(where: { $0.number == number }) else {
                report(
                    "answer-twice", at: answer.key, linkID: answer.target.item?.linkID,
                    message: "The answers contain this path twice; the first value is used.")
                continue
            }
            sheets[index].values.append((number, value))
        }
        for index in sheets.indices { sheets[index].values.sort { $0.number < $1.number } }
        return sheets
    }

    /// Creates the instances above a question; nil if a question above has no answer for it.
    private mutating func createInstances(for sheet: Sheet, _ item: FormItem, _ session: inout FormSession) -> ItemPath?
    {
        var path = ItemPath([])
        for step in sheet.target.steps.dropLast() {
            path.steps.append(ItemPath.Step(linkID: step.item.linkID, instance: step.instance ?? 0))
            if step.item.type == .group {
                guard session.createGroup(at: path) else {
                    report(
                        "repeats", at: sheet.key, linkID: step.item.linkID,
                        message: "The group has more instances than are permitted.")
                    return nil
                }
                continue
            }
            let count = session.answers(at: path).count
            guard count > step.instance ?? 0 else {
                report(
                    "parent-unanswered", at: sheet.key, linkID: item.linkID,
                    message: "The question above this item has no such answer, so there are no items below it.")
                return nil
            }
            if step.instance == nil, count > 1 {
                report(
                    "parent-ambiguous", at: sheet.key, linkID: item.linkID,
                    message: "The question above this item has several answers; identify one, as in question[0]/item.")
                return nil
            }
        }
        path.steps.append(ItemPath.Step(linkID: item.linkID))
        return path
    }

    private mutating func values(of sheet: Sheet, _ item: FormItem) -> [AnswerValue]? {
        var values: [AnswerValue] = []
        for (_, value) in sheet.values {
            guard let answer = AnswerCoercion.value(value, for: item) else {
                let isChoice = item.type == .choice && item.options != nil && value.string != nil
                report(
                    isChoice ? "option" : "answer-type", at: sheet.key, linkID: item.linkID,
                    message: isChoice
                        ? "The answer is not one of the question's options."
                        : "The value is not a valid answer to a question of the type \(item.type.rawValue).")
                return nil
            }
            values.append(answer)
        }
        return values
    }

    private mutating func report(
        _ code: String, at key: String, linkID: String?, message: Sentence, severity: FormProblem.Severity = .error
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: key, linkID: linkID, sentence: message))
    }
}
