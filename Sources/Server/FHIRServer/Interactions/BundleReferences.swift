import Core
import FHIR

/// Replaces the links in a transaction's resource: references, elements of the types uri, url, oid and uuid, and `a
/// href` and `img src` in narratives. Canonical URLs stay (<https://hl7.org/fhir/R4/http.html#trules>).
struct BundleReferences {
    let links: BundleLinks
    /// The base URL of the entry's fullUrl.
    let base: String?

    private static let model = TypeModel.r4
    /// The types of elements that contain links.
    private static let linkTypes = Set(["uri", "url", "oid", "uuid"].compactMap { model.type($0) })
    private static let markup = model.type("xhtml")

    /// Returns the resource with its links in their stored form; nil where no link changes.
    func rewritten(_ resource: Resource) -> Resource? {
        let type = TypedElement.resourceType(of: resource.object)
        return rewritten(resource.object, type, isRoot: true).map { Resource($0) }
    }

    private func rewritten(_ object: JSONObject, _ type: TypeModel.TypeID, isRoot: Bool = false) -> JSONObject? {
        // The links of a nested Bundle are those between its own entries.
        if type == Self.bundle { return nil }
        var result: JSONObject?
        for member in object.members {
            let declared = Self.model.member(member.key, of: type)
            let new: JSON? =
                if case .string(let text) = member.value {
                    target(of: text, member.key, declared?.type, in: type, isRoot: isRoot).map { .string($0) }
                } else {
                    rewritten(
                        member.value, key: member.key, type: declared?.type ?? .unknown, in: type, isRoot: isRoot)
                }
            guard let new else { continue }
            if result == nil { result = object }
            result?[member.key] = new
        }
        return result
    }

    private static let bundle = model.type(Bundle.resourceType)

    private func rewritten(
        _ value: JSON, key: String, type: TypeModel.TypeID, in owner: TypeModel.TypeID, isRoot: Bool
    ) -> JSON? {
        switch value {
        case .object(let object):
            let own = TypedElement.resourceType(of: object)
            return rewritten(object, own.isKnown ? own : type).map { .object($0) }
        case .array(let elements):
            var result: [JSON]?
            for (index, element) in elements.enumerated() {
                let new: JSON? =
                    if case .string(let text) = element {
                        target(of: text, key, type, in: owner, isRoot: isRoot).map { .string($0) }
                    } else {
                        rewritten(element, key: key, type: type, in: owner, isRoot: isRoot)
                    }
                guard let new else { continue }
                if result == nil { result = elements }
                result?[index] = new
            }
            return result.map { .array($0) }
        default: return nil
        }
    }

    /// Returns the new text of a member; nil where it stays.
    private func target(
        of text: String, _ key: String, _ type: TypeModel.TypeID?, in owner: TypeModel.TypeID, isRoot: Bool
    ) -> String? {
        if key == "reference", owner == Self.model.referenceType || !owner.isKnown {
            return links.target(of: text, base: base)
        }
        guard let type else { return nil }
        if type == Self.markup { return NarrativeLinks.replaced(in: text) { links.target(of: $0, base: base) } }
        guard Self.linkTypes.contains(type) else { return nil }
        // These name a definition or a namespace, and are not links.
        guard key != "system", !(key == "url" && (isRoot || owner == Self.model.extensionType)) else { return nil }
        return links.target(of: text, base: base)
    }

    /// Returns the references in a resource that are searches.
    static func searches(in resource: Resource, _ links: BundleLinks) -> Set<String> {
        var found: Set<String> = []
        collect(.object(resource.object), by: links, into: &found)
        return found
    }

    private static func collect(_ json: JSON, by links: BundleLinks, into found: inout Set<String>) {
        switch json {
        case .array(let items): for item in items { collect(item, by: links, into: &found) }
        case .object(let object):
            guard TypedElement.resourceType(of: object) != bundle || bundle == nil else { return }
            for member in object.members {
                if member.key == "reference", let text = member.value.string {
                    if links.search(text) != nil { found.insert(text) }
                } else {
                    collect(member.value, by: links, into: &found)
                }
            }
        default: return
        }
    }
}

/// The links in the XHTML of a narrative.
enum NarrativeLinks {
    /// Returns the XHTML with replaced links; nil where no link changes.
    static func replaced(in markup: String, _ target: (String) -> String?) -> String? {
        let bytes = Array(markup.utf8)
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let name = bytes[(open + 1)...].prefix { isNameByte($0) }
            index = name.endIndex
            let wanted: String
            switch String(decoding: name, as: UTF8.self).lowercased() {
            case "a": wanted = "href"
            case "img": wanted = "src"
            default: continue
            }
            // The attributes, up to the end of the tag.
            while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
                let attribute = bytes[index...].prefix { isNameByte($0) }
                guard !attribute.isEmpty else {
                    index += 1
                    continue
                }
                index = skippingSpace(bytes, attribute.endIndex)
                guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
                index = skippingSpace(bytes, index + 1)
                guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'"),
                    let end = bytes[(index + 1)...].firstIndex(of: bytes[index])
                else { continue }
                let value = bytes[(index + 1)..<end]
                index = end + 1
                guard String(decoding: attribute, as: UTF8.self).lowercased() == wanted,
                    let new = target(MarkupText.unescaped(String(decoding: value, as: UTF8.self)))
                else { continue }
                output += bytes[copied..<value.startIndex]
                output += MarkupText.escaped(new).utf8
                copied = end
            }
        }
        return copied == 0 ? nil : String(decoding: output + bytes[copied...], as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x2D, 0x3A, 0x5F].contains(byte)
    }

    private static func skippingSpace(_ bytes: [UInt8], _ index: Int) -> Int {
        bytes[index...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
    }
}
