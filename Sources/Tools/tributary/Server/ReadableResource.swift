import FHIR

/// A resource in words, for the person whom it is about: when it was, what it is and what it says.
struct ReadableResource {
    /// A longer text is cut; the bundle beside the page has all of it.
    private static let longest = 2000

    let resource: Resource

    /// A row of a table: the time, the thing, and what it says.
    var row: [String] { [when, Self.cut(what), Self.cut(content)] }

    private var object: JSONObject { resource.object }

    /// What resources of a type are, as the heading above them.
    static func heading(of type: String) -> String {
        switch type {
        case QuestionnaireResponse.resourceType: "Answers"
        case Observation.resourceType: "Measurements"
        case Contract.resourceType: "Signed consent"
        case FHIR.Consent.resourceType: "Withdrawals and other consents"
        case Patient.resourceType: "Person"
        case Device.resourceType: "Devices"
        default: type
        }
    }

    /// A time as FHIR writes it, for a reader: to the second, in its own zone. Anything else is as it was.
    static func time(_ text: String) -> String {
        guard DateTime(text) != nil, let mark = text.firstIndex(of: "T") else { return text }
        let clock = text[text.index(after: mark)...]
        let zone = clock.lastIndex { $0 == "Z" || $0 == "+" || $0 == "-" } ?? clock.endIndex
        let seconds = clock[..<zone].prefix { $0 != "." }
        return "\(text[..<mark]) \(seconds) \(clock[zone...] == "Z" ? "UTC" : String(clock[zone...]))"
    }

    private var when: String {
        // A Contract is issued for all, and signed by one.
        let signature = object["signer"]?.array?.first?["signature"]?.array?.first
        if let signed = signature?["when"]?.string { return Self.time(signed) }
        for name in ["effectiveDateTime", "effectiveInstant", "authored", "dateTime", "issued"] {
            if let text = object[name]?.string { return Self.time(text) }
        }
        for name in ["effectivePeriod", "period", "applies"] {
            if let period = object[name] { return Self.text(period) }
        }
        return object["meta"]?["lastUpdated"]?.string.map(Self.time) ?? "–"
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
        let unsaid: Set<String> = ["resourceType", "id", "meta", "text", "code"]
        return Self.members(of: object, besides: unsaid).joined(separator: "; ")
    }

    /// The members of an object by their names, what extends a primitive under its name.
    private static func members(of object: JSONObject, besides unsaid: Set<String> = []) -> [String] {
        object.members.filter { !unsaid.contains($0.key) }.map { member in
            if member.key == "extension" { return text(member.value) }
            return "\(member.key.hasPrefix("_") ? String(member.key.dropFirst()) : member.key): \(text(member.value))"
        }
    }

    /// Questions with their answers, those of groups behind each other.
    private static func answers(in items: JSON?) -> [String] {
        (items?.array ?? []).flatMap { item -> [String] in
            let name = item["text"]?.string ?? item["linkId"]?.string ?? "?"
            let answers = item["answer"]?.array ?? []
            let values = answers.compactMap { $0.object.flatMap(value) }
            let mark = name.hasSuffix("?") || name.hasSuffix(":") ? "" : ":"
            let own = values.isEmpty ? [] : ["\(name)\(mark) \(values.joined(separator: ", "))"]
            return own + answers.flatMap { self.answers(in: $0["item"]) } + self.answers(in: item["item"])
        }
    }

    /// The value of an element whose name begins with `value`.
    private static func value(in object: JSONObject) -> String? {
        object.members.first { $0.key.hasPrefix("value") }.map { text($0.value) }
    }

    private static func text(_ json: JSON) -> String {
        if let text = json.string { return time(text) }
        if let flag = json.bool { return flag ? "yes" : "no" }
        if let list = json.array { return list.map(text).joined(separator: ", ") }
        if let concept = concept(json) { return concept }
        if json["start"] != nil || json["end"] != nil {
            return [json["start"], json["end"]].map { $0.map(text) ?? "" }.joined(separator: " – ")
        }
        if let number = json["value"]?.number {
            let unit = json["unit"]?.string ?? json["code"]?.string
            return [json["comparator"]?.string, number.text, unit].compactMap { $0 }.joined(separator: " ")
        }
        if let reference = json["reference"]?.string { return reference }
        guard let object = json.object else { return json.text() }
        // An extension is named by the end of its address.
        if let url = object["url"]?.string, let value = value(in: object) {
            return "\(url.split(separator: "/").last?.split(separator: ":").last ?? ""): \(value)"
        }
        return members(of: object).joined(separator: ", ")
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
