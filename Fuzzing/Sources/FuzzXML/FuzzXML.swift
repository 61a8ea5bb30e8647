import FHIR
import FHIRXML
import FuzzDriver

/// A value that is read is equal after writing and reading it again.
func fuzzXML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let value = try? ResourceXML.read(bytes) else { return 0 }
    guard let written = try? ResourceXML.write(value) else { preconditionFailure("what was read cannot be written") }
    guard let again = try? ResourceXML.read(written) else { preconditionFailure("what was written cannot be read") }
    precondition(sorted(again) == sorted(value), "written and read again it is another value")
    return 0
}

/// Returns the value with the members of its objects sorted by name.
private func sorted(_ value: JSON) -> JSON {
    switch value {
    case .array(let items): return .array(items.map(sorted))
    case .object(let object):
        var output = JSONObject()
        for member in object.members.sorted(by: { $0.key < $1.key }) { output[member.key] = sorted(member.value) }
        return .object(output)
    default: return value
    }
}

@main enum FuzzXML {
    static func main() { fuzz(fuzzXML) }
}
