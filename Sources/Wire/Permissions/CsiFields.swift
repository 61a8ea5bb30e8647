import Core

/// The fields of an object in a body, read by their exact names.
struct CsiFields {
    private let values: [String: JSON]

    /// Reads an object. Throws `malformed` if it is no object, lacks a required field or has an unknown one.
    init(_ value: JSON, required: [String], optional: [String] = []) throws(PermissionError) {
        guard let object = value.object else { throw .malformed("The body, or a part of it, is not an object.") }
        let known = Set((required + optional).map { ExactName(text: $0) })
        var values: [String: JSON] = [:]
        for member in object.members {
            // Swift's own comparison also finds canonically equivalent names.
            guard known.contains(ExactName(text: member.key)) else {
                throw .malformed("The body has a field that the call does not have.")
            }
            values[member.key] = member.value
        }
        for name in required where values[name] == nil { throw .malformed("The field \(name) is missing.") }
        self.values = values
    }

    /// The value of a field; nil if it is absent.
    func value(_ name: String) -> JSON? { values[name] }

    /// Returns a text. Throws `malformed` for a value of another type.
    func text(_ name: String) throws(PermissionError) -> String {
        guard case .string(let text)? = values[name] else { throw .malformed("The field \(name) must be a text.") }
        return text
    }

    /// Returns a text that fulfils a rule. Throws `malformed`, `bad_field`.
    func text(_ name: String, rule: String, _ isValid: (String) -> Bool) throws(PermissionError) -> String {
        let text = try text(name)
        guard isValid(text) else { throw .field(name, rule) }
        return text
    }

    /// Returns a name (``CsiText/isName(_:)``). Throws `malformed`, `bad_field`.
    func name(_ name: String) throws(PermissionError) -> String {
        try text(name, rule: "must have 1 to \(CsiText.maximumNameBytes) visible bytes without | and quotes") {
            CsiText.isName($0)
        }
    }

    /// Returns the id of a resource or permission. Throws `malformed`, `bad_field`.
    func id(_ name: String) throws(PermissionError) -> String {
        try text(name, rule: "must be an id of up to 64 letters, digits, - and .") { ResourceName.isID($0) }
    }

    /// Returns the id of a csi. Throws `malformed`, `bad_field`.
    func guid(_ name: String) throws(PermissionError) -> CsiGuid {
        try Self.guid(try text(name), of: name)
    }

    /// Returns a time. Throws `malformed`, `bad_field`.
    func instant(_ name: String) throws(PermissionError) -> CsiInstant {
        guard let instant = CsiInstant(try text(name)) else {
            throw .field(name, "must be a time of the form yyyy-MM-ddTHH:mm:ss.SSSZ")
        }
        return instant
    }

    /// Returns a list of texts. Throws `malformed`; `bad_field` for more than `limit` texts or a duplicate.
    func texts(_ name: String, limit: Int) throws(PermissionError) -> [String] {
        guard let texts = values[name]?.texts else { throw .malformed("The field \(name) must be a list of texts.") }
        guard texts.count <= limit else { throw .field(name, "must have up to \(limit) values") }
        guard Set(texts.map { ExactName(text: $0) }).count == texts.count else {
            throw .field(name, "must not have a value twice")
        }
        return texts
    }

    static func guid(_ text: String, of name: String) throws(PermissionError) -> CsiGuid {
        guard let guid = CsiGuid(text) else { throw .field(name, "must have 36 letters, digits and -") }
        return guid
    }
}
