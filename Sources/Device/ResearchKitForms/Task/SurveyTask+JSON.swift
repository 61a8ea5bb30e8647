import FHIR
import Foundation
import ResearchResults

extension SurveyTask {
    /// The task as JSON, in the names of ResearchKit's serializer:
    /// `{identifier, steps: [{_class, identifier, title, text, optional, formItems: [...]}]}`.
    public var json: JSON {
        ["identifier": .string(identifier), "steps": .array(steps.map(\.json))]
    }
}

extension SurveyStep {
    /// The step as JSON.
    public var json: JSON {
        var object = JSONObject()
        object["_class"] = .string(kind.rawValue)
        object["identifier"] = .string(identifier)
        object["title"] = title.map(JSON.string)
        object["text"] = text.map(JSON.string)
        object["detailText"] = detailText.map(JSON.string)
        object["footnote"] = footnote.map(JSON.string)
        object["optional"] = .bool(isOptional)
        if kind == .form { object["formItems"] = .array(formItems.map(\.json)) }
        return .object(object)
    }
}

extension SurveyFormItem {
    /// The row as JSON.
    public var json: JSON {
        var object = JSONObject()
        object["identifier"] = .string(identifier)
        object["text"] = text.map(JSON.string)
        object["detailText"] = detailText.map(JSON.string)
        object["placeholder"] = placeholder.map(JSON.string)
        object["optional"] = .bool(isOptional)
        object["answerFormat"] = format?.json
        return .object(object)
    }
}

extension SurveyAnswerFormat {
    /// The name of the class in ResearchKit.
    public var className: String {
        switch self {
        case .boolean: "ORKBooleanAnswerFormat"
        case .textChoice: "ORKTextChoiceAnswerFormat"
        case .valuePicker: "ORKValuePickerAnswerFormat"
        case .textScale: "ORKTextScaleAnswerFormat"
        case .scale: "ORKScaleAnswerFormat"
        case .continuousScale: "ORKContinuousScaleAnswerFormat"
        case .numeric: "ORKNumericAnswerFormat"
        case .date: "ORKDateAnswerFormat"
        case .timeOfDay: "ORKTimeOfDayAnswerFormat"
        case .text: "ORKTextAnswerFormat"
        }
    }

    /// The format as JSON.
    public var json: JSON {
        var object = JSONObject()
        object["_class"] = .string(className)
        switch self {
        case .timeOfDay: break
        case .boolean(let yes, let no):
            object["yes"] = yes.map(JSON.string)
            object["no"] = no.map(JSON.string)
        case .textChoice(let choices, let isMultiple):
            object["style"] = isMultiple ? "multipleChoice" : "singleChoice"
            object["textChoices"] = .array(choices.map(\.json))
        case .valuePicker(let choices): object["textChoices"] = .array(choices.map(\.json))
        case .textScale(let choices, let isVertical):
            object["textChoices"] = .array(choices.map(\.json))
            // An index outside of the choices selects none.
            object["defaultIndex"] = -1
            object["vertical"] = .bool(isVertical)
        case .scale(let scale):
            object["minimum"] = .number(JSONNumber(scale.minimum))
            object["maximum"] = .number(JSONNumber(scale.maximum))
            object["step"] = .number(JSONNumber(scale.step))
            object["vertical"] = .bool(scale.isVertical)
            object["minimumValueDescription"] = scale.minimumDescription.map(JSON.string)
            object["maximumValueDescription"] = scale.maximumDescription.map(JSON.string)
        case .continuousScale(let scale):
            object["minimum"] = Self.number(scale.minimum)
            object["maximum"] = Self.number(scale.maximum)
            object["maximumFractionDigits"] = .number(JSONNumber(scale.fractionDigits))
            object["vertical"] = .bool(scale.isVertical)
            object["minimumValueDescription"] = scale.minimumDescription.map(JSON.string)
            object["maximumValueDescription"] = scale.maximumDescription.map(JSON.string)
        case .numeric(let format):
            object["style"] = format.isInteger ? "integer" : "decimal"
            object["unit"] = format.unit.map(JSON.string)
            object["minimum"] = format.minimum.flatMap { JSONNumber($0) }.map(JSON.number)
            object["maximum"] = format.maximum.flatMap { JSONNumber($0) }.map(JSON.number)
            object["maximumFractionDigits"] = format.fractionDigits.map { .number(JSONNumber($0)) }
            object["placeholder"] = format.placeholder.map(JSON.string)
        case .date(let format):
            object["style"] = format.hasTime ? "dateTime" : "date"
            object["minimumDate"] = format.minimum.map { .string(ResultTime.text(DateTime($0))) }
            object["maximumDate"] = format.maximum.map { .string(ResultTime.text(DateTime($0))) }
        case .text(let format): Self.write(format, to: &object)
        }
        return .object(object)
    }

    private static func write(_ format: SurveyTextFormat, to object: inout JSONObject) {
        object["maximumLength"] = .number(JSONNumber(format.maximumLength))
        object["validationRegularExpression"] = format.pattern.map { ["pattern": .string($0), "options": 0] }
        object["invalidMessage"] = format.message.map(JSON.string)
        object["multipleLines"] = .bool(format.hasLines)
        object["keyboardType"] = .number(JSONNumber(format.keyboard.rawValue))
        object["autocapitalizationType"] = format.capitalization.map { .number(JSONNumber($0.rawValue)) }
        object["textContentType"] = format.contentType.map(JSON.string)
        object["placeholder"] = format.placeholder.map(JSON.string)
    }

    private static func number(_ value: Double) -> JSON? {
        let text = value.description
        return JSONNumber(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text).map(JSON.number)
    }
}

extension SurveyChoice {
    /// The choice as JSON.
    public var json: JSON {
        var object = JSONObject()
        object["_class"] = isOther ? "ORKTextChoiceOther" : "ORKTextChoice"
        object["text"] = .string(text)
        object["detailText"] = detailText.map(JSON.string)
        object["value"] = .string(value)
        object["exclusive"] = .bool(isExclusive)
        return .object(object)
    }
}
