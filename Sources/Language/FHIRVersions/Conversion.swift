import FHIR

/// One run over a resource of an older release.
///
/// 1. Members with a rule are given to it (``ConversionRule``).
/// 2. Members that R4 has under the same name are copied, types and cardinalities adjusted by the element tables.
/// 3. What is left goes into a cross-version extension, or into the notes where no table knows it.
/// 4. Elements that R4 requires and that are missing are supplied (``ConversionDefault``).
struct Conversion {
    let version: FHIRVersion
    let source: ElementTable
    let target = ElementTable.r4
    var notes: [ConversionNote] = []
    /// The resource that is being converted, for rules that look beyond their element.
    var current = JSONObject()
    private var unnamed = 0

    init(from version: FHIRVersion) {
        self.version = version
        source = version == .dstu2 ? .dstu2 : .stu3
    }

    // MARK: Resources

    /// The resource and what it contains.
    mutating func resource(_ object: JSONObject) -> JSONObject {
        var object = object
        if object["resourceType"]?.string == "QuestionnaireAnswers" {
            object["resourceType"] = "QuestionnaireResponse"
            note(.changed, "QuestionnaireAnswers", "the older name of QuestionnaireResponse")
        }
        let type = object["resourceType"]?.string ?? ""
        guard target.describes(type) else {
            note(.changed, type, "resources of this type are kept as they are")
            return object
        }
        let outer = current
        current = object
        defer { current = outer }
        var output = element(object, from: type, to: type)
        output.set("resourceType", .string(type), at: 0)
        return output
    }

    // MARK: Elements

    /// The object as the R4 element at a path.
    mutating func element(_ object: JSONObject, from: String, to: String) -> JSONObject {
        var output = ConversionOutput()
        let place = ConversionPlace(object: object, from: from, to: to)
        for part in ConversionPart.parts(of: object) where part.key != "resourceType" {
            let name = source.choice(part.key, below: from)?.name ?? part.key
            if let rule = ConversionRule.rule(version, from + "." + name) {
                rule(part, place, &output, &self)
            } else {
                keep(part, as: part.key, place, &output)
            }
        }
        supply(place, &output)
        return output.finished
    }

    /// Puts a part under a name of R4 where its type fits, else into an extension.
    mutating func keep(
        _ part: ConversionPart, as key: String, _ place: ConversionPlace, _ output: inout ConversionOutput
    ) {
        let known = source.member(part.key, below: place.from)
        guard let wanted = target.member(key, below: place.to),
            known.map({ Conversion.fits($0, wanted) }) ?? true
        else {
            carry(part, place, &output)
            return
        }
        let inside = (from: known?.inside ?? wanted.inside ?? "", to: wanted.inside)
        var values: [(value: JSON, sibling: JSON)] = []
        for (value, sibling) in part.pairs {
            let path = place.from + "." + part.key
            if let converted = self.value(value, inside, type: wanted.type, path) {
                values.append((converted, self.sibling(sibling)))
            } else if sibling.object != nil {
                values.append((.null, self.sibling(sibling)))
            } else if value != .null {
                note(.leftOut, path, "the value has not the form of its type")
            }
        }
        guard !values.isEmpty else { return }
        if wanted.member.isRepeated {
            output.append(values, to: key)
        } else {
            output.set(key, values[0])
            for extra in values.dropFirst() {
                note(.keptInExtension, place.from + "." + part.key, "R4 allows one value")
                output.extend(url(place.from, part.key), type: wanted.type, value: extra.value, sibling: extra.sibling)
            }
        }
    }

    /// One value as the R4 type; nil where it has not the form of the type.
    mutating func value(_ value: JSON, _ inside: (from: String, to: String?), type: String, _ path: String) -> JSON? {
        guard let to = inside.to else {
            switch value {
            case .string(let text):
                guard let written = PrimitiveRepair.repaired(text, type: type) else { return value }
                note(.changed, path, "a date or time was completed; the time zone is taken as UTC where none was given")
                return .string(written)
            case .number, .bool: return value
            case .null, .array, .object: return nil
            }
        }
        guard let object = value.object else { return nil }
        if to == "Resource" { return .object(resource(object)) }
        // A type that no table describes is the same in all releases, as far as this conversion needs it.
        guard target.describes(to) else { return value }
        return .object(element(object, from: source.describes(inside.from) ? inside.from : to, to: to))
    }

    /// The `_name` sibling of a primitive with its extensions converted.
    mutating func sibling(_ sibling: JSON) -> JSON {
        guard let object = sibling.object else { return .null }
        var output = JSONObject()
        for member in object.members {
            switch member.key {
            case "id": output["id"] = member.value
            case "extension":
                output["extension"] = .array(
                    (member.value.array ?? []).compactMap {
                        $0.object.map { .object(element($0, from: "Extension", to: "Extension")) }
                    })
            default: note(.leftOut, member.key, "a comment on a primitive value")
            }
        }
        return output.isEmpty ? .null : .object(output)
    }

    mutating func note(_ kind: ConversionNote.Kind, _ path: String, _ detail: String = "") {
        let note = ConversionNote(kind, path, detail)
        if !notes.contains(note) { notes.append(note) }
    }

    /// A linkId for a group or question that came without one.
    mutating func nextLinkID() -> String {
        unnamed += 1
        return "unnamed-\(unnamed)"
    }

    /// Whether a value of the older type is a value of the newer one.
    private static func fits(_ known: ElementTable.Typed, _ wanted: ElementTable.Typed) -> Bool {
        if known.member.children != nil || wanted.member.children != nil {
            return known.member.children != nil && wanted.member.children != nil
        }
        if known.isPrimitive != wanted.isPrimitive { return false }
        let quantities: Set<String> = ["Quantity", "Age", "Count", "Distance", "Duration"]
        return known.isPrimitive || known.type == wanted.type
            || (quantities.contains(known.type) && quantities.contains(wanted.type))
    }
}
