import FHIR
import Foundation

/// Answers as a JSON file gives them: linkIds, or paths such as `group[1]/child`, with values.
///
/// A value is a boolean, a number, a text, a list of these, an object with one `value[x]` member, or
/// `{"value": ..., "item": {...}}` with answers to the items below.
public struct AnswerSet: Sendable {
    let json: JSON

    public init(_ json: JSON) { self.json = json }

    /// Puts the answers into a session.
    ///
    /// - Returns: what could not be put in, as errors; answers to items that are disabled in the end are dropped with a
    ///   warning.
    public func apply(to session: inout FormSession) -> [ResponseProblem] {
        var filler = AnswerFiller(form: session.form)
        guard let object = json.object else {
            return [
                ResponseProblem(
                    code: "answers-malformed", expression: "$", linkID: nil,
                    message: "The answers must be a JSON object of linkIds with values.")
            ]
        }
        filler.read(object, below: nil)
        return filler.fill(&session)
    }
}

/// Reads an answers file step by step.
private struct AnswerFiller {
    /// Where an answer goes: the linkIds from the top, with the repetition that the file names.
    private struct Target {
        let item: FormItem
        var path: [(linkID: String, instance: Int?)]
        let values: [Entry]
        let source: String
    }

    private struct Entry {
        let value: JSON
        let items: JSONObject?
    }

    let form: Form
    private var targets: [Target] = []
    private var problems: [ResponseProblem] = []

    init(form: Form) { self.form = form }

    // MARK: Reading

    mutating func read(_ object: JSONObject, below parent: (item: FormItem, path: [(linkID: String, instance: Int?)])?)
    {
        for member in object.members {
            guard let (item, path) = locate(member.key, below: parent) else { continue }
            let values = (member.value.array ?? [member.value]).filter { !$0.isNull }.map(entry)
            guard !values.isEmpty else { continue }
            if item.type == .group, values.count == 1, let members = member.value.object {
                // A group given as an object of its items.
                read(members["item"]?.object ?? members, below: (item, path))
                continue
            }
            targets.append(Target(item: item, path: path, values: values, source: member.key))
        }
    }

    private func entry(_ json: JSON) -> Entry {
        guard let object = json.object, let value = object["value"] else {
            return Entry(value: json, items: json["item"]?.object)
        }
        return Entry(value: value, items: object["item"]?.object)
    }

    private mutating func locate(
        _ key: String, below parent: (item: FormItem, path: [(linkID: String, instance: Int?)])?
    ) -> (FormItem, [(linkID: String, instance: Int?)])? {
        // A linkId may itself hold slashes or brackets: the whole key is tried first.
        let steps = form.item(key) != nil ? [(linkID: key, instance: Int?.none)] : Self.steps(key)
        guard let last = steps.last, let item = form.item(last.linkID) else {
            report("link-id-unknown", key, nil, "The form has no item of this linkId.")
            return nil
        }
        var path = item.ancestors.map { (linkID: form.all[$0].linkID, instance: Int?.none) }
        path.append((item.linkID, last.instance))
        for (depth, step) in (parent?.path ?? []).enumerated() where depth < path.count {
            guard path[depth].linkID == step.linkID else {
                report("item-misplaced", key, item.linkID, "The item does not stand below the item it is given in.")
                return nil
            }
            path[depth].instance = step.instance
        }
        for step in steps.dropLast() {
            guard let depth = path.dropLast().firstIndex(where: { $0.linkID == step.linkID }) else {
                report("item-misplaced", key, item.linkID, "The path does not lead to this item in the form.")
                return nil
            }
            if let instance = step.instance { path[depth].instance = instance }
        }
        return (item, path)
    }

    /// `group[1]/child` as its steps.
    private static func steps(_ key: String) -> [(linkID: String, instance: Int?)] {
        key.split(separator: "/").map { part in
            guard part.hasSuffix("]"), let open = part.lastIndex(of: "["),
                let number = Int(part[part.index(after: open)...].dropLast()), number >= 0
            else { return (String(part), nil) }
            return (String(part[..<open]), number)
        }
    }

    // MARK: Filling

