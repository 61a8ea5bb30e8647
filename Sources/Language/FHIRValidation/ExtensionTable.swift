import FHIR

/// The extensions that HL7 defines with R4 (<https://hl7.org/fhir/R4/extensibility-registry.html>).
///
/// Each line of the text has four fields, separated by tabs: URL; flags (`m` for a modifier) with the cardinality;
/// contexts (`e`lement path or type, `x` for another extension's URL, `f` for FHIRPath), separated by `;`; contents,
/// separated by `;`. A content is `= cardinality types binding` for the value, and `name cardinality types binding` for
/// a nested extension.
struct ExtensionTable: Sendable {
    static let r4 = ExtensionTable(r4Text)

    /// The content of an extension, or of an extension nested in it.
    struct Content: Sendable {
        let isRequired: Bool
        let isRepeated: Bool
        /// Type codes with the target types of references; empty for any type.
        let types: [(name: String, targets: [String])]
        let binding: (strength: TypeModel.BindingStrength, valueSet: Int)?
    }

    struct Definition: Sendable {
        let isModifier: Bool
        let isRepeated: Bool
        /// Paths and types of the elements that it may extend; empty if the definition uses FHIRPath.
        let elements: Set<String>
        /// URLs of the extensions that it may extend.
        let extensions: Set<String>
        let hasOtherContext: Bool
        let value: Content?
        let nested: [String: Content]
    }

    private let definitions: [String: Definition]

    init(_ text: StaticString) {
        var definitions: [String: Definition] = [:]
        for line in text.description.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4 else { continue }
            let contexts = fields[2].split(separator: ";")
            var value: Content?
            var nested: [String: Content] = [:]
            for content in fields[3].split(separator: ";") {
                let words = content.split(separator: " ").map(String.init)
                guard words.count >= 2, let made = ExtensionTable.content(words) else { continue }
                if words[0] == "=" { value = made } else { nested[words[0]] = made }
            }
            definitions[fields[0]] = Definition(
                isModifier: fields[1].hasPrefix("m"), isRepeated: !fields[1].hasSuffix("1"),
                elements: Set(
                    contexts.filter { $0.hasPrefix("e") }.map { String($0.dropFirst()).replacing("[x]", with: "") }),
                extensions: Set(contexts.filter { $0.hasPrefix("x") }.map { String($0.dropFirst()) }),
                hasOtherContext: contexts.contains { $0.hasPrefix("f") }, value: value, nested: nested)
        }
        for part in ["line", "col"] {
            // HL7's validator reports positions with these extensions; they became part of the standard after R4.
            definitions["http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-" + part] = Definition(
                isModifier: false, isRepeated: false, elements: ["OperationOutcome.issue"], extensions: [],
                hasOtherContext: false,
                value: Content(isRequired: true, isRepeated: false, types: [("integer", [])], binding: nil),
                nested: [:])
        }
        self.definitions = definitions
    }

    func definition(_ url: String) -> Definition? { definitions[url] }

    private static func content(_ words: [String]) -> Content? {
        guard let minimum = words[1].first else { return nil }
        var types: [(name: String, targets: [String])] = []
        var binding: (strength: TypeModel.BindingStrength, valueSet: Int)?
        for word in words.dropFirst(2) where word != "*" && word != "-" {
            if types.isEmpty, word.first?.isLetter == true, Int(word.dropFirst()) == nil {
                types = word.split(separator: ",").map { type in
                    guard let open = type.firstIndex(of: "(") else { return (String(type), []) }
                    let targets = type[open...].dropFirst().dropLast().split(separator: "|").map(String.init)
                    return (String(type[..<open]), targets)
                }
            } else if let number = Int(word.dropFirst()) {
                binding = (word.hasPrefix("r") ? .required : .extensible, number)
            }
        }
        return Content(
            isRequired: minimum != "0", isRepeated: !words[1].hasSuffix("1"), types: types, binding: binding)
    }
}
