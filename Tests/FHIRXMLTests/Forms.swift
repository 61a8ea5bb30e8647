import FHIR
import FHIRXML
import Testing

/// Returns a resource in XML with the text inside of its element.
func xml(_ inside: String, of name: String = "Patient") -> String {
    "<\(name) xmlns=\"http://hl7.org/fhir\">\(inside)</\(name)>"
}

func read(_ text: String) throws -> JSON { try ResourceXML.read(text.utf8) }

func json(_ text: String) throws -> JSON { try JSON(parsing: text) }

/// Returns the XML written for a JSON text, without the declaration and the last line end.
func written(_ text: String, pretty: Bool = false) throws -> String {
    let output = String(decoding: try ResourceXML.write(try json(text), pretty: pretty), as: UTF8.self)
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    #expect(output.hasPrefix(declaration))
    #expect(output.hasSuffix(">\n"))
    return String(output.dropFirst(declaration.count).dropLast())
}

/// Returns the error of reading a text.
func refusal(_ text: String) -> FHIRXMLError? { refusal(Array(text.utf8)) }

func refusal(_ bytes: [UInt8]) -> FHIRXMLError? {
    do throws(FHIRXMLError) {
        _ = try ResourceXML.read(bytes)
        return nil
    } catch {
        return error
    }
}

/// Returns the error of writing a value.
func refusal(writing value: JSON) -> FHIRXMLError? {
    do throws(FHIRXMLError) {
        _ = try ResourceXML.write(value)
        return nil
    } catch {
        return error
    }
}

/// Returns the value with the members of each object sorted by name: equal for two values that differ only in their
/// order.
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
