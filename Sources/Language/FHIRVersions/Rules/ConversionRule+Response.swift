import FHIR

extension ConversionRule {
    /// QuestionnaireResponse, what both older releases have in common.
    static let response: [String: Rule] = [
        "QuestionnaireResponse.questionnaire": questionnaireReference
    ]

    /// QuestionnaireResponse of DSTU2: groups and questions are items in R4
    /// (<https://hl7.org/fhir/DSTU2/questionnaireresponse.html>).
    static let groupResponse: [String: Rule] = [
        "QuestionnaireResponse.group": responseItems(isQuestion: false),
        "QuestionnaireResponse.group.group": responseItems(isQuestion: false),
        "QuestionnaireResponse.group.question": responseItems(isQuestion: true),
        "QuestionnaireResponse.group.question.answer.group": responseItems(isQuestion: false),
        "QuestionnaireResponse.group.question.answer.value": answerValue,
        "QuestionnaireResponse.group.title": groupTitle,
    ]

    /// A reference became a canonical URL. C3-PRO's apps give the bare id of the form.
    private static let questionnaireReference: Rule = { part, place, output, conversion in
        if let text = part.value?.string {
            output.set("questionnaire", (.string(canonical(text)), conversion.sibling(part.sibling ?? .null)))
            return
        }
        guard let object = part.value?.object else {
            conversion.note(.leftOut, "QuestionnaireResponse.questionnaire", "the value has not the form of its type")
            return
        }
        if let reference = object["reference"]?.string {
            output.set("questionnaire", (.string(canonical(reference)), .null))
        }
        if let display = object["display"]?.string {
            let named: JSON = [
                "url": "http://hl7.org/fhir/StructureDefinition/display", "valueString": .string(display),
            ]
            output.set("questionnaire", (.null, ["extension": [named]]))
        }
        if object.members.contains(where: { $0.key != "reference" && $0.key != "display" }) {
            conversion.carry(part, place, &output)
        }
    }

    /// `mood` and `Questionnaire/mood/_history/2` become `Questionnaire/mood`; URLs and `#contained` stay.
    static func canonical(_ reference: String) -> String {
        if reference.hasPrefix("#") || reference.contains(":") || reference.hasPrefix("/") { return reference }
        if let literal = Reference(reference).literal { return literal.type + "/" + literal.id }
        return Resource.isID(reference) ? "Questionnaire/" + reference : reference
    }

    private static func responseItems(isQuestion: Bool) -> Rule {
        { part, place, output, conversion in
            let path = place.from.hasSuffix(".answer") ? "QuestionnaireResponse.group" : place.from + "." + part.key
            let from = isQuestion ? "QuestionnaireResponse.group.question" : "QuestionnaireResponse.group"
            for object in part.objects {
                var item = conversion.element(object, from: from, to: "QuestionnaireResponse.item")
                if item["linkId"] == nil {
                    // A group that only groups says nothing: its children stand in its place.
                    if item.members.allSatisfy({ $0.key == "item" }) {
                        for child in item["item"]?.array ?? [] { append(child, &output) }
                        continue
                    }
                    item.set("linkId", .string(conversion.nextLinkID()), at: 0)
                    conversion.note(.supplied, path + ".linkId")
                }
                append(.object(item), &output)
            }
        }
    }

    /// Appends an item; answers to a question that stands there already are joined to it, as R4 has one item for all
    /// answers to a question.
    private static func append(_ item: JSON, _ output: inout ConversionOutput) {
        var items = output.object["item"]?.array ?? []
        let index = items.firstIndex { present in
            present["linkId"] == item["linkId"] && present["answer"] != nil && item["answer"] != nil
                && item["item"] == nil
        }
        if let index {
            items[index]["answer"] = .array((items[index]["answer"]?.array ?? []) + (item["answer"]?.array ?? []))
        } else {
            items.append(item)
        }
        output.object["item"] = .array(items)
    }

    /// R4's answers know no instant.
    private static let answerValue: Rule = { part, place, output, conversion in
        if part.key == "valueInstant" {
            // What is no single value has no place in an answer.
            guard part.value?.array == nil, part.value?.object == nil else {
                return conversion.carry(part, place, &output)
            }
            output.set("valueDateTime", (part.value ?? .null, conversion.sibling(part.sibling ?? .null)))
        } else {
            conversion.keep(part, as: part.key, place, &output)
        }
    }

    /// R4 has one text where DSTU2 has title and text.
    static let groupTitle: Rule = { part, place, output, conversion in
        if place.object["text"] == nil {
            conversion.keep(part, as: "text", place, &output)
        } else {
            conversion.carry(part, place, &output)
        }
    }
}
