import FHIR

/// The codes that a value set of DSTU2 defines inside of itself: R4's code system, and the part of the value set that
/// lists its codes.
struct InlineCodes {
    private(set) var codeSystem = JSONObject()
    private(set) var include = JSONObject()
    /// The preferred id of the code system among the contained resources.
    let id: String

    init(
        _ old: JSONObject, of context: ConversionContext, at trail: ConversionTrail,
        _ conversion: inout ReleaseConversion
    ) {
        codeSystem = conversion.element(old, from: "ValueSet.codeSystem", to: "CodeSystem", at: trail)
        if let given = codeSystem["id"]?.string, Resource.isID(given) {
            id = given
        } else {
            if codeSystem["id"] != nil { conversion.addFormNote("ValueSet.codeSystem.id", at: trail.member("id")) }
            id = (context.object["id"]?.string.map { String($0.drop { $0 == "#" }) } ?? "valueset") + "-codes"
        }
        if let url = codeSystem["url"]?.string, let renamed = CodeSystems.renamed(definition: url) {
            codeSystem["url"] = .string(renamed.system)
            if let version = renamed.version, codeSystem["version"] == nil { codeSystem["version"] = .string(version) }
            conversion.addNote(
                .changed, path: "ValueSet.codeSystem.system", detail: "R4's name is \(renamed.system)",
                at: trail.member("system"))
        }
        complete(of: context.object)
        list()
    }

    /// Supplies the metadata of the code system from those of the value set.
    private mutating func complete(of set: JSONObject) {
        codeSystem.set("resourceType", "CodeSystem", at: 0)
        if codeSystem["status"] == nil {
            let status = set["status"]?.string ?? ""
            codeSystem["status"] = .string(["draft", "active", "retired"].contains(status) ? status : "unknown")
        }
        if codeSystem["content"] == nil { codeSystem["content"] = "complete" }
        var used: Set<String> = []
        for concept in codeSystem["concept"]?.array ?? [] { InlineCodes.collect(concept, &used) }
        let declared = InlineCodes.properties.filter { used.contains($0["code"]?.string ?? "") }
        let given = codeSystem["property"]?.array ?? []
        if !declared.isEmpty { codeSystem["property"] = .array(given + declared) }
    }

    /// The properties that the conversion adds to concepts, as they are declared by a code system
    /// (<https://hl7.org/fhir/R4/codesystem-concept-properties.html>).
    private static let properties: [JSON] = [
        ["code": "notSelectable", "uri": "http://hl7.org/fhir/concept-properties#notSelectable", "type": "boolean"],
        ["code": "status", "uri": "http://hl7.org/fhir/concept-properties#status", "type": "code"],
    ]

    private static func collect(_ concept: JSON, _ used: inout Set<String>) {
        for property in concept["property"]?.array ?? [] {
            if let code = property["code"]?.string { used.insert(code) }
        }
        for inner in concept["concept"]?.array ?? [] { collect(inner, &used) }
    }

    /// Lists the codes in the value set, so that it can be read without the code system.
    private mutating func list() {
        if let url = codeSystem["url"] { include["system"] = url }
        if let url = codeSystem["_url"] { include["_system"] = url }
        if let version = codeSystem["version"] { include["version"] = version }
        if include.isEmpty { include["_system"] = DataAbsent.element }
        var listed: [JSON] = []
        var open = Array((codeSystem["concept"]?.array ?? []).reversed())
        while let concept = open.popLast() {
            open += (concept["concept"]?.array ?? []).reversed()
            var entry = JSONObject()
            for key in ["code", "_code", "display", "_display", "designation"] {
                if let value = concept[key] { entry[key] = value }
            }
            if entry["code"] != nil { listed.append(.object(entry)) }
        }
        if !listed.isEmpty { include["concept"] = .array(listed) }
    }
}
