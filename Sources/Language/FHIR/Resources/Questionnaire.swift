/// A form (<https://hl7.org/fhir/R4/questionnaire.html>).
public struct Questionnaire: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Questionnaire"

    public var url: String? {
        get { text("url") }
        set { setText("url", newValue) }
    }
    public var version: String? {
        get { text("version") }
        set { setText("version", newValue) }
    }
    public var name: String? {
        get { text("name") }
        set { setText("name", newValue) }
    }
    public var title: String? {
        get { text("title") }
        set { setText("title", newValue) }
    }
    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var item: [QuestionnaireItem] {
        get { elements("item") }
        set { setElements("item", newValue) }
    }
}

/// A question, group or text of a form.
public struct QuestionnaireItem: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var linkId: String? {
        get { text("linkId") }
        set { setText("linkId", newValue) }
    }
    public var code: [Coding] {
        get { elements("code") }
        set { setElements("code", newValue) }
    }
    public var prefix: String? {
        get { text("prefix") }
        set { setText("prefix", newValue) }
    }
    /// The element `text`: what is asked or shown.
    public var label: String? {
        get { text("text") }
        set { setText("text", newValue) }
    }
    public var type: String? {
        get { text("type") }
        set { setText("type", newValue) }
    }
    public var enableWhen: [EnableWhen] {
        get { elements("enableWhen") }
        set { setElements("enableWhen", newValue) }
    }
    public var enableBehavior: String? {
        get { text("enableBehavior") }
        set { setText("enableBehavior", newValue) }
    }
    public var required: Bool? {
        get { object["required"]?.bool }
        set { object["required"] = newValue.map(JSON.bool) }
    }
    public var repeats: Bool? {
        get { object["repeats"]?.bool }
        set { object["repeats"] = newValue.map(JSON.bool) }
    }
    public var readOnly: Bool? {
        get { object["readOnly"]?.bool }
        set { object["readOnly"] = newValue.map(JSON.bool) }
    }
    public var maxLength: Int? {
        get { object["maxLength"]?.integer }
        set { object["maxLength"] = newValue.map { .number(JSONNumber($0)) } }
    }
    public var answerValueSet: String? {
        get { text("answerValueSet") }
        set { setText("answerValueSet", newValue) }
    }
    public var answerOption: [AnswerOption] {
        get { elements("answerOption") }
        set { setElements("answerOption", newValue) }
    }
    public var initial: [Initial] {
        get { elements("initial") }
        set { setElements("initial", newValue) }
    }
    public var item: [QuestionnaireItem] {
        get { elements("item") }
        set { setElements("item", newValue) }
    }
}

/// A condition under which an item is enabled.
public struct EnableWhen: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var question: String? {
        get { text("question") }
        set { setText("question", newValue) }
    }
    /// The element `operator`: `exists`, `=`, `!=`, `>`, `<`, `>=` or `<=`.
    public var comparison: String? {
        get { text("operator") }
        set { setText("operator", newValue) }
    }
    public var answer: (type: String, value: JSON)? { choice("answer") }
}

/// An answer that a question permits.
public struct AnswerOption: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var value: (type: String, value: JSON)? { choice("value") }
    public var initialSelected: Bool? {
        get { object["initialSelected"]?.bool }
        set { object["initialSelected"] = newValue.map(JSON.bool) }
    }
}

/// An answer that stands in the form before anybody answers.
public struct Initial: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var value: (type: String, value: JSON)? { choice("value") }
}
