/// The answers to a form (<https://hl7.org/fhir/R4/questionnaireresponse.html>).
public struct QuestionnaireResponse: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "QuestionnaireResponse"

    public var identifier: Identifier? {
        get { element("identifier") }
        set { setElement("identifier", newValue) }
    }
    public var questionnaire: String? {
        get { text("questionnaire") }
        set { setText("questionnaire", newValue) }
    }
    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var subject: Reference? {
        get { element("subject") }
        set { setElement("subject", newValue) }
    }
    public var encounter: Reference? {
        get { element("encounter") }
        set { setElement("encounter", newValue) }
    }
    public var authored: DateTime? {
        get { dateTime("authored") }
        set { setText("authored", newValue?.text) }
    }
    public var author: Reference? {
        get { element("author") }
        set { setElement("author", newValue) }
    }
    public var source: Reference? {
        get { element("source") }
        set { setElement("source", newValue) }
    }
    public var item: [QuestionnaireResponseItem] {
        get { elements("item") }
        set { setElements("item", newValue) }
    }
}

/// A group or question with its answers.
public struct QuestionnaireResponseItem: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var linkId: String? {
        get { text("linkId") }
        set { setText("linkId", newValue) }
    }
    /// The element `text`: what was asked.
    public var label: String? {
        get { text("text") }
        set { setText("text", newValue) }
    }
    public var answer: [QuestionnaireResponseAnswer] {
        get { elements("answer") }
        set { setElements("answer", newValue) }
    }
    public var item: [QuestionnaireResponseItem] {
        get { elements("item") }
        set { setElements("item", newValue) }
    }
}

/// One answer.
public struct QuestionnaireResponseAnswer: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var value: (type: String, value: JSON)? { choice("value") }
    public var item: [QuestionnaireResponseItem] {
        get { elements("item") }
        set { setElements("item", newValue) }
    }
}
