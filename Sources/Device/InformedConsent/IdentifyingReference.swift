import FHIR
import Foundation

/// Removes the display name of a reference to a person, and of a reference to a signer of a Contract.
enum IdentifyingReference {
    /// Returns whether there was one.
    static func reduce(_ element: inout JSONObject, at path: [ElementRewriting.Step], of resourceType: String) -> Bool {
        guard element["display"] != nil || element["_display"] != nil,
            isToPerson(element) || isSigner(path, of: resourceType)
        else { return false }
        element["display"] = nil
        element["_display"] = nil
        return true
    }

    private static func isToPerson(_ element: JSONObject) -> Bool {
        if let type = element["type"]?.string, IdentifyingPerson.types.contains(type) { return true }
        guard let literal = element["reference"]?.string.flatMap({ Reference($0).literal }) else { return false }
        return IdentifyingPerson.types.contains(literal.type)
    }

    private static func isSigner(_ path: [ElementRewriting.Step], of resourceType: String) -> Bool {
        guard resourceType == Contract.resourceType, path.first == .member("signer"),
            case .member(let name)? = path.last
        else { return false }
        return ["party", "who", "onBehalfOf"].contains(name)
    }
}

/// Removes the image of a signature, and a name that was typed as a signature. A digital signature is kept.
enum IdentifyingSignature {
    /// The extension in which a conversion stores DSTU2's signature, which is a text: in C3-PRO's apps the person's id.
    private static let signatureOfDSTU2 = "StructureDefinition/extension-Contract.signer.signature"

    /// Returns the members of the element that were removed.
    static func reduce(_ element: inout JSONObject, at path: [ElementRewriting.Step], of resourceType: String)
        -> [String]
    {
        switch path.lazy.reversed().compactMap(\.name).first {
        case "signature", "valueSignature":
            guard element["data"] != nil, !isDigital(element) else { return [] }
            element["data"] = nil
            element["_data"] = nil
            return ["data"]
        case "signer" where resourceType == Contract.resourceType:
            let extensions = element["extension"]?.array ?? []
            let kept = extensions.filter { !isName($0) }
            guard kept.count < extensions.count else { return [] }
            element["extension"] = kept.isEmpty ? nil : .array(kept)
            return ["extension"]
        default: return []
        }
    }

    private static func isName(_ extension: JSON) -> Bool {
        guard `extension`["url"]?.string?.hasSuffix(signatureOfDSTU2) ?? false else { return false }
        guard let text = `extension`["valueString"]?.string else { return true }
        return !Resource.isID(text) || IdentifyingText.isIdentifying(value: text)
    }

    /// Whether it is a JWS in compact serialization: three parts of base64url (RFC 7515, section 7.1).
    private static func isDigital(_ signature: JSONObject) -> Bool {
        guard signature["sigFormat"]?.string == "application/jose",
            let bytes = signature["data"]?.string.flatMap({ Data(base64Encoded: $0) })
        else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { Data(base64URL: String(decoding: $0, as: UTF8.self)) != nil }
    }
}

extension ElementRewriting.Step {
    /// The name of a member; nil for an index of an array.
    fileprivate var name: String? { if case .member(let name) = self { name } else { nil } }
}
