import Core

/// Recognises attachments in FHIR's JSON by the names of their elements, without FHIR's tables, which the libraries of
/// an outbox do not link (<https://hl7.org/fhir/R4/datatypes.html#Attachment>).
enum AttachmentElement {
    /// The names of R4's elements of the type Attachment. Those of a choice end in `Attachment`.
    static let names: Set<String> = [
        "attachment", "content", "document", "form", "image", "photo", "presentedForm", "sequenceAttachment",
    ]

    private static let members = ["data", "url", "title", "creation", "contentType", "size", "hash"]

    static func isAttachment(_ element: JSONObject, at path: [ElementRewriting.Step]) -> Bool {
        if element["resourceType"]?.string == "Binary" { return true }
        let name = path.lazy.reversed().compactMap { step -> String? in
            if case .member(let name) = step { name } else { nil }
        }.first
        guard let name, names.contains(name) || name.hasSuffix("Attachment") else { return false }
        return members.contains { element[$0] != nil || element["_" + $0] != nil }
    }

    /// Names that a finding's path may contain: all names that R4 has around attachments from phones.
    private static let pathNames: Set<String> = names.union([
        "Binary", "Consent", "Contract", "DiagnosticReport", "DocumentReference", "Observation", "Patient",
        "QuestionnaireResponse", "answer", "contained", "content", "contentAttachment", "extension", "friendly", "item",
        "legal", "legallyBindingAttachment", "offer", "rule", "sourceAttachment", "term", "valueAttachment",
    ])

    static func isName(_ name: String) -> Bool { pathNames.contains(name) }
}
