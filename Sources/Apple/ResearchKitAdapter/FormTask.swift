#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import Questionnaires
    import ResearchKit
    import ResearchKitForms

    /// A form as a task that creates its steps during navigation: after each step, the answers decide about the next
    /// steps, their options and texts, and about further repetitions.
    ///
    /// ```swift
    /// let task = try FormTask(questionnaire)
    /// let controller = ORKTaskViewController(task: task, taskRun: nil)
    /// controller.defaultResultSource = task
    /// ```
    /// The last line fills in the answers of the response that the task continues, and the form's initial values.
    public final class FormTask: NSObject, ORKTask, ORKTaskResultSource {
        /// The form's task as values.
        public let survey: SurveyTask
        private let source: SurveySource
        private let completionStep: ORKCompletionStep?

        /// Creates the task of a form.
        ///
        /// - Parameters:
        ///   - title: the title of each step; that of the form by default.
        ///   - response: an earlier response to continue.
        ///   - kinds: the app's own kinds of questions.
        ///   - completionStep: a step at the end.
        /// - Throws: ``ResearchKitForms/SurveyTaskError`` if the form has no items.
        public convenience init(
            _ questionnaire: Questionnaire, title: String? = nil, response: QuestionnaireResponse? = nil,
            kinds: QuestionKinds = QuestionKinds(), completionStep: ORKCompletionStep? = nil
        ) throws {
            let survey = try SurveyTask(QuestionnaireForm(questionnaire), title: title)
            let base = response.map {
                FormSession(
                    survey.form, rules: survey.rules, context: survey.context, clock: survey.clock, response: $0)
            }
            self.init(survey, continuing: base, kinds: kinds, completionStep: completionStep)
        }

        /// Creates the task of a form that is read already, for instance with value sets.
        ///
        /// - Parameter base: a session to continue; nil for the form's initial values.
        public init(
            _ survey: SurveyTask, continuing base: FormSession? = nil, kinds: QuestionKinds = QuestionKinds(),
            completionStep: ORKCompletionStep? = nil
        ) {
            self.survey = survey
            self.completionStep = completionStep
            source = SurveySource(survey, kinds: kinds, base: base)
            super.init()
        }

        /// The identifier of the task, and of its result.
        public var identifier: String { survey.identifier }

        /// Returns the next step for the answers of a result; nil after the last step.
        ///
        /// Steps and rows that an answer has enabled on an earlier page, and that were never shown, follow at the end.
        public func step(after step: ORKStep?, with result: ORKTaskResult) -> ORKStep? {
            if let step, step.identifier == completionStep?.identifier { return nil }
            let session = source.session(for: result)
            let steps = survey.steps(in: session)
            guard let step else { return steps.first?.object(source) ?? completionStep }
            let visited = visited(until: step.identifier, in: result)
            let known = Set(visited)
            // The answers of a step can remove it: the next one follows the last that was visited.
            let index =
                steps.firstIndex { $0.identifier == step.identifier }
                ?? steps.lastIndex { known.contains($0.identifier) } ?? -1
            func isNew(_ step: SurveyStep) -> Bool { !known.contains(step.identifier) }
            let next =
                steps.dropFirst(index + 1).first(where: isNew) ?? steps.first(where: isNew)
                ?? later(after: visited, in: session, result)
            return next?.object(source) ?? completionStep
        }

        /// Nil in a form that is answered in one direction only.
        public func step(before step: ORKStep?, with result: ORKTaskResult) -> ORKStep? {
            guard survey.allowsBack, let step else { return nil }
            let session = source.session(for: result)
            let steps = survey.steps(in: session)
            let visited = visited(until: step.identifier, in: result)
            for index in visited.indices.dropLast().reversed() {
                let identifier = visited[index]
                if let earlier = steps.first(where: { $0.identifier == identifier }) { return earlier.object(source) }
                let later = later(after: Array(visited[..<index]), in: session, result)
                if let later, later.identifier == identifier { return later.object(source) }
            }
            return nil
        }

        /// Returns the identifiers of the visited steps to a step, which is the last.
        private func visited(until identifier: String, in result: ORKTaskResult) -> [String] {
            let all = (result.results ?? []).map(\.identifier)
            return (all.lastIndex(of: identifier).map { Array(all[..<$0]) } ?? all) + [identifier]
        }

        /// Returns a step with rows of an earlier step that have become enabled.
        private func later(after visited: [String], in session: FormSession, _ result: ORKTaskResult) -> SurveyStep? {
            survey.laterStep(after: visited, in: session) { [source] index in
                let part = ORKTaskResult(taskIdentifier: result.identifier, taskRun: UUID(), outputDirectory: nil)
                part.results = Array((result.results ?? []).prefix(index + 1))
                return source.session(for: part)
            }
        }

        /// Returns the step with an identifier in the form's initial state.
        public func step(withIdentifier identifier: String) -> ORKStep? {
            if let completionStep, completionStep.identifier == identifier { return completionStep }
            return survey.steps.first { $0.identifier == identifier }?.object(source)
        }

        // MARK: ORKTaskResultSource

        /// Returns the answers of a step that the continued session has.
        public func stepResult(forStepIdentifier stepIdentifier: String) -> ORKStepResult? {
            let session = source.base ?? source.session(for: nil)
            let steps = survey.steps + survey.steps(in: session)
            guard let step = steps.first(where: { $0.identifier == stepIdentifier }) else { return nil }
            let results = survey.result(of: step, in: session).results.compactMap(\.answer)
            return ORKStepResult(stepIdentifier: stepIdentifier, results: results)
        }

        // MARK: The response

        /// Returns the response of a result, nested and checked.
        ///
        /// - Parameter subject: a reference such as `Patient/x`.
        /// - Throws: ``Questionnaires/IncompleteResponse`` if an answer is missing or wrong.
        public func fhirResponse(
            for result: ORKTaskResult, subject: String? = nil
        ) throws(IncompleteResponse) -> QuestionnaireResponse {
            try survey.completedResponse(
                for: SurveyResult(result), subject: subject, base: source.base, file: SurveyFile.content,
                custom: { [source] in source.kinds.answers(in: result, $0, $1) })
        }
    }

    extension SurveyFile {
        /// Returns the content of a file on the phone; nil if it cannot be read.
        static func content(_ file: SurveyFile) -> Data? {
            guard let url = file.url.flatMap({ URL(string: $0) }), url.isFileURL else { return nil }
            return try? Data(contentsOf: url)
        }
    }
#endif
