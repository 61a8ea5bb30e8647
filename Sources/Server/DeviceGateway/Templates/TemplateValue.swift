import Core

/// A part of a collection of templates, with its path for errors. Names of members are found ignoring case, as in the
/// connector whose format this is.
struct TemplateValue {
    let json: JSON
    let path: String

    func error(_ kind: TemplateError.Kind, _ what: String) -> TemplateError {
        TemplateError(kind, at: path, reason: what)
    }

    /// Returns a member; nil if there is none, or null.
    subscript(name: String) -> TemplateValue? {
        guard let object = json.object else { return nil }
        let member =
            object.members.first { $0.key == name }
            ?? object.members.first { $0.key.lowercased() == name.lowercased() }
        guard let member, !member.value.isNull else { return nil }
        return TemplateValue(json: member.value, path: "\(path).\(name)")
    }

    func required(_ name: String) throws(TemplateError) -> TemplateValue {
        guard let value = self[name] else {
            throw TemplateError(.memberMissing, at: path, reason: "The member \(name) is missing.")
        }
        return value
    }

    func elements() throws(TemplateError) -> [TemplateValue] {
        guard let array = json.array else { throw error(.valueInvalid, "A list is expected here.") }
        return array.enumerated().map { TemplateValue(json: $0.element, path: "\(path)[\($0.offset)]") }
    }

    func text() throws(TemplateError) -> String {
        guard let text = json.string, !text.isEmpty, text.utf8.count <= 1_000 else {
            throw error(.valueInvalid, "A text of 1 to 1,000 bytes is expected here.")
        }
        return text
    }

    /// Returns `true` or `false`, also from a text.
    func flag() throws(TemplateError) -> Bool {
        switch json {
        case .bool(let value): return value
        case .string(let text) where text.lowercased() == "true": return true
        case .string(let text) where text.lowercased() == "false": return false
        default: throw error(.valueInvalid, "true or false is expected here.")
        }
    }

    /// Returns a whole number, also from a text.
    func whole() throws(TemplateError) -> Int {
        guard let number = json.integer ?? json.string.flatMap({ Int($0) }) else {
            throw error(.valueInvalid, "A whole number is expected here.")
        }
        return number
    }
}

/// The templates of a file: `{"templateType": …, "template": [{"templateType": …, "template": …}]}`.
struct TemplateCollection {
    /// Maximum number of templates.
    static let maximumCount = 2_000

    let templates: [(kind: TemplateValue, body: TemplateValue)]

    init(_ json: JSON, kind: String) throws(TemplateError) {
        let root = TemplateValue(json: json, path: "template")
        guard json["templateType"]?.string == kind, let list = json["template"]?.array else {
            throw TemplateError(
                .notACollection, at: "templateType", reason: "A collection of the kind \(kind) is expected here.")
        }
        guard list.count <= Self.maximumCount else {
            throw root.error(.valueInvalid, "At most \(Self.maximumCount) templates are taken.")
        }
        var templates: [(kind: TemplateValue, body: TemplateValue)] = []
        for element in try TemplateValue(json: .array(list), path: "template").elements() {
            templates.append((try element.required("templateType"), try element.required("template")))
        }
        self.templates = templates
    }
}
