import FHIR

extension ValidationWalk {
    /// The rules of every resource: those of `DomainResource` and of contained resources
    /// (<https://hl7.org/fhir/R4/domainresource.html#invs>).
    mutating func resourceRules(_ object: JSONObject, _ element: TypedElement, isContained: Bool) {
        extensionList(object)
        if isContained { containedRules(object) }
        guard model.isSubtype(element.type, of: model.domainResourceType) else { return }
        if options.reportsMissingNarrative, !isContained, object["text"]?["div"] == nil {
            warning(
                .invariant, "dom-6",
                "dom-6: A resource should have a narrative, so that people can read it: add text.")
        }
        guard let contained = object["contained"]?.array, !isContained else { return }
        references(to: contained, in: object)
    }

    /// dom-2, dom-4, dom-5, and the id that a contained resource needs.
    private mutating func containedRules(_ object: JSONObject) {
        if object["contained"] != nil {
            error(
                .invariant, "dom-2", "dom-2: A contained resource contains none itself: move them up.", at: "contained")
        }
        if object["meta"]?["versionId"] != nil || object["meta"]?["lastUpdated"] != nil {
            error(
                .invariant, "dom-4", "dom-4: A contained resource has no version of its own: remove it.", at: "meta")
        }
        if object["meta"]?["security"] != nil {
            error(
                .invariant, "dom-5",
                "dom-5: A contained resource has no security label of its own: put it on the container.", at: "meta")
        }
        if object["id"] == nil {
            error(.required, "contained-id", "A contained resource needs an id to be referred to: add it.")
        }
    }

    /// dom-3: every contained resource is referred to, or refers to its container; and ids are unique.
    private mutating func references(to contained: [JSON], in object: JSONObject) {
        var outer = LocalReferences()
        outer.collect(object, TypedElement.resourceType(of: object), skipping: "contained")
        var inner: [String: LocalReferences] = [:]
        var ids: [String?] = []
        for item in contained {
            guard let resource = item.object else {
                ids.append(nil)
                continue
            }
            var references = LocalReferences()
            references.collect(resource, TypedElement.resourceType(of: resource), skipping: "")
            let id = resource["id"]?.string
            if let id { inner[id] = references }
            ids.append(id)
        }
        let reached = LocalReferences.reachable(from: outer, through: inner)
        let circles = LocalReferences.circles(inner)
        var referenced: Set<String> = []
        for (id, references) in inner { referenced.formUnion(references.ids.subtracting([id])) }
        var seen: Set<String> = []
        let number = model.elementIndex(named: "contained", of: model.domainResourceType) ?? -1
        for (index, id) in ids.enumerated() {
            guard let id else { continue }
            let step = ElementPath.Step(
                key: "contained", index: index, declaration: number,
                type: contained[index].object.map(TypedElement.resourceType(of:)) ?? .unknown)
            if !seen.insert(id).inserted {
                inside(step) {
                    $0.error(
                        .duplicate, "duplicate-id",
                        "Another contained resource has the same id: give each its own.", at: "id")
                }
                continue
            }
            if circles.contains(id) {
                inside(step) {
                    $0.report(
                        reached.contains(id) ? .warning : .error, .businessRule, "circular-contained",
                        "Contained resources refer to each other in a circle: break it, or make one a resource of its own."
                    )
                }
            } else if !reached.contains(id), inner[id]?.refersToContainer != true, !referenced.contains(id) {
                inside(step) {
                    $0.error(
                        .invariant, "dom-3",
                        "dom-3: Nothing refers to this contained resource: refer to it by # and its id, or remove it.")
                }
            }
        }
    }
}

/// The references by `#id` that stand in a resource.
struct LocalReferences {
    private(set) var ids: Set<String> = []
    /// Whether one is `#` alone: the container.
    private(set) var refersToContainer = false

    /// Collects from the values of URI types, which are where references stand.
    mutating func collect(_ object: JSONObject, _ type: TypeModel.TypeID, skipping: String) {
        let model = TypeModel.r4
        for member in object.members where member.key != skipping {
            let inner = model.memberIndex(member.key, of: type)?.type ?? .unknown
            collect(member.value, inner, isReference: type == model.referenceType && member.key == "reference")
        }
    }

    private mutating func collect(_ value: JSON, _ type: TypeModel.TypeID, isReference: Bool) {
        switch value {
        case .array(let items): for item in items { collect(item, type, isReference: isReference) }
        case .object(let object):
            let known = TypedElement.resourceType(of: object)
            collect(object, type == TypeModel.r4.resourceType ? known : type, skipping: "")
        case .string(let text) where text.utf8.first == UInt8(ascii: "#"):
            let name = TypeModel.r4.name(of: type)
            guard isReference || name == "uri" || name == "canonical" || name == "url" else { return }
            if text == "#" { refersToContainer = true } else { ids.insert(String(text.dropFirst())) }
        default: break
        }
    }

    /// The contained resources that the container reaches, over others where need be.
    static func reachable(from outer: LocalReferences, through inner: [String: LocalReferences]) -> Set<String> {
        var reached = outer.ids
        var open = Array(outer.ids)
        while let id = open.popLast() {
            for next in inner[id]?.ids ?? [] where reached.insert(next).inserted { open.append(next) }
        }
        return reached
    }

    /// The contained resources that stand in circles, or between two of them: what is left when those that refer to none,
    /// and those that none refers to, are taken away again and again.
    static func circles(_ inner: [String: LocalReferences]) -> Set<String> {
        var rest = Set(inner.keys)
        for isForward in [true, false] {
            // How many of the rest each one leads to, and who leads to whom.
            var count: [String: Int] = [:]
            var leading: [String: [String]] = [:]
            for id in rest {
                for other in inner[id]?.ids ?? [] where rest.contains(other) {
                    let (from, to) = isForward ? (id, other) : (other, id)
                    count[from, default: 0] += 1
                    leading[to, default: []].append(from)
                }
            }
            var open = rest.filter { count[$0] == nil }
            while let id = open.popFirst() {
                rest.remove(id)
                for other in leading[id] ?? [] {
                    count[other, default: 0] -= 1
                    if count[other] == 0 { open.insert(other) }
                }
            }
        }
        return rest
    }
}
