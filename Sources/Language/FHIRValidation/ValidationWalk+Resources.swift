import FHIR

extension ValidationWalk {
    /// Checks the rules of every resource: those of `DomainResource` and of contained resources
    /// (<https://hl7.org/fhir/R4/domainresource.html#invs>).
    mutating func resourceRules(_ object: JSONObject, _ element: TypedElement, isContained: Bool) {
        extensionList(object)
        if isContained { containedRules(object) }
        guard model.isSubtype(element.type, of: model.domainResourceType) else { return }
        if options.reportsMissingNarrative, !isContained, object["text"]?["div"] == nil {
            warning(
                .invariant, code: "dom-6",
                message: "dom-6: A resource should have a narrative, so that people can read it: add text.")
        }
        guard let contained = object["contained"]?.array, !isContained else { return }
        references(to: contained, in: object)
    }

    /// Checks dom-2, dom-4, dom-5, and the id that a contained resource requires.
    private mutating func containedRules(_ object: JSONObject) {
        if object["contained"] != nil {
            error(
                .invariant, code: "dom-2", message: "dom-2: A contained resource contains none itself: move them up.",
                at: "contained")
        }
        if object["meta"]?["versionId"] != nil || object["meta"]?["lastUpdated"] != nil {
            error(
                .invariant, code: "dom-4", message: "dom-4: A contained resource has no version of its own: remove it.",
                at: "meta")
        }
        if object["meta"]?["security"] != nil {
            error(
                .invariant, code: "dom-5",
                message: "dom-5: A contained resource has no security label of its own: put it on the container.",
                at: "meta")
        }
        if object["id"] == nil {
            error(
                .required, code: "contained-id", message: "A contained resource needs an id to be referred to: add it.")
        }
    }

    /// Checks dom-3: every contained resource is referred to, or refers to its container. Also checks that ids are
    /// unique.
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
                        .duplicate, code: "duplicate-id",
                        message: "Another contained resource has the same id: give each its own.", at: "id")
                }
                continue
            }
            if circles.contains(id) {
                inside(step) {
                    $0.report(
                        reached.contains(id) ? .warning : .error, kind: .businessRule, code: "circular-contained",
                        message: "Contained resources refer to each other in a circle: "
                            + "break it, or make one a resource of its own.")
                }
            } else if !reached.contains(id), inner[id]?.refersToContainer != true, !referenced.contains(id) {
                inside(step) {
                    $0.error(
                        .invariant, code: "dom-3",
                        message: "dom-3: Nothing refers to this contained resource: "
                            + "refer to it by # and its id, or remove it.")
                }
            }
        }
    }
}

/// The references by `#id` in a resource.
struct LocalReferences {
    private(set) var ids: Set<String> = []
    /// Whether there is a reference `#`, to the container.
    private(set) var refersToContainer = false

    /// Collects references from values of URI types.
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

    /// Returns the contained resources that the container refers to, directly or through others.
    static func reachable(from outer: LocalReferences, through inner: [String: LocalReferences]) -> Set<String> {
        var reached = outer.ids
        var open = Array(outer.ids)
        while let id = open.popLast() {
            for next in inner[id]?.ids ?? [] where reached.insert(next).inserted { open.append(next) }
        }
        return reached
    }

    /// Returns the contained resources in cycles, or between two cycles: those that remain after repeated removal of
    /// resources without outgoing references, and of resources without incoming ones.
    static func circles(_ inner: [String: LocalReferences]) -> Set<String> {
        var rest = Set(inner.keys)
        for isForward in [true, false] {
            // Number of remaining resources to which each one leads, and the resources that lead to each one.
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
