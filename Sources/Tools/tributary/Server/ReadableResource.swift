import FHIR

/// A resource in words, for the person whom it is about: when it was, what it is and what it says.
struct ReadableResource {
    /// A longer text is cut; the bundle beside the page has all of it.
    private static let longest = 2000

    let resource: Resource

    /// A row of a table: the time, the thing, and what it says.
    var row: [String] { [when, Self.cut(what), Self.cut(content)] }

    private var object: JSONObject { resource.object }

    private var when: String {
        for name in ["effectiveDateTime", "effectiveInstant", "authored", "dateTime", "issued", "birthDate"] {
            if let text = object[name]?.string { return text }
        }
        for name in ["effectivePeriod", "period", "applies"] {
            if let period = object[name] {
                return [period["start"]?.string, period["end"]?.string].compactMap { $0 }.joined(separator: " – ")
            }
        }
        return object["meta"]?["lastUpdated"]?.string ?? "–"
    }

    private var what: String {
        switch resource.resourceType {
        case QuestionnaireResponse.resourceType: object["questionnaire"]?.string ?? "Answers"
        case Contract.resourceType: object["title"]?.string ?? "Signed consent"
        case FHIR.Consent.resourceType: object["status"]?.string == "inactive" ? "Withdrawal" : "Consent"
        default: object["code"].flatMap(Self.concept) ?? object["type"].flatMap(Self.concept) ?? resource.resourceType
        }
    }

    private var content: String {
        switch resource.resourceType {
        case QuestionnaireResponse.resourceType: return Self.answers(in: object["item"]).joined(separator: "; ")
        case Contract.resourceType:
            return [object["instantiatesUri"]?.string, object["status"]?.string].compactMap { $0 }.joined(
                separator: ", ")
        default: break
        }
        var parts = [Self.value(in: object)].compactMap { $0 }
        for component in object["component"]?.array ?? [] {
            let name = component["code"].flatMap(Self.concept) ?? "part"
            if let value = component.object.flatMap(Self.value) { parts.append("\(name): \(value)") }
        }
        guard parts.isEmpty else { return parts.joined(separator: "; ") }
        // What has no value says what it says.
        let members = object.members.filter { !["resourceType", "id", "meta", "text", "code"].contains($0.key) }
        return members.map { "\($0.key): \(Self.text($0.value))" }.joined(separator: "; ")
    }

    /// Questions with their answers, those of groups behind each other.
    private static func answers(in items: JSON?) -> [String] {
        (items?.array ?? []).flatMap { item -> [String] in
            let name = item["text"]?.string ?? item["linkId"]?.string ?? "?"
            let answers = item["answer"]?.array ?? []
            let values = answers.compactMap { $0.object.flatMap(value) }
            let own = values.isEmpty ? [] : ["\(name): \(values.joined(separator: ", "))"]
            return own + answers.flatMap { self.answers(in: $0["item"]) } + self.answers(in: item["item"])
        }
    }

    /// The value of an element whose name begins with `value`.
    private static func value(in object: JSONObject) -> String? {
        object.members.first { $0.key.hasPrefix("value") }.map { text($0.value) }
    }

    private static func text(_ json: JSON) -> String {
        if let text = json.string { return text }
        if let concept = concept(json) { return concept }
        if let number = json["value"]?.number {
            let unit = json["unit"]?.string ?? json["code"]?.string
            return [json["comparator"]?.string, number.text, unit].compactMap { $0 }.joined(separator: " ")
        }
        if let reference = json["reference"]?.string { return reference }
        return json.text()
    }

    /// A coding or a concept in words.
    private static func concept(_ json: JSON) -> String? {
        if let text = json["text"]?.string { return text }
        if let coding = json["coding"]?.array?.first { return coding["display"]?.string ?? coding["code"]?.string }
        return json["value"] == nil ? json["display"]?.string ?? json["code"]?.string : nil
    }

    private static func cut(_ text: String) -> String {
        text.count > longest ? text.prefix(longest) + "…" : text
    }
}
