import FHIR

/// Constraints of R4 on StructureDefinitions that the older releases did not have
/// (<https://hl7.org/fhir/R4/structuredefinition.html#invs>, <https://hl7.org/fhir/R4/elementdefinition.html#invs>).
enum DefinitionFinish {
    static let home = "http://hl7.org/fhir/StructureDefinition/"

    /// The types of `value[x]` of an extension: any type.
    static let openTypes = ElementTable.r4.members(below: "Extension").first { $0.isChoice }?.types ?? []

    /// Whether the element is the first of its definition.
    static func isRoot(_ element: JSONObject) -> Bool {
        element["path"]?.string.map { !$0.contains(".") } ?? false
    }

    /// Returns the type that the definition constrains or defines, which is the first part of its paths.
    static func type(of definition: JSONObject) -> String? {
        let first = ["snapshot", "differential"].lazy.compactMap { definition[$0]?["element"]?[0]?["path"]?.string }
            .first
        return first?.split(separator: ".").first.map(String.init)
    }

    static func finish(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        let supplied = { (key: String, detail: String, conversion: inout ReleaseConversion) in
            conversion.addNote(
                .supplied, path: "StructureDefinition." + key, detail: detail, at: context.trail.member(key))
        }
        if !output.has("type"), let type = type(of: context.object) {
            output.object["type"] = .string(type)
            supplied("type", "from the path of its elements", &conversion)
        }
        let isConstraint = context.object["constrainedType"] != nil
        if !output.has("derivation"), output.has("baseDefinition") {
            output.object["derivation"] = isConstraint ? "constraint" : "specialization"
            supplied("derivation", "whether it constrains a type", &conversion)
        }
        if !output.has("baseDefinition"), output.object["abstract"]?.bool != true {
            output.object["_baseDefinition"] = DataAbsent.element
            supplied("baseDefinition", "not known, though R4 requires it of types that are not abstract", &conversion)
        }
        if output.object["type"] == "Extension", output.object["derivation"] == "constraint", !output.has("context") {
            output.object["context"] = [["_type": DataAbsent.element, "_expression": DataAbsent.element]]
            supplied("context", "not known, though R4 requires it of an extension", &conversion)
        }
        for key in ["snapshot", "differential"] { elements(key, in: context, output: &output, conversion: &conversion) }
    }

    /// Supplies the id that R4 requires for every element, and the base for every element of a snapshot.
    private static func elements(
        _ key: String, in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) {
        guard var elements = output.object[key]?["element"]?.array else { return }
        let older = context.object[key]?["element"]?.array ?? []
        var used = Set(elements.compactMap { $0["id"]?.string })
        var numbers: [String: Int] = [:]
        var (isIdentified, isBased) = (false, false)
        for (index, element) in elements.enumerated() {
            if element["id"] == nil, let path = element["path"]?.string {
                let name = older.indices.contains(index) ? older[index]["name"]?.string : nil
                let id = free(path, name: name, used: used, numbers: &numbers)
                used.insert(id)
                var object = element.object ?? JSONObject()
                object.set("id", .string(id), at: 0)
                elements[index] = .object(object)
                isIdentified = true
            }
            if key == "snapshot", element["base"] == nil {
                elements[index]["base"] = [
                    "_path": DataAbsent.element, "_min": DataAbsent.element, "_max": DataAbsent.element,
                ]
                isBased = true
            }
        }
        output.object[key]?["element"] = .array(elements)
        let trail = context.trail.member(key).member("element")
        let path = "StructureDefinition.\(key).element"
        if isIdentified { conversion.addNote(.supplied, path: path + ".id", detail: "from the paths", at: trail) }
        if isBased {
            conversion.addNote(.supplied, path: path + ".base", detail: "not known, though R4 requires it", at: trail)
        }
    }

    /// Returns an unused id. `numbers` contains, for the beginning of an id, the first number that may be free.
    private static func free(
        _ path: String, name: String?, used: Set<String>, numbers: inout [String: Int]
    ) -> String {
        guard used.contains(path) else { return path }
        let slice = name.map { path + ":" + String($0.map { $0.isWhitespace ? "-" : $0 }) } ?? path
        guard used.contains(slice) else { return slice }
        var number = numbers[slice] ?? 2
        while used.contains("\(slice)-\(number)") { number += 1 }
        numbers[slice] = number
        return "\(slice)-\(number)"
    }

    /// Supplies the reason why an element is a modifier, which R4 requires (eld-18).
    static func element(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        guard output.object["isModifier"]?.bool == true, !output.has("isModifierReason") else { return }
        output.object["_isModifierReason"] = DataAbsent.element
        conversion.addNote(
            .supplied, path: "ElementDefinition.isModifierReason", detail: "not known, though R4 requires it",
            at: context.trail.member("isModifierReason"))
    }
}
