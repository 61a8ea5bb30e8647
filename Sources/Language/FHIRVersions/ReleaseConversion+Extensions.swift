import FHIR

extension ReleaseConversion {
    /// Returns the URL of the official cross-version extension for an element of the older release
    /// (<https://hl7.org/fhir/R4/versions.html#extensions>).
    func url(_ path: String, _ key: String) -> String {
        let name = source.choice(key, below: path)?.name ?? key
        return "http://hl7.org/fhir/\(version.extensionNumber)/StructureDefinition/extension-\(path).\(name)"
    }

    /// Whether the element may have another extension. A Bundle and a Binary have none, and an extension has either a
    /// value or nested extensions.
    func canExtend(_ context: ConversionContext) -> Bool {
        context.to != "Extension" && target.member("extension", below: context.to) != nil
    }

    /// Converts a part into cross-version extensions, one for each value.
    mutating func carry(_ part: ConversionPart, in context: ConversionContext, into output: inout ConversionOutput) {
        let path = context.from + "." + part.key
        guard let known = source.member(part.key, below: context.from) ?? newer(part.key, context) else {
            addNote(
                .leftOut, path: path,
                detail: part.key == "fhir_comments" ? "R4's JSON has no comments" : "no release has such an element",
                at: part.trail)
            return
        }
        guard canExtend(context) else {
            addNote(.leftOut, path: path, detail: "no extension is allowed here", at: part.trail)
            return
        }
        guard ReleaseConversion.isValue(known) else {
            addNote(.leftOut, path: path, detail: "an extension cannot hold it", at: part.trail)
            return
        }
        for pair in part.pairs {
            guard let one = carried(known, pair: pair, url: url(context.from, part.key), path: path) else { continue }
            addNote(.keptInExtension, path: path, detail: "", at: pair.trail)
            output.extend(one, isModifier: modifies(known, context))
        }
    }

    /// Whether a carried element may change the meaning of the element that contains it, such as that a medicine was
    /// not taken, so that readers must not ignore it. Types with rules of their own handle such elements themselves.
    private func modifies(_ known: ElementTable.Typed, _ context: ConversionContext) -> Bool {
        isByStructure && known.member.isModifier && target.member("modifierExtension", below: context.to) != nil
    }

    /// Converts an additional value of an element that R4 allows only once.
    mutating func carry(
        surplus pair: ConversionPart.Pair, of known: ElementTable.Typed, key: String, in context: ConversionContext,
        into output: inout ConversionOutput
    ) {
        let path = context.from + "." + key
        guard canExtend(context), ReleaseConversion.isValue(known) else {
            addNote(.leftOut, path: path, detail: "R4 allows one value", at: pair.trail)
            return
        }
        guard let one = carried(known, pair: pair, url: url(context.from, key), path: path) else { return }
        addNote(.keptInExtension, path: path, detail: "R4 allows one value", at: pair.trail)
        output.extend(one)
    }

    /// Returns the path of a data type's elements if an extension cannot have a value of this type.
    private static func parts(of type: String) -> String? {
        ElementTable.isPrimitive(type) || ElementTable.r4.member("value" + type, below: "Extension") != nil ? nil : type
    }

    /// Whether an extension can have a value of the type.
    private static func isValue(_ known: ElementTable.Typed) -> Bool {
        !["Extension", "Resource", "Narrative", "Meta", "xhtml"].contains(known.type)
    }

    /// Returns one value as an extension; nil if it does not have the form of its type.
    private mutating func carried(
        _ known: ElementTable.Typed, pair: ConversionPart.Pair, url: String, path: String
    ) -> JSON? {
        if let children = known.member.children ?? ReleaseConversion.parts(of: known.type) {
            if pair.sibling != .null { addFormNote(path, at: pair.trail) }
            guard let object = pair.value.object, !object.isEmpty else {
                if pair.value != .null { addFormNote(path, at: pair.trail) }
                return nil
            }
            return nested(object, path: children, url: url, at: pair.trail)
        }
        // R4's Money has a currency; in the older releases Money is a Quantity.
        let type = known.type == "Money" ? "Quantity" : known.type
        let inside = (from: known.inside ?? "", to: known.isPrimitive ? nil : type)
        let converted = value(pair.value, inside: inside, type: type, path: path, at: pair.trail)
        let rest = sibling(pair.sibling, at: pair.trail)
        if converted == nil, pair.value != .null { addFormNote(path, at: pair.trail) }
        guard converted != nil || rest != .null else { return nil }
        var output = ConversionOutput()
        output.extend(url, type: type, value: converted ?? .null, sibling: rest)
        return output.extensions.first
    }

    /// Returns an element with children as an extension with nested extensions, each named like the child.
    private mutating func nested(
        _ object: JSONObject, path: String, url: String, at trail: ConversionTrail
    ) -> JSON {
        var output = ConversionOutput()
        var id: JSON?
        for part in ConversionPart.parts(of: object, at: trail) {
            switch part.key {
            case "id":
                id = value(
                    part.value ?? .null, inside: (from: "", to: nil), type: "string", path: path + ".id", at: part.trail
                )
                // An id is an attribute in XML and has no extensions.
                if id == nil || part.sibling != nil { addFormNote(path + ".id", at: part.trail) }
            case "extension", "modifierExtension":
                if part.key == "modifierExtension" {
                    addNote(
                        .changed, path: path + ".modifierExtension", detail: "it is among the extensions",
                        at: part.trail)
                }
                for pair in part.pairs {
                    if let one = value(pair.value, as: "Extension", at: pair.trail) {
                        output.extend(one)
                    } else {
                        addFormNote(path + "." + part.key, at: pair.trail)
                    }
                }
            default:
                guard let known = source.member(part.key, below: path) else {
                    addNote(
                        .leftOut, path: path + "." + part.key, detail: "no release has such an element", at: part.trail)
                    continue
                }
                for pair in part.pairs {
                    let inner = carried(known, pair: pair, url: known.member.name, path: path + "." + part.key)
                    if let inner { output.extend(inner) }
                }
            }
        }
        var result = JSONObject()
        if let id { result["id"] = id }
        result["url"] = .string(url)
        // An extension must not be empty.
        result["extension"] = .array(output.extensions.isEmpty ? [DataAbsent.unknown] : output.extensions)
        return .object(result)
    }

    /// Returns an element that the older release does not have, but that R4 has at this path.
    private func newer(_ key: String, _ context: ConversionContext) -> ElementTable.Typed? {
        guard let wanted = target.member(key, below: context.to), wanted.isPrimitive else { return nil }
        return wanted
    }
}

/// The standard extension for a required value that is not known
/// (<https://hl7.org/fhir/R4/extension-data-absent-reason.html>).
enum DataAbsent {
    static let url = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"

    static let unknown: JSON = ["url": .string(url), "valueCode": "unknown"]

    /// An element without a value, with the data absent reason `unknown`.
    static let element: JSON = ["extension": [unknown]]
}
