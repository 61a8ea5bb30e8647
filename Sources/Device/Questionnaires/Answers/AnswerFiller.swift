import FHIR

/// Puts the values of an answers file into a session.
///
/// 1. Repetitions are numbered in their order, from 0, without gaps.
/// 2. Values of one question at one place come together, in the order of their numbers.
/// 3. They are put in from the top down: an answer must be there before the items below it.
/// 4. What is enabled is found out once, at the end.
struct AnswerFiller {
    /// A place as numbers, for comparing: the items' indexes and which repetition of each.
    private struct Spot: Hashable {
        var items: [Int]
        var instances: [Int]
    }

    /// All values for one question at one place.
    private struct Sheet {
        let place: AnswerPlace
        let key: String
        /// By their numbers; none takes the answers away.
        var values: [(number: Int, value: JSON)] = []
    }

    private let form: QuestionnaireForm
    private var answers: [PlacedAnswer]
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
            guard let item = sheet.place.item, let path = makeRoom(for: sheet, item, &session),
                let values = values(of: sheet, item)
            else { continue }
            guard session.place(values, at: path) else {
                report("item-misplaced", sheet.key, item.linkID, "The item has no place here.")
                continue
            }
            if !values.isEmpty { filled.append((path, item, sheet.key)) }
        }
        session.update()
        for (path, item, key) in filled where !session.isEnabled(path) {
            report(
                "not-enabled", key, item.linkID,
                "The item is not enabled with these answers; its answer is left out.", .warning)
        }
        return problems
    }

    private func depth(_ sheet: Sheet) -> Int { sheet.place.steps.count }

    /// A group's instances are those that any key names. A question's answers are those that the file gives; keys that
    /// go through it only refer to them.
    private mutating func numberRepetitions() {
        for depth in 0..<(answers.map(\.place.steps.count).max() ?? 0) {
            var used: [Spot: Set<Int>] = [:]
            for answer in answers where depth < answer.place.steps.count {
                let steps = answer.place.steps
                guard steps[depth].item.type == .group || depth == steps.count - 1 else { continue }
                used[spot(answer.place, depth), default: []].insert(steps[depth].instance ?? 0)
            }
            let numbers = used.mapValues { numbers in
                Dictionary(uniqueKeysWithValues: numbers.sorted().enumerated().map { ($0.element, $0.offset) })
            }
            for index in answers.indices where depth < answers[index].place.steps.count {
                let step = answers[index].place.steps[depth]
                // Which answer is meant stays open until it is known how many there are.
                if step.instance == nil, step.item.isQuestion, depth < answers[index].place.steps.count - 1 { continue }
                let instance = step.instance ?? 0
                answers[index].place.steps[depth].instance =
                    numbers[spot(answers[index].place, depth)]?[instance] ?? instance
            }
        }
    }

    /// The place above a depth, with the item at the depth.
    private func spot(_ place: AnswerPlace, _ depth: Int) -> Spot {
        Spot(
            items: place.steps[...depth].map(\.item.index),
            instances: place.steps[..<depth].map { $0.instance ?? 0 })
    }

    private mutating func sheets() -> [Sheet] {
        var sheets: [Sheet] = []
        var indexes: [Spot: Int] = [:]
        for answer in answers {
            let last = answer.place.steps.count - 1
            let spot = spot(answer.place, last)
            let index = indexes[spot] ?? sheets.count
            if index == sheets.count {
                indexes[spot] = index
                sheets.append(Sheet(place: answer.place, key: answer.key))
            }
            guard let value = answer.value else { continue }
            let number = answer.place.steps[last].instance ?? 0
            guard !sheets[index].values.contains(where: { $0.number == number }) else {
                report(
                    "answer-twice", answer.key, answer.place.item?.linkID,
                    "The answers name this place twice; the first is taken.")
                continue
            }
            sheets[index].values.append((number, value))
        }
        for index in sheets.indices { sheets[index].values.sort { $0.number < $1.number } }
        return sheets
    }

    /// Makes the instances above a question; nil where the question above has no answer for it to stand below.
    private mutating func makeRoom(for sheet: Sheet, _ item: FormItem, _ session: inout FormSession) -> ItemPath? {
        var path = ItemPath([])
        for step in sheet.place.steps.dropLast() {
            path.steps.append(ItemPath.Step(linkID: step.item.linkID, instance: step.instance ?? 0))
            if step.item.type == .group {
                guard session.placeGroup(at: path) else {
                    report("repeats", sheet.key, step.item.linkID, "The group is given more often than it may stand.")
                    return nil
                }
                continue
            }
            let count = session.answers(at: path).count
            guard count > step.instance ?? 0 else {
                report(
                    "parent-unanswered", sheet.key, item.linkID,
                    "The question above this item has no such answer, so nothing can stand below it.")
                return nil
            }
            if step.instance == nil, count > 1 {
                report(
                    "parent-ambiguous", sheet.key, item.linkID,
                    "The question above this item has several answers; say below which, as in question[0]/item.")
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
                    isChoice ? "option" : "answer-type", sheet.key, item.linkID,
                    isChoice
                        ? "The answer is none of those that the question offers."
                        : "The value is no answer to a question of the type \(item.type.rawValue).")
                return nil
            }
            values.append(answer)
        }
        return values
    }

    private mutating func report(
        _ code: String, _ key: String, _ linkID: String?, _ message: String, _ severity: FormProblem.Severity = .error
    ) {
        problems.append(
            ResponseProblem(code: code, severity: severity, expression: key, linkID: linkID, message: message))
    }
}
