import Questionnaires

extension SurveyTask {
    /// The last character of the identifier of a step with rows of an earlier step.
    private static let laterMark: Character = "+"
    /// Maximum number of earlier states that are computed for one step.
    private static let maximumStates = 200

    /// Returns a step with the rows of an earlier step that answers have enabled since it was shown, for instance those in
    /// a further repetition; nil if there is none.
    ///
    /// The identifier of the step is that of the earlier step, with a `+` for each time.
    ///
    /// - Parameters:
    ///   - visited: the identifiers of the steps that the person has seen, in their order.
    ///   - session: the session of all answers.
    ///   - sessionUntil: returns the session of the answers until the end of a visited step, by its index.
    public func laterStep(
        after visited: [String], in session: FormSession, sessionUntil: (Int) -> FormSession
    ) -> SurveyStep? {
        let steps = steps(in: session)
        let names = Set(steps.map(\.identifier))
        var visits: [String: [Int]] = [:]
        for (index, identifier) in visited.enumerated() {
            visits[Self.origin(of: identifier, among: names), default: []].append(index)
        }
        var states = 0
        for step in steps where !step.isRepetition {
            let open = step.questions.filter { row in
                row.isConditional && isVisible(row, in: session) && session.answers(at: row.path).isEmpty
            }
            guard !open.isEmpty, let times = visits[step.identifier], states + times.count <= Self.maximumStates else {
                continue
            }
            states += times.count
            let earlier = times.map(sessionUntil)
            func wasShown(_ row: SurveyFormItem) -> Bool { earlier.contains { isVisible(row, in: $0) } }
            guard open.contains(where: { !wasShown($0) }) else { continue }
            var identifier = step.identifier
            repeat {
                identifier.append(Self.laterMark)
            } while visited.contains(identifier) || names.contains(identifier)
            return step.asking(step.formItems.filter { $0.isConditional && !wasShown($0) }, as: identifier)
        }
        return nil
    }

    /// Returns the identifier of the step whose rows a visited step has.
    private static func origin(of identifier: String, among names: Set<String>) -> String {
        var origin = Substring(identifier)
        while !names.contains(String(origin)), origin.last == laterMark { origin.removeLast() }
        return String(origin)
    }
}

extension SurveyStep {
    /// Returns a step with some of the rows.
    fileprivate func asking(_ rows: [SurveyFormItem], as identifier: String) -> SurveyStep {
        SurveyStep(
            kind: kind, identifier: identifier, title: title, text: text, detailText: detailText, footnote: footnote,
            isOptional: rows.allSatisfy(\.isOptional), formItems: rows, paths: rows.map(\.path), isConditional: true)
    }
}
