import FHIR

extension ValidationWalk {
    /// Checks the form and target of a reference (<https://hl7.org/fhir/R4/references.html>).
    mutating func referenceRules(_ object: JSONObject) {
        guard path.steps.last?.declaration ?? -1 >= 0, let step = path.steps.last else { return }
        let literal = object["reference"]?.string
        if let literal { shape(of: literal) }
        let stated = model.declaration(step.declaration).types.first { $0.type == model.referenceType }
        referenceTarget(object, allowed: stated?.targets ?? [])
    }

    private mutating func shape(of literal: String) {
        if literal.hasPrefix("#") {
            containedTarget(String(literal.dropFirst()))
            return
        }
        if ValidationWalk.isAbsolute(literal) {
            if literal.hasPrefix("urn:uuid:") || literal.hasPrefix("urn:oid:") {
                let rule: PrimitiveFormat.Rule = literal.hasPrefix("urn:uuid:") ? .uuid : .oid
                if PrimitiveFormat.problem(.string(literal), rule) != nil {
                    error(
                        .value, code: "invalid-reference",
                        message: "A reference by UUID or OID is written urn:uuid:… in lower case or urn:oid:1.2.3.",
                        at: "reference")
                }
            }
            return
        }
        guard let relative = ReferenceTarget(relative: literal) else {
            error(
                .value, code: "invalid-reference",
                message: "A relative reference is Type/id or Type/id/_history/version; "
                    + "inside the resource, it begins with #.",
                at: "reference")
            return
        }
        if model.type(relative.type).map({ model.kind(of: $0) == .resource }) != true {
            error(
                .value, code: "invalid-reference",
                message: "R4 has no resource type of this name: correct the reference.",
                at: "reference")
        }
    }

    /// ref-1: a reference with `#` is to a resource contained in the outermost one, or to the outermost one itself.
    private mutating func containedTarget(_ id: String) {
        guard let root = frames.last(where: { !$0.isContained }) ?? frames.first else { return }
        if id.isEmpty {
            // A contained resource refers to its container in this way.
            if frames.last?.isContained != true {
                error(
                    .invariant, code: "ref-1",
                    message: "ref-1: Only a contained resource refers to its container by #.",
                    at: "reference")
            }
            return
        }
        if root.contained[id] == nil {
            error(
                .invariant, code: "ref-1",
                message: "ref-1: No contained resource has this id: add it to contained, or correct the reference.",
                at: "reference")
        }
    }

    /// Checks that the target has an allowed type, as far as the reference or its target determines the type.
    mutating func referenceTarget(_ object: JSONObject, allowed: [String]) {
        let literal = object["reference"]?.string
        var target = literal.flatMap { targetType($0) }
        if let stated = object["type"]?.string {
            let name =
                stated.hasPrefix("http://hl7.org/fhir/StructureDefinition/") ? String(stated.dropFirst(40)) : stated
            if let target, model.type(name).map({ model.kind(of: $0) == .resource }) == true, target != name {
                error(
                    .value, code: "reference-type",
                    message: "The type is \(name), the reference to \(target): make them agree.",
                    at: "type")
            }
            if model.type(name).map({ model.kind(of: $0) == .resource }) == true { target = target ?? name }
        }
        guard let target, !allowed.isEmpty, model.type(target) != nil, !allowed.contains(target) else { return }
        error(
            .value, code: "reference-target",
            message: "This reference must be to \(allowed.joined(separator: ", ")), not to \(target): correct it.",
            at: literal == nil ? "type" : "reference")
    }

    /// Returns the type of a literal reference's target; nil if it is not known.
    func targetType(_ literal: String) -> String? {
        if literal.hasPrefix("#") {
            let id = String(literal.dropFirst())
            guard let root = frames.last(where: { !$0.isContained }) ?? frames.first else { return nil }
            if id.isEmpty { return root.element.typeName }
            return root.contained[id]
        }
        for bundle in bundles.reversed() {
            if let type = bundle.type(of: literal) { return type }
        }
        guard !literal.hasPrefix("urn:") else { return nil }
        return ReferenceTarget(anyURL: literal)?.type
    }
}

/// A literal reference to a resource on a server: `[base/]Type/id[/_history/version]`.
struct ReferenceTarget: Equatable {
    let type: String
    let id: String

    /// Reads a relative reference; nil if the text is not one.
    init?(relative text: String) {
        if let (type, id) = ReferenceTarget.plainParts(text) {
            guard Resource.isTypeName(type), Resource.isID(id) else { return nil }
            (self.type, self.id) = (type, id)
            return
        }
        let plain = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        let parts = plain.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // In a transaction, a search by criteria refers to a resource with an unknown id (conditional reference).
        if parts.count == 1, let mark = parts[0].firstIndex(of: "?"), Resource.isTypeName(String(parts[0][..<mark])) {
            (type, id) = (String(parts[0][..<mark]), "")
            return
        }
        guard parts.count == 2 || (parts.count == 4 && parts[2] == "_history" && Resource.isID(parts[3])),
            Resource.isTypeName(parts[0]), Resource.isID(parts[1])
        else { return nil }
        (type, id) = (parts[0], parts[1])
    }

    /// Returns the parts of `Type/id`, the usual form, without arrays; nil for any other form.
    private static func plainParts(_ text: String) -> (type: String, id: String)? {
        text.utf8.withContiguousStorageIfAvailable { bytes -> (type: String, id: String)? in
            var slash: Int?
            for (index, byte) in bytes.enumerated() {
                switch byte {
                case UInt8(ascii: "/"):
                    if slash != nil { return nil }
                    slash = index
                case UInt8(ascii: "#"), UInt8(ascii: "?"): return nil
                default: break
                }
            }
            guard let slash, slash > 0, slash + 1 < bytes.count else { return nil }
            return (
                String(decoding: bytes[..<slash], as: UTF8.self), String(decoding: bytes[(slash + 1)...], as: UTF8.self)
            )
        } ?? nil
    }

    /// Reads the end of any URL that has the form of a server's.
    init?(anyURL text: String) {
        if let (type, id) = ReferenceTarget.plainParts(text) {
            guard Resource.isTypeName(type),
                TypeModel.r4.type(type).map({ TypeModel.r4.kind(of: $0) == .resource }) == true
            else { return nil }
            (self.type, self.id) = (type, id)
            return
        }
        var parts = text.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        if parts.count >= 4, parts[parts.count - 2] == "_history" { parts.removeLast(2) }
        guard parts.count >= 2, let id = parts.popLast(), let type = parts.popLast(), Resource.isTypeName(type),
            TypeModel.r4.type(type).map({ TypeModel.r4.kind(of: $0) == .resource }) == true
        else { return nil }
        (self.type, self.id) = (type, id)
    }
}