    mutating func fill(_ session: inout FormSession) -> [ResponseProblem] {
        numberRepetitions()
        // Parents first: an answer must be there before the items below it.
        let order = targets.indices.sorted { left, right in
            (targets[left].item.ancestors.count, left) < (targets[right].item.ancestors.count, right)
        }
        var placed: [(ItemPath, FormItem)] = []
        for index in order {
            let target = targets[index]
            let path = ItemPath(target.path.map { .init(linkID: $0.linkID, instance: $0.instance ?? 0) })
            guard makeRoom(for: path, target, &session) else { continue }
            if put(target, at: path, into: &session) { placed.append((path, target.item)) }
        }
        for (path, item) in placed where !session.isEnabled(path) {
            problems.append(
                ResponseProblem(
                    code: "not-enabled", severity: .warning, expression: path.description, linkID: item.linkID,
                    message: "The item is not enabled with these answers; its answer is left out."))
        }
        return problems
    }

    /// Repetitions are numbered in their order, whatever number they begin with.
    private mutating func numberRepetitions() {
        var used: [String: Set<Int>] = [:]
        func key(_ path: [(linkID: String, instance: Int?)], _ depth: Int) -> String {
            path[...depth].enumerated().map { index, step in
                index == depth ? step.linkID : "\(step.linkID)[\(step.instance ?? 0)]"
            }.joined(separator: "/")
        }
        for depth in 0..<(targets.map(\.path.count).max() ?? 0) {
            used.removeAll()
            for target in targets where depth < target.path.count - (target.item.type == .group ? 0 : 1) {
                used[key(target.path, depth), default: []].insert(target.path[depth].instance ?? 0)
            }
            for index in targets.indices where depth < targets[index].path.count {
                guard let numbers = used[key(targets[index].path, depth)]?.sorted() else { continue }
                let instance = targets[index].path[depth].instance ?? 0
                targets[index].path[depth].instance = numbers.firstIndex(of: instance) ?? instance
            }
        }
    }

    private mutating func makeRoom(for path: ItemPath, _ target: Target, _ session: inout FormSession) -> Bool {
        for depth in path.steps.indices.dropLast() {
            let above = ItemPath(Array(path.steps[...depth]))
            guard let item = form.item(above.steps[depth].linkID) else { return false }
            if item.type == .group {
                guard session.ensureGroup(at: above) else {
                    report("repeats", target.source, item.linkID, "The group does not repeat.")
                    return false
                }
            } else if !session.answers(at: above).indices.contains(above.steps[depth].instance) {
                report(
                    "parent-unanswered", target.source, target.item.linkID,
                    "The question above this item has no answer, so nothing can stand below it.")
                return false
            }
        }
        return true
    }

    private mutating func put(_ target: Target, at path: ItemPath, into session: inout FormSession) -> Bool {
        guard target.item.isQuestion else {
            report("group-answered", target.source, target.item.linkID, "A group or display item takes no answer.")
            return false
        }
        var values: [AnswerValue] = []
        for entry in target.values {
            guard let value = AnswerCoercion.value(entry.value, for: target.item) else {
                report(
                    "answer-type", target.source, target.item.linkID,
                    "The value is no answer to a question of the type \(target.item.type.rawValue).")
                return false
            }
            values.append(value)
        }
        guard session.setAnswers(values, at: path) else {
            report("item-misplaced", target.source, target.item.linkID, "The item has no place here.")
            return false
        }
        for (index, entry) in target.values.enumerated() {
            guard let items = entry.items else { continue }
            var nested = AnswerFiller(form: form)
            var above = path.steps.map { (linkID: $0.linkID, instance: Optional($0.instance)) }
            above[above.count - 1].instance = index
            nested.read(items, below: (target.item, above))
            problems += nested.fillExactly(&session)
        }
        return true
    }

    /// Fills without numbering anew: the places above are settled.
    private mutating func fillExactly(_ session: inout FormSession) -> [ResponseProblem] {
        for target in targets {
            let path = ItemPath(target.path.map { .init(linkID: $0.linkID, instance: $0.instance ?? 0) })
            guard makeRoom(for: path, target, &session) else { continue }
            if put(target, at: path, into: &session), !session.isEnabled(path) {
                problems.append(
                    ResponseProblem(
                        code: "not-enabled", severity: .warning, expression: path.description,
                        linkID: target.item.linkID,
                        message: "The item is not enabled with these answers; its answer is left out."))
            }
        }
        return problems
    }

    private mutating func report(_ code: String, _ source: String, _ linkID: String?, _ message: String) {
        problems.append(ResponseProblem(code: code, expression: source, linkID: linkID, message: message))
    }
}
