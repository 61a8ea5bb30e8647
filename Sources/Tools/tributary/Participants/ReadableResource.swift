import FHIR
import HealthReport

/// A resource in words, for the person whom it concerns: the time, the subject and the content.
struct ReadableResource {
    /// Maximum number of characters of a text; the bundle contains all of it.
    private static let longest = 2000

    let resource: Resource

    /// The row of a table: time, subject, content.
    var row: [String] { [when, Self.cut(what), Self.cut(content)] }

    private var object: JSONObject { resource.object }

    /// Returns the heading of a type's resources.
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

    /// Returns a FHIR time for a reader: to the second, in its own time zone. Any other text is returned unchanged.
    static func time(_ text: String) -> String {
        guard DateTime(text) != nil, let mark = text.firstIndex(of: "T") else { return text }
        let clock = text[text.index(after: mark)...]
        let zone = clock.lastIndex { $0 == "Z" || $0 == "+" || $0 == "-" } ?? clock.endIndex
        let seconds = clock[..<zone].prefix { $0 != "." }
        return "\(text[..<mark]) \(seconds) \(clock[zone...] == "Z" ? "UTC" : String(clock[zone...]))"
    }

    private var when: String {
        // A Contract is issued for everyone, and signed by one person.
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
        case Contract.resourceType: object["title"]?.string ?? "Signed consent"
        case FHIR.Consent.resourceType: object["status"]?.string == "inactive" ? "Withdrawal" : "Consent"
        default: object["code"].flatMap(Self.concept) ?? object["type"].flatMap(Self.concept) ?? resource.resourceType
        }
    }

    /// The value, the components and the notes: the elements that a reader understands.
    private var content: String {
        var parts = [Self.value(in: object)].compactMap { $0 }
        for component in object["component"]?.array ?? [] {
            let name = Self.concept(component["code"]) ?? "part"
            if let value = component.object.flatMap(Self.value) { parts.append("\(name): \(value)") }
        }
        for name in Self.shownElements {
            guard let value = object[name] else { continue }
            parts.append("\(Self.words(name)): \(Self.text(value))")
        }
        for note in object["note"]?.array ?? [] { if let text = note["text"]?.string { parts.append(text) } }
        return parts.joined(separator: "; ")
    }

    /// The elements that are shown in addition to a value, in the order of the page.
    private static let shownElements = [
        "status", "clinicalStatus", "verificationStatus", "category", "medicationCodeableConcept", "vaccineCode",
        "description", "title", "occurrenceDateTime", "onsetDateTime", "abatementDateTime", "dosage", "conclusion",
        "contentType",
    ]

    /// Returns a member's name in words: `clinicalStatus` is `clinical status`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { words, letter in
            if letter.isUppercase { words += " " }
            words += letter.lowercased()
        }
    }

    /// Returns the value of an element whose name begins with `value`.
    private static func value(in object: JSONObject) -> String? {
        object.members.first { $0.key.hasPrefix("value") }.map { text($0.value) }
    }

    static func text(_ json: JSON) -> String {
        if let text = json.string { return time(text) }
        if let flag = json.bool { return flag ? "yes" : "no" }
        if let list = json.array { return list.map(text).joined(separator: ", ") }
        if let concept = concept(json) { return concept }
        if json["start"] != nil || json["end"] != nil {
            return [json["start"], json["end"]].map { $0.map(text) ?? "" }.joined(separator: " – ")
        }
        if let number = json["value"]?.number {
            let unit = json["unit"]?.string ?? json["code"]?.string
            let text = MeasurementNumber.text(number.double, ucum: json["code"]?.string)
            return [json["comparator"]?.string, text, unit].compactMap { $0 }.joined(separator: " ")
        }
        if let reference = json["reference"]?.string { return reference }
        if let title = json["title"]?.string ?? json["text"]?.string { return title }
        guard let object = json.object else { return json.number?.text ?? "" }
        return object.members.filter { $0.key != "extension" && $0.key != "id" && $0.key != "system" }.map {
            text($0.value)
        }.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Returns a coding or a concept in words; nil if it has none.
    static func concept(_ json: JSON?) -> String? {
        guard let json else { return nil }
        if let text = json["text"]?.string { return text }
        if let coding = json["coding"]?.array?.first { return coding["display"]?.string ?? coding["code"]?.string }
        return json["value"] == nil ? json["display"]?.string ?? json["code"]?.string : nil
    }

    private static func cut(_ text: String) -> String {
        text.count > longest ? text.prefix(longest) + "…" : text
    }
}
