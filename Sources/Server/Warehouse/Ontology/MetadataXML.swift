import Foundation

/// `c_metadataxml`: what a value query may ask of a concept. Without it i2b2's clients offer no value constraint.
enum MetadataXML {
    static func text(for concept: Concept, at: Date) -> String? {
        let type: String
        let units: String
        switch concept.kind {
        case .numeric(let code):
            type = "Float"
            units = code ?? ""
        case .text, .choice:
            type = "String"
            units = ""
        case .folder, .option: return nil
        }
        return """
            <?xml version="1.0"?><ValueMetadata><Version>3.02</Version>\
            <CreationDateTime>\(WarehouseTime.text(at))</CreationDateTime>\
            <TestID>\(escaped(concept.code ?? ""))</TestID><TestName>\(escaped(concept.name))</TestName>\
            <DataType>\(type)</DataType><Flagstouse></Flagstouse><Oktousevalues>Y</Oktousevalues>\
            <MaxStringLength>255</MaxStringLength><UnitValues><NormalUnits>\(escaped(units))</NormalUnits>\
            </UnitValues></ValueMetadata>
            """
    }

    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            // XML 1.0 has no other control characters.
            case "\u{0}"..<"\u{20}" where scalar != "\t" && scalar != "\n": output += " "
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
