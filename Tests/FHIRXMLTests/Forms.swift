import FHIR
import FHIRXML
import Testing

/// A resource in XML: the text inside of its element.
func xml(_ inside: String, of name: String = "Patient") -> String {
    "<\(name) xmlns=\"http://hl7.org/fhir\">\(inside)</\(name)>"
}

func read(_ text: String) throws -> JSON { try ResourceXML.read(text.utf8) }

func json(_ text: String) throws -> JSON { try JSON(parsing: text) }

/// What is written for a JSON text, without the declaration and the last line end.
func written(_ text: String, pretty: Bool = false) throws -> String {
    let output = String(decoding: try ResourceXML.write(try json(text), pretty: pretty), as: UTF8.self)
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    #expect(output.hasPrefix(declaration))
    #expect(output.hasSuffix(">\n"))
    return String(output.dropFirst(declaration.count).dropLast())
}

/// The error that reading a text gives.
func refusal(_ text: String) -> FHIRXMLError? { refusal(Array(text.utf8)) }

func refusal(_ bytes: [UInt8]) -> FHIRXMLError? {
    do throws(FHIRXMLError) {
        _ = try ResourceXML.read(bytes)
        return nil
    } catch {
        return error
    }
}

/// The error that writing a value gives.
func refusal(writing value: JSON) -> FHIRXMLError? {
    do throws(FHIRXMLError) {
        _ = try ResourceXML.write(value)
        return nil
    } catch {
        return error
    }
}

/// The value with the members of each object sorted by name: equal for two values that differ in their order alone.
func sorted(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): return .array(items.map(sorted))
    case .object(let object):
        var output = JSONObject()
        for member in object.members.sorted(by: { $0.key < $1.key }) { output[member.key] = sorted(member.value) }
        return .object(output)
    default: return value
    }
}
