import FHIR
import Foundation

/// Makes the addresses of attachments in exports absolute
/// (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#attachments>).
struct AttachmentAddress {
    /// The base URL of the API, without a final slash.
    let base: String

    private static let type = TypeModel.r4.type("Attachment")

    /// Returns the resource with absolute addresses in all Attachments, including those of extensions and contained
    /// resources.
    func absolute(_ resource: Resource) -> Resource {
        guard case .object(let object) = absolute(.object(resource.object), .unknown) else { return resource }
        return Resource(object)
    }

    private func absolute(_ json: JSON, _ type: TypeModel.TypeID) -> JSON {
        switch json {
        case .array(let items): return .array(items.map { absolute($0, type) })
        case .object(let object):
            // A nested resource has its own `resourceType`.
            let named = object["resourceType"]?.string.flatMap { TypeModel.r4.type($0) }
            let type = named ?? type
            guard type.isKnown else { return json }
            let members = object.members.map { member -> JSONObject.Member in
                guard let (_, inside) = TypeModel.r4.member(member.key, of: type) else { return member }
                if type == Self.type, member.key == "url", let text = member.value.string {
                    return JSONObject.Member(key: member.key, value: .string(absolute(text)))
                }
                return JSONObject.Member(key: member.key, value: absolute(member.value, inside))
            }
            return .object(JSONObject(keepingFirst: members))
        default: return json
        }
    }

    /// Returns an address resolved against the base; an absolute one, or a fragment, unchanged.
    func absolute(_ text: String) -> String {
        guard !text.isEmpty, !text.hasPrefix("#"), !Self.hasScheme(text.utf8) else { return text }
        guard text.hasPrefix("/") else { return base + "/" + text }
        guard let start = base.range(of: "://") else { return text }
        // Relative to the root of the server.
        let origin = base[..<(base[start.upperBound...].firstIndex(of: "/") ?? base.endIndex)]
        return origin + text
    }

    /// Whether a URI begins with its scheme (RFC 3986, section 3.1).
    private static func hasScheme(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        for byte in text.dropFirst() {
            switch byte {
            case UInt8(ascii: ":"): return true
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                continue
            default: return false
            }
        }
        return false
    }

    /// Whether JSON may have a member `url` with a relative address. Hardly any resource has one, and all others are
    /// copied unchanged.
    static func mayBeRelative(in content: Data) -> Bool {
        content.withUnsafeBytes { buffer in
            let bytes = buffer.bindMemory(to: UInt8.self)
            var end = 4
            while end < bytes.count {
                // By its last byte the name may end here, or at the earliest this number of bytes further on.
                switch bytes[end] {
                case UInt8(ascii: "\""):
                    if isName(bytes, endingAt: end), isRelative(bytes, after: end + 1) { return true }
                    end += 4
                case UInt8(ascii: "l"): end += 1
                case UInt8(ascii: "r"): end += 2
                case UInt8(ascii: "u"): end += 3
                default: end += 5
                }
            }
            return false
        }
    }

    private static func isName(_ bytes: UnsafeBufferPointer<UInt8>, endingAt end: Int) -> Bool {
        bytes[end - 4] == UInt8(ascii: "\"") && bytes[end - 3] == UInt8(ascii: "u")
            && bytes[end - 2] == UInt8(ascii: "r")
            && bytes[end - 1] == UInt8(ascii: "l")
    }

    /// Whether the value after a member's name is a string without a scheme.
    private static func isRelative(_ bytes: UnsafeBufferPointer<UInt8>, after start: Int) -> Bool {
        var offset = start
        for byte in [UInt8(ascii: ":"), UInt8(ascii: "\"")] {
            while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
            guard offset < bytes.count, bytes[offset] == byte else { return false }
            offset += 1
        }
        return !hasScheme(bytes[offset...])
    }
}
