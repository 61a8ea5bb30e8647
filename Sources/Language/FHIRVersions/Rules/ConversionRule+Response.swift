import FHIR

extension ConversionRule {
    /// Rules for QuestionnaireResponse that both older releases share.
    static let response: [String: Rule] = [
        "QuestionnaireResponse.questionnaire": questionnaireReference,
        "QuestionnaireResponse.item.answer.value": answerValue,
    ]

    /// Rules for QuestionnaireResponse of DSTU2: groups and questions are items in R4
    /// (<https://hl7.org/fhir/DSTU2/questionnaireresponse.html>).
    static let groupResponse: [String: Rule] = [
        "QuestionnaireResponse.group": responseItems(isQuestion: false),
        "QuestionnaireResponse.group.group": responseItems(isQuestion: false),
        "QuestionnaireResponse.group.question": responseItems(isQuestion: true),
        "QuestionnaireResponse.group.question.answer.group": responseItems(isQuestion: false),
        "QuestionnaireResponse.group.question.answer.value": answerValue,
        "QuestionnaireResponse.group.title": groupTitle,
    ]

    /// Converts a reference into a canonical URL. C3-PRO's apps send the bare id of the form.
    private static let questionnaireReference: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard !output.has("questionnaire") else {
                conversion.carry(part.with(pair), in: context, into: &output)
                continue
            }
            if let text = pair.value.string, !text.isEmpty {
                let sibling = conversion.sibling(pair.sibling, at: pair.trail)
                output.set(
                    "questionnaire", to: .string(convertedCanonical(text, at: pair.trail, conversion: &conversion)),
                    sibling: sibling)
                continue
            }
            guard let object = pair.value.object, let reference = object["reference"]?.string, !reference.isEmpty
            else {
                // A reference with only a display or an identifier has no URL.
                conversion.carry(part.with(pair), in: context, into: &output)
                continue
            }
            let plain: Set<String> = ["reference", "display"]
            let display = object["display"]?.string ?? ""
            if !object.members.allSatisfy({ plain.contains($0.key) }) || (object["display"] != nil && display.isEmpty) {
                conversion.carry(part.with(pair), in: context, into: &output)
            }
            let named: JSON = [
                "url": "http://hl7.org/fhir/StructureDefinition/display", "valueString": .string(display),
            ]
            output.set(
                "questionnaire",
                to: .string(convertedCanonical(reference, at: pair.trail.member("reference"), conversion: &conversion)),
                sibling: display.isEmpty ? .null : ["extension": [named]])
        }
    }

    private static func convertedCanonical(
        _ reference: String, at trail: ConversionTrail, conversion: inout ReleaseConversion
    ) -> String {
        let canonical = canonical(reference)
        if canonical != reference {
            conversion.addNote(
                .changed, path: "QuestionnaireResponse.questionnaire",
                detail: "it is the URL of the form in R4",
                at: trail)
        }
        return canonical
    }

    /// Returns the canonical: `mood` and `Questionnaire/mood/_history/2` become `Questionnaire/mood`; URLs and
    /// `#contained` are kept.
    static func canonical(_ reference: String) -> String {
        if reference.hasPrefix("#") || reference.contains(":") || reference.hasPrefix("/") { return reference }
        if let literal = Reference(reference).literal { return literal.type + "/" + literal.id }
        return Resource.isID(reference) ? "Questionnaire/" + reference : reference
    }

    private static func responseItems(isQuestion: Bool) -> Rule {
        { part, context, output, conversion in
            let path = context.from.hasSuffix(".answer") ? "QuestionnaireResponse.group" : context.from + "." + part.key
            let from = isQuestion ? "QuestionnaireResponse.group.question" : "QuestionnaireResponse.group"
            for pair in part.pairs {
                guard let object = pair.value.object, !object.isEmpty else {
                    if pair.value != .null || pair.sibling != .null { conversion.addFormNote(path, at: pair.trail) }
                    continue
                }
                var item = conversion.element(object, from: from, to: "QuestionnaireResponse.item", at: pair.trail)
                if item["linkId"] == nil {
                    // A group that only groups has no content of its own: its children replace it.
                    if item.members.allSatisfy({ $0.key == "item" }) {
                        output.append((item["item"]?.array ?? []).map { ($0, .null) }, to: "item")
                        continue
                    }
                    item.set("linkId", .string(conversion.nextLinkID()), at: 0)
                    conversion.addNote(
                        .supplied, path: path + ".linkId", detail: "R4 requires it", at: pair.trail.member("linkId"))
                }
                append(.object(item), at: pair.trail, output: &output, conversion: &conversion)
            }
        }
    }

    /// Appends an item. Answers to a question that already has an item are joined to that item, because R4 has one item
    /// for all answers to a question.
    private static func append(
        _ item: JSON, at trail: ConversionTrail, output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) {
        let joinable: Set<String> = ["linkId", "text", "answer"]
        let isPlain = item.object?.members.allSatisfy { joinable.contains($0.key) } ?? false
        if isPlain, item["answer"] != nil, let index = output.answeredItem(like: item) {
            for key in ["linkId", "text"] where item[key] != nil {
                conversion.addNote(
                    .changed, path: "QuestionnaireResponse.item." + key,
                    detail: "the answers are joined to those given before",
                    at: trail.member(key))
            }
            output.join(item["answer"]?.array ?? [], toItem: index)
        } else {
            output.append(item, to: "item")
        }
    }

    /// Converts an instant, which R4's answers do not allow, into a dateTime.
    private static let answerValue: Rule = { part, context, output, conversion in
        let key = part.key == "valueInstant" ? "valueDateTime" : part.key
        conversion.keep(part, as: key, in: context, into: &output)
    }

    /// Converts the title of a group: R4 has only a text, DSTU2 has title and text.
    static let groupTitle: Rule = { part, context, output, conversion in
        if context.object["text"] == nil, context.object["_text"] == nil {
            conversion.keep(part, as: "text", in: context, into: &output)
        } else {
            conversion.carry(part, in: context, into: &output)
        }
    }
}
