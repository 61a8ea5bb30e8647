import FHIR
import FHIRPath

/// The extraction by template (<https://hl7.org/fhir/uv/sdc/extraction.html#template-extract>).
extension ExtractionRun {
    /// Extracts a resource for each `templateExtract`.
    mutating func extractTemplates(_ extensions: [Extension], in scope: ExtractionScope) {
        for source in extensions where source.url == OperationExtension.templateExtract {
            guard let (template, location) = template(source.part("template"), in: scope) else { continue }
            var object = template
            // The id names the template in the form. The resource has one of its own, or none.
            object["id"] = nil
            object["_id"] = nil
            let type = TypedElement.resourceType(of: object)
            for (copy, inner) in copies(of: object, at: location, in: scope) {
                guard var resource = expanded(copy, type: type, at: location, in: inner), resource.count > 1 else {
                    continue
                }
                let parts = self.parts(of: source, in: scope)
                if let id = parts.resourceID { resource.set("id", .string(id), at: 1) }
                let entry = ExtractedEntry(
                    resource: resource, fullURL: parts.fullURL ?? newURN(), conditions: parts.conditions,
                    location: scope.location, linkID: scope.linkID)
                guard append(entry) else { return }
            }
        }
    }

    /// Returns the Bundle of `templateExtractBundle`, which is the whole transaction; nil if the form has none.
    mutating func templateBundle(in scope: ExtractionScope) -> FHIR.Bundle? {
        guard let value = questionnaire.extension(OperationExtension.templateBundle)?.value,
            let (template, location) = template(value, in: scope)
        else { return nil }
        guard template["resourceType"]?.string == FHIR.Bundle.resourceType else {
            log.report("template-type", at: location, "The template of templateExtractBundle is not a Bundle.")
            return nil
        }
        var object = template
        object["id"] = nil
        object["_id"] = nil
        let type = TypedElement.resourceType(of: object)
        let expanded = expanded(object, type: type, at: location, in: scope)
        var bundle = FHIR.Bundle(expanded ?? JSONObject(resourceType: FHIR.Bundle.resourceType))
        if bundle.type != .transaction {
            log.report(
                "template-type", severity: .warning, at: location,
                "The template is not a transaction; the result is one.")
            bundle.type = .transaction
        }
        let entries = (bundle.object["entry"]?.array ?? []).compactMap { completed($0, at: location) }
        bundle.object["entry"] = entries.isEmpty ? nil : .array(entries)
        return bundle
    }

    /// Returns an entry of a template with an address and a request; nil if it has no resource and no request.
    private mutating func completed(_ entry: JSON, at location: String) -> JSON? {
        guard var object = entry.object else { return nil }
        let resource = object["resource"]?.object
        guard resource != nil || object["request"] != nil else { return nil }
        if let url = object["fullUrl"]?.string {
            if let absolute = Self.absolute(url), bundleAddresses.insert(absolute).inserted {
                object["fullUrl"] = .string(absolute)
            } else {
                log.report(
                    "full-url-repeated", at: location,
                    "The fullUrl of an entry is not absolute, or another entry has it; the entry has a new one.")
                object["fullUrl"] = .string(newURN())
            }
        } else if resource != nil {
            object.set("fullUrl", .string(newURN()), at: 0)
        }
        if object["request"] == nil, let type = resource?["resourceType"]?.string {
            let id = resource?["id"]?.string
            object["request"] = [
                "method": .string(id == nil ? "POST" : "PUT"), "url": .string(id.map { "\(type)/\($0)" } ?? type),
            ]
        }
        return .object(object)
    }

    /// Returns the contained resource that a reference names, with its location.
    private mutating func template(
        _ value: OpenChoice?, in scope: ExtractionScope
    ) -> (JSONObject, String)? {
        let reference = value?.json["reference"]?.string
        if let reference, reference.hasPrefix("#") {
            let id = String(reference.dropFirst())
            for (index, resource) in (questionnaire.object["contained"]?.array ?? []).enumerated() {
                guard let object = resource.object, let own = object["id"]?.string, own == id || own == reference else {
                    continue
                }
                return (object, "Questionnaire.contained[\(index)]")
            }
        }
        log.report(
            "template-missing", at: scope.location, linkID: scope.linkID,
            "The form does not contain the template that the item names.")
        return nil
    }

    // MARK: Elements

    /// Returns the names of the members of an object, without the `_` of primitives, each once.
    private static func names(of object: JSONObject) -> [String] {
        var seen: Set<String> = []
        return object.members.compactMap { member in
            let name = member.key.hasPrefix("_") ? String(member.key.dropFirst()) : member.key
            return seen.insert(name).inserted ? name : nil
        }
    }

    /// Returns an object with its templates replaced; nil if nothing is left of it.
    private mutating func expanded(
        _ object: JSONObject, type: TypeModel.TypeID, at location: String, in scope: ExtractionScope
    ) -> JSONObject? {
        guard runner.budget.spend() else { return nil }
        let model = TypeModel.r4
        var members: [JSONObject.Member] = []
        for name in Self.names(of: object) {
            let value = object[name]
            let sibling = object["_" + name]
            guard name != "resourceType" else {
                if let value { members.append(JSONObject.Member(key: name, value: value)) }
                continue
            }
            let known = model.memberIndex(name, of: type)
            let element = ElementTemplate(
                name: name, type: known?.type ?? .unknown, location: "\(location).\(name)")
            let isArray = value?.array != nil || sibling?.array != nil
            var output: [(JSON?, JSONObject?)] = []
            if isArray {
                let values = value?.array ?? []
                let siblings = sibling?.array ?? []
                for index in 0..<max(values.count, siblings.count) {
                    let one = values.indices.contains(index) && !values[index].isNull ? values[index] : nil
                    let two = siblings.indices.contains(index) ? siblings[index].object : nil
                    var entry = element
                    entry.location += "[\(index)]"
                    output += expanded(one, sibling: two, as: entry, in: scope)
                }
            } else {
                output = expanded(value, sibling: sibling?.object, as: element, in: scope)
                if output.count > 1 {
                    log.report(
                        "several-values", severity: .warning, at: element.location, linkID: scope.linkID,
                        "The element has one value, but there are several; the first is used.")
                    output = [output[0]]
                }
            }
            members += Self.members(name, output, isArray: isArray)
        }
        let left = JSONObject(keepingFirst: members)
        return left.isEmpty ? nil : left
    }

