#if canImport(ResearchKit)
    import Foundation
    import InformedConsent
    import ResearchKit

    extension ConsentTemplate {
        /// The identifiers of the consent's steps and rows.
        public enum StepIdentifier {
            /// The step with the questions about eligibility. Its rows are numbered: `consent.eligibility.1`.
            public static let eligibility = "consent.eligibility"
            /// The step with the question about sharing, and its only row.
            public static let sharing = "consent.sharing"
            /// The step with the document and the signature.
            public static let review = "consent.review"
            /// The signature of the participant.
            public static let signature = "participant"
        }

        /// Returns the steps of a consent: the questions about eligibility, the sections, the question about sharing, and
        /// the document for review and signature.
        ///
        /// - Parameter reason: the sentence that asks for the signature.
        public func steps(reason: String) -> [ORKStep] {
            var steps: [ORKStep] = []
            if !eligibility.criteria.isEmpty { steps.append(eligibilityStep) }
            for (index, section) in screenSections.enumerated() {
                let step = ORKInstructionStep(identifier: "consent.section.\(index + 1)")
                step.title = section.title.isEmpty ? section.kind.title : section.title
                step.text = section.summary
                steps.append(step)
            }
            if asksForSharing { steps.append(sharingStep) }
            let review = ORKConsentReviewStep(
                identifier: StepIdentifier.review, signature: document.signatures?.first, in: document)
            review.requiresScrollToBottom = true
            review.reasonForConsent = reason
            review.title = title
            steps.append(review)
            return steps
        }

        private var eligibilityStep: ORKFormStep {
            let step = ORKFormStep(identifier: StepIdentifier.eligibility, title: title, text: nil)
            step.isOptional = false
            step.formItems = eligibility.criteria.enumerated().map { index, criterion in
                ORKFormItem(
                    identifier: Self.row(index), text: criterion.text, answerFormat: ORKBooleanAnswerFormat(),
                    optional: false)
            }
            return step
        }

        /// The identifier of a question about eligibility. Its text can occur twice, so the number identifies it.
        private static func row(_ index: Int) -> String { "\(StepIdentifier.eligibility).\(index + 1)" }

        private var sharingStep: ORKFormStep {
            let step = ORKFormStep(identifier: StepIdentifier.sharing, title: title, text: nil)
            step.isOptional = !requiresSharingAnswer
            step.formItems = [
                ORKFormItem(
                    identifier: StepIdentifier.sharing,
                    text: "May the data be shared with other researchers, without your name?",
                    answerFormat: ORKBooleanAnswerFormat(), optional: !requiresSharingAnswer)
            ]
            return step
        }

        /// The document of the consent in ResearchKit's classes.
        public var document: ORKConsentDocument {
            let document = ORKConsentDocument()
            document.title = title
            document.sections = sections.map { section in
                let object = ORKConsentSection(type: section.kind.type)
                object.title = section.title
                object.formalTitle = section.title
                object.summary = section.summary
                object.htmlContent = section.htmlContent ?? section.htmlContentFile.flatMap { htmlFiles[$0] }
                return object
            }
            let signature = ORKConsentSignature(
                forPersonWithTitle: nil, dateFormatString: nil, identifier: StepIdentifier.signature)
            document.addSignature(signature)
            return document
        }

        /// Returns the answers of a consent's result, for a session that signs it.
        public func answers(of result: ORKTaskResult) -> ConsentAnswers {
            func flag(_ step: String, _ row: String) -> Bool? {
                let found = result.stepResult(forStepIdentifier: step)?.result(forIdentifier: row)
                return (found as? ORKBooleanQuestionResult)?.booleanAnswer?.boolValue
            }
            var answers = ConsentAnswers()
            for (index, criterion) in eligibility.criteria.enumerated() {
                answers.eligibility[criterion.id] = flag(StepIdentifier.eligibility, Self.row(index))
            }
            answers.sharing = flag(StepIdentifier.sharing, StepIdentifier.sharing)
            return answers
        }
    }

    extension ConsentSection.Kind {
        fileprivate var type: ORKConsentSectionType {
            switch self {
            case .overview: .overview
            case .privacy: .privacy
            case .dataGathering: .dataGathering
            case .dataUse: .dataUse
            case .timeCommitment: .timeCommitment
            case .studySurvey: .studySurvey
            case .studyTasks: .studyTasks
            case .withdrawing: .withdrawing
            case .custom: .custom
            case .onlyInDocument: .onlyInDocument
            }
        }
    }
#endif
