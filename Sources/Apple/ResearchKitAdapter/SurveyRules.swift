#if canImport(ResearchKit)
    import Foundation
    import Questionnaires
    import ResearchKit
    import ResearchKitForms

    /// Decides about the visibility of a row with the engine of the form.
    final class SurveyVisibilityRule: ORKFormItemVisibilityRule {
        private let item: SurveyFormItem
        private let source: SurveySource

        init(_ item: SurveyFormItem, source: SurveySource) {
            self.item = item
            self.source = source
            super.init()
        }

        override func formItemVisibility(for taskResult: ORKTaskResult?) -> Bool {
            source.task.isVisible(item, in: source.session(for: taskResult))
        }

        /// ResearchKit's own copy is made by `init()`, and loses the item.
        override func copy(with zone: NSZone? = nil) -> Any { SurveyVisibilityRule(item, source: source) }
    }

    /// Skips a step whose items are not enabled.
    final class SurveySkipRule: ORKSkipStepNavigationRule {
        private let step: SurveyStep
        private let source: SurveySource

        init(_ step: SurveyStep, source: SurveySource) {
            self.step = step
            self.source = source
            super.init()
        }

        override func stepShouldSkip(with taskResult: ORKTaskResult) -> Bool {
            !source.task.isVisible(step, in: source.session(for: taskResult))
        }

        override func copy(with zone: NSZone? = nil) -> Any { SurveySkipRule(step, source: source) }
    }

    /// The task of a form, and the session of the last result: ResearchKit asks about each row and step separately.
    final class SurveySource {
        let task: SurveyTask
        let kinds: QuestionKinds
        /// The session that the results are entered into.
        let base: FormSession?
        private var last: (result: SurveyResult, session: FormSession)?

        init(_ task: SurveyTask, kinds: QuestionKinds, base: FormSession?) {
            self.task = task
            self.kinds = kinds
            self.base = base
        }

        /// Returns the session of a result. Photos decide about nothing, and are not read.
        func session(for taskResult: ORKTaskResult?) -> FormSession {
            let result =
                taskResult.map { SurveyResult($0).withoutTimes }
                ?? SurveyResult(
                    className: "ORKTaskResult", identifier: task.identifier)
            // An app's own results have answers that their values do not show.
            if let last, last.result == result, !kinds.hasOwnAnswers { return last.session }
            let reading = task.reading(
                result, base: base, file: { _ in nil }, custom: { [kinds] in kinds.answers(in: taskResult, $0, $1) })
            last = (result, reading.session)
            return reading.session
        }
    }
#endif
