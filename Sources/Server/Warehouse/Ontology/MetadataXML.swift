import Foundation

/// `c_metadataxml`: the value constraints of a concept. Without it, i2b2's clients offer none.
enum MetadataXML {
    static func text(for concept: Concept, at: Date) -> String? {
        let type: String
        var units = ""
        var choices: [Concept.Choice] = []
        switch concept.kind {
        case .numeric(let code):
            type = "Float"
            units = code ?? ""
        case .text: type = "String"
        case .boolean:
            type = "Enum"
            choices = [Concept.Choice(code: "true", name: "Yes"), Concept.Choice(code: "false", name: "No")]
        case .choice(let known):
            type = known.isEmpty ? "String" : "Enum"
            choices = known
        case .folder, .option, .dimension: return nil
        }
        let values = choices.map { "<Val description=\"\(escaped($0.name))\">\(escaped($0.code))</Val>" }.joined()
        return """
            <?xml version="1.0"?><ValueMetadata><Version>3.02</Version>\
            <CreationDateTime>\(WarehouseTime.text(at))</CreationDateTime>\
            <TestID>\(escaped(concept.code ?? ""))</TestID><TestName>\(escaped(concept.name))</TestName>\
            <DataType>\(type)</DataType><Flagstouse></Flagstouse><Oktousevalues>Y</Oktousevalues>\
            <MaxStringLength>\(FactValue.maximumText)</MaxStringLength><EnumValues>\(values)</EnumValues>\
            <UnitValues><NormalUnits>\(escaped(units))</NormalUnits></UnitValues></ValueMetadata>
            """
    }

    /// Returns the unit in the XML; nil if there is none.
    static func units(in text: String) -> String? {
        guard let start = text.range(of: "<NormalUnits>"), let end = text.range(of: "</NormalUnits>"),
            start.upperBound < end.lowerBound
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            // XML 1.0 allows no other control characters.
            case "\u{0}"..<"\u{20}" where scalar != "\t" && scalar != "\n": output += " "
            case "\u{FFFE}", "\u{FFFF}": output += " "
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
