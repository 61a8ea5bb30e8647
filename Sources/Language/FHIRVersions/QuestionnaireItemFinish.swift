import FHIR

/// Constraints of R4 on a form's items that the older releases did not have
/// (<https://hl7.org/fhir/R4/questionnaire.html#invs>).
enum QuestionnaireItemFinish {
    static func finish(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        type(context, output: &output, conversion: &conversion)
        switch output.object["type"]?.string {
        case "display": display(context, output: &output, conversion: &conversion)
        case "group":
            for key in ["initial", "answerOption", "answerValueSet", "maxLength"] {
                remove(key, reason: "a group has none", in: context, output: &output, conversion: &conversion)
            }
        case let type?:
            // Only some types of questions have options (que-5).
            if !withOptions.contains(type) {
                for key in ["answerOption", "answerValueSet"] {
                    remove(
                        key, reason: "a question of this type has none", in: context, output: &output,
                        conversion: &conversion)
                }
            }
        default: break
        }
        if output.has("answerOption"), output.has("answerValueSet") {
            remove(
                "answerValueSet", reason: "an item has options or a value set", in: context, output: &output,
                conversion: &conversion)
        }
        select(context, output: &output, conversion: &conversion)
    }

    private static let withOptions: Set<String> = [
        "choice", "open-choice", "decimal", "integer", "date", "dateTime", "time", "string", "quantity",
    ]

    /// Supplies the type, which DSTU2's groups do not have and its questions do not require.
    private static func type(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        let isEmpty = output.object["item"] == nil
        switch context.from {
        case "Questionnaire.group":
            if output.has("type") {
                conversion.addNote(
                    .leftOut, path: context.from + ".type", detail: "a group of DSTU2 has none",
                    at: context.trail.member("type"))
                output.object["_type"] = nil
            }
            // In R4, a group must have items; a group without items only displays its text (que-1).
            output.object["type"] = isEmpty ? "display" : "group"
        case "Questionnaire.group.question" where !output.has("type"):
            let hasOptions = output.has("answerValueSet") || output.has("answerOption")
            output.object["type"] = hasOptions ? "choice" : "string"
            conversion.addNote(
                .supplied, path: context.from + ".type", detail: "R4 requires it", at: context.trail.member("type"))
        default:
            guard output.object["type"]?.string == "group", isEmpty else { return }
            output.object["type"] = "display"
            conversion.addNote(
                .changed, path: context.from + ".type", detail: "a group without items is a display",
                at: context.trail.member("type"))
        }
    }

    /// Removes elements of questions from an item that only displays its text (que-3, que-6, que-8, que-9).
    private static func display(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        for key in [
            "code", "required", "repeats", "readOnly", "initial", "answerOption", "answerValueSet", "maxLength",
        ] {
            remove(key, reason: "a display has none", in: context, output: &output, conversion: &conversion)
        }
    }

    /// Moves a member that R4 does not allow here from the item into an extension.
    private static func remove(
        _ key: String, reason: String, in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) {
        guard let known = conversion.target.member(key, below: "Questionnaire.item"), output.has(key) else { return }
        let path = context.from + "." + key
        conversion.addNote(.keptInExtension, path: path, detail: reason, at: context.trail.member(key))
        let url = conversion.url(context.from, older(key, context.from))
        let part = ConversionPart(
            key: key, value: output.object[key], sibling: output.object["_" + key], trail: context.trail)
        for pair in part.pairs {
            if known.member.children == nil {
                output.extend(url, type: known.type, value: pair.value, sibling: pair.sibling)
            } else if let object = pair.value.object {
                output.extend(whole(object, url))
            }
        }
        output.object[key] = nil
        output.object["_" + key] = nil
    }

    /// Returns an option or an initial value as an extension, with its value or its parts.
    private static func whole(_ object: JSONObject, _ url: String) -> JSON {
        var result = JSONObject()
        var parts: [JSON] = []
        result["url"] = .string(url)
        for member in object.members {
            switch member.key {
            case "id": result.set("id", member.value, at: 0)
            case "extension", "modifierExtension": parts += member.value.array ?? []
            case "initialSelected": parts.append(["url": "initialSelected", "valueBoolean": member.value])
            default: result[member.key] = member.value
            }
        }
        guard !parts.isEmpty else { return .object(result) }
        // An extension has either a value or nested extensions.
        var value: JSON = ["url": "value"]
        for member in result.members where member.key.hasPrefix("value") || member.key.hasPrefix("_value") {
            value[member.key] = member.value
            result[member.key] = nil
        }
        result["extension"] = .array((value.object?.count ?? 0) > 1 ? parts + [value] : parts)
        return .object(result)
    }

    /// Returns the name of the member in the older release.
    private static func older(_ key: String, _ from: String) -> String {
        switch (key, from) {
        case ("code", "Questionnaire.group"), ("code", "Questionnaire.group.question"): "concept"
        case ("answerOption", _): "option"
        case ("answerValueSet", _): "options"
        default: key
        }
    }

    /// Marks the initial options: in R4, an item with options has no initial value (que-11).
    private static func select(
        _ context: ConversionContext, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        guard var options = output.object["answerOption"]?.array, let initials = output.object["initial"]?.array
        else { return }
        // Index of the first option for each initial value.
        var indices: [JSONObject.Member: Int] = [:]
        for (index, option) in options.enumerated() {
            for member in option.object?.members ?? [] where indices[member] == nil { indices[member] = index }
        }
        var rest: [JSON] = []
        for initial in initials {
            let given = initial.object?.count == 1 ? initial.object?.members.first : nil
            guard let given, let index = indices[given] else {
                rest.append(initial)
                continue
            }
            options[index]["initialSelected"] = true
            conversion.addNote(
                .changed, path: context.from + ".initial", detail: "the option says that it is selected",
                at: context.trail.member("initial" + given.key.dropFirst("value".count)))
        }
        output.object["answerOption"] = .array(options)
        output.object["initial"] = rest.isEmpty ? nil : .array(rest)
        remove(
            "initial", reason: "an item with options has none", in: context, output: &output, conversion: &conversion)
    }
}
