import FHIR

extension Conversion {
    /// The URL of the official extension that carries an element of the older release into R4
    /// (<https://hl7.org/fhir/R4/versions.html#extensions>).
    func url(_ path: String, _ key: String) -> String {
        let name = source.choice(key, below: path)?.name ?? key
        return "http://hl7.org/fhir/\(version.extensionNumber)/StructureDefinition/extension-\(path).\(name)"
    }

    /// Carries a part in cross-version extensions, one for each value.
    mutating func carry(_ part: ConversionPart, _ place: ConversionPlace, _ output: inout ConversionOutput) {
        let path = place.from + "." + part.key
        guard let known = source.member(part.key, below: place.from) ?? newer(part.key, place) else {
            note(.leftOut, path, "no release has such an element")
            return
        }
        // An extension is a place for further extensions, not a value that one can have.
        guard known.type != "Extension", known.type != "Resource", known.type != "Narrative", known.type != "Meta"
        else {
            note(.leftOut, path)
            return
        }
        note(.keptInExtension, path)
        for (value, sibling) in part.pairs {
            if let children = known.member.children, let object = value.object {
                output.extend(nested(object, children, url: url(place.from, part.key)))
                continue
            }
            // R4's Money has a currency where the older one is a Quantity.
            let type = known.type == "Money" ? "Quantity" : known.type
            let converted = self.value(
                value, (from: known.inside ?? "", to: known.isPrimitive ? nil : type), type: type, path)
            let rest = self.sibling(sibling)
            guard converted != nil || rest != .null else {
                note(.leftOut, path, "the value has not the form of its type")
                continue
            }
            output.extend(url(place.from, part.key), type: type, value: converted ?? .null, sibling: rest)
        }
    }

    /// An element with children as an extension of extensions, each named as the child.
    private mutating func nested(_ object: JSONObject, _ path: String, url: String) -> JSON {
        var output = ConversionOutput()
        for part in ConversionPart.parts(of: object) {
            guard part.key != "extension", part.key != "modifierExtension" else {
                let place = ConversionPlace(object: object, from: "Extension", to: "Extension")
                var inner = ConversionOutput()
                keep(ConversionPart(key: "extension", value: part.value, sibling: nil), as: "extension", place, &inner)
                for one in inner.object["extension"]?.array ?? [] { output.extend(one) }
                continue
            }
            guard part.key != "id", let known = source.member(part.key, below: path) else {
                note(.leftOut, path + "." + part.key)
                continue
            }
            let name = known.member.name
            for (value, sibling) in part.pairs {
                if let children = known.member.children, let object = value.object {
                    output.extend(nested(object, children, url: name))
                } else {
                    let type = known.type == "Money" ? "Quantity" : known.type
                    let inside = (from: known.inside ?? "", to: known.isPrimitive ? nil : type)
                    let converted = self.value(value, inside, type: type, path + "." + part.key)
                    let rest = self.sibling(sibling)
                    guard converted != nil || rest != .null else {
                        note(.leftOut, path + "." + part.key, "the value has not the form of its type")
                        continue
                    }
                    output.extend(name, type: type, value: converted ?? .null, sibling: rest)
                }
            }
        }
        var result = JSONObject()
        result["url"] = .string(url)
        // An extension without anything in it is not allowed.
        let inner = output.finished["extension"] ?? .array([DataAbsent.unknown])
        result["extension"] = inner
        return .object(result)
    }

    /// An element that the older release does not have, but R4 has elsewhere under this path with another type.
    private func newer(_ key: String, _ place: ConversionPlace) -> ElementTable.Typed? {
        guard let wanted = target.member(key, below: place.to), wanted.isPrimitive else { return nil }
        return wanted
    }
}

/// The standard extension for a value that is required and not known
/// (<https://hl7.org/fhir/R4/extension-data-absent-reason.html>).
enum DataAbsent {
    static let unknown: JSON = [
        "url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown",
    ]

    /// An element that says only that its value is not known.
    static let element: JSON = ["extension": [unknown]]
}