    /// An element of a template.
    private struct ElementTemplate {
        let name: String
        let type: TypeModel.TypeID
        var location: String
    }

    /// Returns the copies of an element: none if an expression has no result.
    private mutating func expanded(
        _ value: JSON?, sibling: JSONObject?, as element: ElementTemplate, in scope: ExtractionScope
    ) -> [(JSON?, JSONObject?)] {
        guard value != nil || sibling != nil, spend(value?.string.map { .string($0) }) else { return [] }
        let object = value?.object
        // A complex element has its extensions inside, a primitive in its sibling.
        guard let carrier = object ?? sibling else { return [(value, nil)] }
        var output: [(JSON?, JSONObject?)] = []
        for (copy, inner) in copies(of: carrier, at: element.location, in: scope) {
            let (source, rest) = Self.removing(OperationExtension.templateValue, from: copy)
            guard let source else {
                if object == nil {
                    let kept = rest.isEmpty ? nil : rest
                    if value != nil || kept != nil { output.append((value, kept)) }
                } else {
                    let type =
                        element.type == TypeModel.r4.resourceType ? TypedElement.resourceType(of: rest) : element.type
                    guard let left = expanded(rest, type: type, at: element.location, in: inner),
                        left.count > 1 || left["resourceType"] == nil
                    else { continue }
                    output.append((.object(left), nil))
                }
                continue
            }
            for found in values(of: source, element, in: inner) {
                output.append((found, object == nil && !rest.isEmpty ? rest : nil))
            }
        }
        return output
    }

    /// Returns a copy of an element for each result of its context, without the context's extension.
    private mutating func copies(
        of object: JSONObject, at location: String, in scope: ExtractionScope
    ) -> [(JSONObject, ExtractionScope)] {
        let (source, rest) = Self.removing(OperationExtension.templateContext, from: object)
        guard let source else { return [(object, scope)] }
        guard let found = results(of: source, at: location, in: scope) else { return [] }
        let name = source.value?.json["name"]?.string
        return found.map { result in
            var inner = scope.on([result])
            if let name { inner.variables[name] = [result] }
            return (rest, inner)
        }
    }

    /// Returns the converted results of a value's expression. A result that does not have the element's type is
    /// reported.
    private mutating func values(
        of source: Extension, _ element: ElementTemplate, in scope: ExtractionScope
    ) -> [JSON] {
        guard let found = results(of: source, at: element.location, in: scope) else { return [] }
        var output: [JSON] = []
        for value in found {
            if let json = ElementConversion.json(value, as: element.type) {
                guard spend(json) else { return output }
                output.append(json)
            } else {
                log.report(
                    "value-type", at: element.location, linkID: scope.linkID,
                    "\(element.name) cannot have a value of the type \(value.typeName).")
            }
        }
        return output
    }

    /// Takes the steps of a written value from the budget, one for each four bytes.
    private func spend(_ json: JSON?) -> Bool {
        let bytes = json.map { $0.byteCount(upTo: 1 << 30) ?? 1 << 30 } ?? 0
        return runner.budget.spend(1 + bytes / 4)
    }

    private mutating func results(
        of source: Extension, at location: String, in scope: ExtractionScope
    ) -> [FHIRPathValue]? {
        var scope = scope
        scope.location = location
        guard let text = source.fhirPath else {
            log.report(
                "expression-language", at: location, linkID: scope.linkID,
                "\(source.shortName) is not an expression in FHIRPath.")
            return nil
        }
        return evaluate(text, source.shortName, in: scope)
    }

    /// Returns the first extension with a URL, and the object without all of them.
    private static func removing(_ url: String, from object: JSONObject) -> (Extension?, JSONObject) {
        guard let extensions = object["extension"]?.array else { return (nil, object) }
        guard let first = extensions.first(where: { $0["url"]?.string == url })?.object else { return (nil, object) }
        let rest = extensions.filter { $0["url"]?.string != url }
        var object = object
        object["extension"] = rest.isEmpty ? nil : .array(rest)
        return (Extension(first), object)
    }

    /// Returns the members of an element, with the siblings of primitives.
    private static func members(_ name: String, _ output: [(JSON?, JSONObject?)], isArray: Bool) -> [JSONObject.Member]
    {
        guard let first = output.first else { return [] }
        var members: [JSONObject.Member] = []
        guard isArray else {
            if let value = first.0 { members.append(JSONObject.Member(key: name, value: value)) }
            if let sibling = first.1 { members.append(JSONObject.Member(key: "_" + name, value: .object(sibling))) }
            return members
        }
        if output.contains(where: { $0.0 != nil }) {
            members.append(JSONObject.Member(key: name, value: .array(output.map { $0.0 ?? .null })))
        }
        if output.contains(where: { $0.1 != nil }) {
            let siblings: [JSON] = output.map { $0.1.map { .object($0) } ?? .null }
            members.append(JSONObject.Member(key: "_" + name, value: .array(siblings)))
        }
        return members
    }
}
