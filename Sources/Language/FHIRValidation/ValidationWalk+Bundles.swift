import FHIR

/// The entries of a Bundle by their full URLs.
struct BundleIndex {
    private var types: [String: String] = [:]

    init(_ object: JSONObject) {
        for entry in object["entry"]?.array ?? [] {
            guard let resource = entry["resource"]?.object, let type = resource["resourceType"]?.string else {
                continue
            }
            if let url = entry["fullUrl"]?.string { types[url] = type }
        }
    }

    /// Returns the type of the entry with the full URL.
    func type(of url: String) -> String? { types[url] }
}

extension ValidationWalk {
    /// Checks the rules of Bundles in addition to their constraints (<https://hl7.org/fhir/R4/bundle.html>).
    mutating func bundleRules(_ object: JSONObject) {
        guard let entries = object["entry"]?.array,
            let number = model.elementIndex(named: "entry", of: TypedElement.resourceType(of: object))
        else { return }
        let type = model.declaration(number).types.first?.type ?? .unknown
        let kind = object["type"]?.string ?? ""
        for (index, entry) in entries.enumerated() {
            guard let entry = entry.object else { continue }
            inside(ElementPath.Step(key: "entry", index: index, declaration: number, type: type)) {
                $0.entryRules(entry, bundleType: kind)
            }
        }
    }

    private mutating func entryRules(_ entry: JSONObject, bundleType: String) {
        if let url = entry["fullUrl"]?.string {
            fullURL(url, entry["resource"]?.object)
        } else if ["document", "message", "collection", "searchset"].contains(bundleType), entry["resource"] != nil {
            // HL7 requires it in nearly all types of Bundles, but search results of many servers omit it.
            if bundleType == "document" || bundleType == "message" {
                error(
                    .required, code: "full-url",
                    message: "An entry of a \(bundleType) has a fullUrl, by which others refer to it: add it.",
                    at: "fullUrl")
            }
        }
        if bundleType == "batch" || bundleType == "transaction", let method = entry["request"]?["method"]?.string {
            let wantsResource = method == "POST" || method == "PUT"
            if wantsResource && entry["resource"] == nil {
                error(
                    .required, code: "entry-resource", message: "A \(method) needs the resource to be written: add it.",
                    at: "resource"
                )
            }
            if (method == "GET" || method == "DELETE" || method == "HEAD") && entry["resource"] != nil {
                warning(
                    .businessRule, code: "entry-resource", message: "A \(method) has no resource: remove it.",
                    at: "resource")
            }
        }
    }

    private mutating func fullURL(_ url: String, _ resource: JSONObject?) {
        if !ValidationWalk.isAbsolute(url) {
            error(
                .value, code: "full-url", message: "A fullUrl is absolute: write it with its scheme, or as urn:uuid:….",
                at: "fullUrl")
            return
        }
        if url.hasPrefix("urn:uuid:") || url.hasPrefix("urn:oid:") {
            let rule: PrimitiveFormat.Rule = url.hasPrefix("urn:uuid:") ? .uuid : .oid
            if PrimitiveFormat.problem(.string(url), rule) != nil {
                error(
                    .value, code: "full-url",
                    message: "A fullUrl by UUID is written urn:uuid: and 36 characters in lower case.",
                    at: "fullUrl")
            }
            return
        }
        guard let resource, let id = resource["id"]?.string, let literal = ReferenceTarget(anyURL: url) else { return }
        if literal.id != id || literal.type != resource["resourceType"]?.string {
            error(
                .businessRule, code: "full-url",
                message: "The fullUrl ends with the type and id of its resource: make them agree.", at: "fullUrl")
        }
    }
}
