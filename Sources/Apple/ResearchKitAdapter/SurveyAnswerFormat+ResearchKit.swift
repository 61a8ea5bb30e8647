#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms

    extension SurveyAnswerFormat {
        /// ResearchKit's object.
        var object: ORKAnswerFormat {
            switch self {
            case .boolean(let yes?, let no?): return ORKBooleanAnswerFormat(yesString: yes, noString: no)
            case .boolean: return ORKBooleanAnswerFormat()
            case .textChoice(let choices, let isMultiple):
                return ORKTextChoiceAnswerFormat(
                    style: isMultiple ? .multipleChoice : .singleChoice, textChoices: choices.map(\.object))
            case .valuePicker(let choices): return ORKValuePickerAnswerFormat(textChoices: choices.map(\.object))
            case .textScale(let choices, let isVertical):
                return ORKTextScaleAnswerFormat(
                    textChoices: choices.map(\.object), defaultIndex: -1, vertical: isVertical)
            case .scale(let scale):
                // A default outside of the bounds is none.
                return ORKScaleAnswerFormat(
                    maximumValue: scale.maximum, minimumValue: scale.minimum, defaultValue: Int(Int32.max),
                    step: scale.step, vertical: scale.isVertical,
                    maximumValueDescription: scale.maximumDescription,
                    minimumValueDescription: scale.minimumDescription)
            case .continuousScale(let scale):
                return ORKContinuousScaleAnswerFormat(
                    maximumValue: scale.maximum, minimumValue: scale.minimum, defaultValue: .greatestFiniteMagnitude,
                    maximumFractionDigits: scale.fractionDigits, vertical: scale.isVertical,
                    maximumValueDescription: scale.maximumDescription,
                    minimumValueDescription: scale.minimumDescription)
            case .numeric(let format): return format.object
            case .date(let format):
                return ORKDateAnswerFormat(
                    style: format.hasTime ? .dateAndTime : .date, defaultDate: nil, minimumDate: format.minimum,
                    maximumDate: format.maximum, calendar: nil)
            case .timeOfDay: return ORKTimeOfDayAnswerFormat(defaultComponents: nil)
            case .text(let format): return format.object
            }
        }
    }

    extension SurveyChoice {
        var object: ORKTextChoice {
            let value = NSString(string: self.value)
            guard isOther else {
                return ORKTextChoice(text: text, detailText: detailText, value: value, exclusive: isExclusive)
            }
            return ORKTextChoiceOther.choice(
                withText: text, detailText: detailText, value: value, exclusive: isExclusive,
                textViewPlaceholderText: "")
        }
    }

    extension SurveyNumberFormat {
        var object: ORKNumericAnswerFormat {
            let format = ORKNumericAnswerFormat(
                style: isInteger ? .integer : .decimal, unit: unit, displayUnit: unit,
                minimum: minimum.map { NSDecimalNumber(decimal: $0) },
                maximum: maximum.map { NSDecimalNumber(decimal: $0) },
                maximumFractionDigits: fractionDigits.map { NSNumber(value: $0) })
            format.placeholder = placeholder
            return format
        }
    }

    extension SurveyTextFormat {
        var object: ORKTextAnswerFormat {
            let format = ORKTextAnswerFormat(maximumLength: maximumLength)
            // ResearchKit needs both or neither.
            if let pattern, let message, let expression = try? NSRegularExpression(pattern: pattern) {
                format.validationRegularExpression = expression
                format.invalidMessage = message
            }
            format.multipleLines = hasLines
            format.placeholder = placeholder
            #if !os(macOS)
                format.keyboardType = UIKeyboardType(rawValue: keyboard.rawValue) ?? .default
                if let capitalization {
                    format.autocapitalizationType =
                        UITextAutocapitalizationType(rawValue: capitalization.rawValue) ?? .sentences
                }
                format.textContentType = contentType.map { UITextContentType(rawValue: $0) }
            #endif
            return format
        }
    }
#endif
