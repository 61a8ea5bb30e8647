#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import Questionnaires
    import ResearchKit
    import ResearchKitForms

    extension ORKNavigableOrderedTask {
        /// Creates the task of a form with all its steps. Skip rules and visibility rules call the form's engine.
        ///
        /// If an item repeats, the task asks its first repetition only; ``FormTask`` asks more.
        ///
        /// - Parameters:
        ///   - title: the title of each step; that of the form by default.
        ///   - completionStep: a step at the end.
        /// - Throws: ``ResearchKitForms/SurveyTaskError`` if the form has no items.
        public convenience init(
            title: String? = nil, questionnaire: Questionnaire, completionStep: ORKCompletionStep? = nil
        ) throws {
            try self.init(
                title: title, questionnaire: questionnaire, kinds: QuestionKinds(), completionStep: completionStep)
        }

        /// Creates the task of a form with an app's own kinds of questions.
        ///
        /// - Throws: ``ResearchKitForms/SurveyTaskError`` if the form has no items.
        public convenience init(
            title: String? = nil, questionnaire: Questionnaire, kinds: QuestionKinds,
            completionStep: ORKCompletionStep? = nil
        ) throws {
            let survey = try SurveyTask(QuestionnaireForm(questionnaire), title: title)
            self.init(survey, kinds: kinds, completionStep: completionStep)
        }

        /// Creates a task of ResearchKit.
        public convenience init(
            _ survey: SurveyTask, kinds: QuestionKinds = QuestionKinds(), completionStep: ORKCompletionStep? = nil
        ) {
            let source = SurveySource(survey, kinds: kinds, base: nil)
            var steps = survey.steps.map { $0.object(source) }
            if let completionStep, !steps.contains(where: { $0.identifier == completionStep.identifier }) {
                steps.append(completionStep)
            }
            self.init(identifier: survey.identifier, steps: steps)
            for step in survey.steps where step.isConditional {
                setSkip(SurveySkipRule(step, source: source), forStepIdentifier: step.identifier)
            }
        }
    }

    extension ORKTaskResult {
        /// The response without the form: its questions in one list, without those that have no answer. Photos are in it
        /// as data. ``fhirResponse(for:kinds:subject:)`` returns the response as the form has it.
        public var fhirResponse: QuestionnaireResponse {
            var response = SurveyResult(self).flatResponse(authored: .now(), file: SurveyFile.content)
            response.id = UUID().uuidString.lowercased()
            return response
        }

        /// Returns the response for a form: nested as the form is, without answers of items that are not enabled, and
        /// checked as the server checks it.
        ///
        /// - Parameter subject: a reference such as `Patient/x`.
        /// - Throws: ``Questionnaires/IncompleteResponse`` if an answer is missing or wrong.
        public func fhirResponse(
            for questionnaire: Questionnaire, kinds: QuestionKinds = QuestionKinds(), subject: String? = nil
        ) throws -> QuestionnaireResponse {
            try fhirResponse(
                for: try SurveyTask(QuestionnaireForm(questionnaire)), kinds: kinds, subject: subject)
        }

        /// Returns the response for a form that is read already, for instance with value sets.
        ///
        /// - Throws: ``Questionnaires/IncompleteResponse`` if an answer is missing or wrong.
        public func fhirResponse(
            for survey: SurveyTask, kinds: QuestionKinds = QuestionKinds(), subject: String? = nil
        ) throws(IncompleteResponse) -> QuestionnaireResponse {
            try survey.completedResponse(
                for: SurveyResult(self), subject: subject, file: SurveyFile.content,
                custom: { kinds.answers(in: self, $0, $1) })
        }
    }
#endif
