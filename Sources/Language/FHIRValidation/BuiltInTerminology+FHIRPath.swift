import FHIR
import FHIRPath

extension BuiltInTerminology: FHIRPathTerminology {
    /// Whether a code, Coding, CodeableConcept or Quantity is in a value set of R4; nil for any other value set.
    public func memberOf(_ element: TypedElement, valueSet: String) -> Bool? {
        switch element.value {
        case .string(let code): answer([(code, nil)], valueSet)
        case .object(let object):
            if let codings = object["coding"]?.array {
                answer(codings.compactMap { pair($0.object) }, valueSet)
            } else {
                answer([pair(object)].compactMap { $0 }, valueSet)
            }
        default: nil
        }
    }

    private func pair(_ object: JSONObject?) -> (String, String?)? {
        object.flatMap { object in object["code"]?.string.map { ($0, object["system"]?.string ?? "") } }
    }

    private func answer(_ codes: [(String, String?)], _ valueSet: String) -> Bool? {
        var isKnown = false
        for (code, system) in codes {
            switch membership(of: code, system: system, in: valueSet) {
            case .inside: return true
            case .outside: isKnown = true
            case .unknown: return nil
            }
        }
        return isKnown || codes.isEmpty ? false : nil
    }
}
