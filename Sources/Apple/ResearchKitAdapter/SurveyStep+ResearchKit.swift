#if canImport(ResearchKit)
    import Foundation
    import ResearchKit
    import ResearchKitForms

    extension SurveyStep {
        /// ResearchKit's object, with visibility rules for the rows that have conditions.
        func object(_ source: SurveySource) -> ORKStep {
            let step: ORKStep
            switch kind {
            case .form:
                let form = ORKFormStep(identifier: identifier, title: title, text: text)
                form.formItems = formItems.map { $0.object(source) }
                form.footerText = footnote
                step = form
            case .instruction: step = ORKInstructionStep(identifier: identifier)
            case .imageCapture: step = ORKImageCaptureStep(identifier: identifier)
            }
            step.title = title
            step.text = text
            step.detailText = detailText
            step.isOptional = isOptional
            if kind != .form { step.footnote = footnote }
            return step
        }
    }

    extension SurveyFormItem {
        func object(_ source: SurveySource) -> ORKFormItem {
            let own = format == nil ? nil : source.kinds.format(self)
            let item = ORKFormItem(
                identifier: identifier, text: text, answerFormat: own ?? format?.object, optional: isOptional)
            item.detailText = detailText
            item.placeholder = placeholder
            if isConditional { item.visibilityRule = SurveyVisibilityRule(self, source: source) }
            return item
        }
    }
#endif
