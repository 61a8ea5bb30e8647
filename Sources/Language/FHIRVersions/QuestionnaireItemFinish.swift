import FHIR

/// Constraints of R4 on a form's items that the older releases did not have
/// (<https://hl7.org/fhir/R4/questionnaire.html#invs>).
enum QuestionnaireItemFinish {
    static func finish(_ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion) {
        type(place, &output, &conversion)
        switch output.object["type"]?.string {
        case "display": display(place, &output, &conversion)
        case "group":
            for key in ["initial", "answerOption", "answerValueSet", "maxLength"] {
                remove(key, "a group has none", place, &output, &conversion)
            }
        case let type?:
            // Only some types of questions have options (que-5).
            if !withOptions.contains(type) {
                for key in ["answerOption", "answerValueSet"] {
                    remove(key, "a question of this type has none", place, &output, &conversion)
                }
            }
        default: break
        }
        if output.has("answerOption"), output.has("answerValueSet") {
            remove("answerValueSet", "an item has options or a value set", place, &output, &conversion)
        }
        select(place, &output, &conversion)
    }

    private static let withOptions: Set<String> = [
        "choice", "open-choice", "decimal", "integer", "date", "dateTime", "time", "string", "quantity",
    ]

    /// Supplies the type, which DSTU2's groups do not have and its questions do not require.
    private static func type(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        let isEmpty = output.object["item"] == nil
        switch place.from {
        case "Questionnaire.group":
            if output.has("type") {
                conversion.note(.leftOut, place.from + ".type", "a group of DSTU2 has none", place.trail.member("type"))
                output.object["_type"] = nil
            }
            // In R4, a group must have items; a group without items only displays its text (que-1).
            output.object["type"] = isEmpty ? "display" : "group"
        case "Questionnaire.group.question" where !output.has("type"):
            let hasOptions = output.has("answerValueSet") || output.has("answerOption")
            output.object["type"] = hasOptions ? "choice" : "string"
            conversion.note(.supplied, place.from + ".type", "R4 requires it", place.trail.member("type"))
        default:
            guard output.object["type"]?.string == "group", isEmpty else { return }
            output.object["type"] = "display"
            conversion.note(
                .changed, place.from + ".type", "a group without items is a display", place.trail.member("type"))
        }
    }

    /// Removes elements of questions from an item that only displays its text (que-3, que-6, que-8, que-9).
    private static func display(
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        for key in [
            "code", "required", "repeats", "readOnly", "initial", "answerOption", "answerValueSet", "maxLength",
        ] {
            remove(key, "a display has none", place, &output, &conversion)
        }
    }

    /// Moves a member that R4 does not allow here from the item into an extension.
    private static func remove(
        _ key: String, _ reason: String, _ place: ConversionPlace, _ output: inout ConversionOutput,
        _ conversion: inout Conversion
    ) {
        guard let known = conversion.target.member(key, below: "Questionnaire.item"), output.has(key) else { return }
        let path = place.from + "." + key
        conversion.note(.keptInExtension, path, reason, place.trail.member(key))
        let url = conversion.url(place.from, older(key, place.from))
        let part = ConversionPart(
            key: key, value: output.object[key], sibling: output.object["_" + key], trail: place.trail)
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
        _ place: ConversionPlace, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        guard var options = output.object["answerOption"]?.array, let initials = output.object["initial"]?.array
        else { return }
        // Index of the first option for each initial value.
        var places: [JSONObject.Member: Int] = [:]
        for (index, option) in options.enumerated() {
            for member in option.object?.members ?? [] where places[member] == nil { places[member] = index }
        }
        var rest: [JSON] = []
        for initial in initials {
            let given = initial.object?.count == 1 ? initial.object?.members.first : nil
            guard let given, let index = places[given] else {
                rest.append(initial)
                continue
            }
            options[index]["initialSelected"] = true
            conversion.note(
                .changed, place.from + ".initial", "the option says that it is selected",
                place.trail.member("initial" + given.key.dropFirst("value".count)))
        }
        output.object["answerOption"] = .array(options)
        output.object["initial"] = rest.isEmpty ? nil : .array(rest)
        remove("initial", "an item with options has none", place, &output, &conversion)
    }
}
