#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import Questionnaires
    import ResearchKit
    import ResearchKitForms

    /// An app's own kinds of questions, which replace the answer formats of this library.
    ///
    /// ```swift
    /// let kinds = QuestionKinds(
    ///     format: { $0.linkID == "pain" ? PainAnswerFormat() : nil },
    ///     answers: { result, item in (result as? PainResult).map { [.integer($0.level)] } })
    /// ```
    public struct QuestionKinds {
        /// Returns the answer format of a row; nil for this library's.
        let format: (SurveyFormItem) -> ORKAnswerFormat?
        private let answers: ((ORKResult, FormItem) -> [AnswerValue]?)?

        /// Creates the kinds of an app; by default there are none.
        ///
        /// - Parameters:
        ///   - format: returns the answer format of a row; nil for this library's.
        ///   - answers: returns the answers of a result; nil for this library's. An empty list means that there is none.
        public init(
            format: @escaping (SurveyFormItem) -> ORKAnswerFormat? = { _ in nil },
            answers: ((ORKResult, FormItem) -> [AnswerValue]?)? = nil
        ) {
            self.format = format
            self.answers = answers
        }

        /// Whether the answers depend on more than the values of results.
        var hasOwnAnswers: Bool { answers != nil }

        /// Returns the answers of the app for the object of a result.
        func answers(in task: ORKTaskResult?, _ result: SurveyResult, _ item: FormItem) -> [AnswerValue]? {
            guard let answers else { return nil }
            for step in task?.results ?? [] {
                for object in (step as? ORKCollectionResult)?.results ?? [] where object.identifier == result.identifier
                {
                    return answers(object, item)
                }
            }
            return nil
        }
    }
#endif
