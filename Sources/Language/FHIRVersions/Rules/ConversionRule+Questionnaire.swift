import FHIR

extension ConversionRule {
    /// Questionnaire of DSTU2 (<https://hl7.org/fhir/DSTU2/questionnaire.html>).
    static let groupQuestionnaire: [String: Rule] = [
        "Questionnaire.group": formItems(isQuestion: false),
        "Questionnaire.group.group": formItems(isQuestion: false),
        "Questionnaire.group.question": formItems(isQuestion: true),
        "Questionnaire.group.question.group": formItems(isQuestion: false),
        "Questionnaire.group.title": groupTitle,
        "Questionnaire.group.concept": renamed("code"),
        "Questionnaire.group.question.concept": renamed("code"),
        "Questionnaire.group.extension": enableWhenExtension,
        "Questionnaire.group.question.extension": enableWhenExtension,
        "Questionnaire.group.question.type": code(["instant": "dateTime"]),
        "Questionnaire.group.question.options": optionsReference,
        "Questionnaire.group.question.option": { part, context, output, conversion in
            for pair in part.pairs {
                if let coding = conversion.value(pair.value, as: "Coding", at: pair.trail) {
                    output.append(["valueCoding": coding], to: "answerOption")
                } else if pair.value != .null || pair.sibling != .null {
                    conversion.addFormNote(context.from + ".option", at: pair.trail)
                }
            }
        },
        "Questionnaire.status": code(["published": "active"]),
    ]

    /// Questionnaire of STU3 (<https://hl7.org/fhir/STU3/questionnaire.html>).
    static let itemQuestionnaire: [String: Rule] = [
        "Questionnaire.item.options": optionsReference,
        "Questionnaire.item.option": renamed("answerOption"),
        "Questionnaire.item.initial": initial,
        "Questionnaire.item.enableWhen": enableWhen,
        "Questionnaire.status": code(["published": "active"]),
    ]

    private static func formItems(isQuestion: Bool) -> Rule {
        { part, context, output, conversion in
            let from = isQuestion ? "Questionnaire.group.question" : "Questionnaire.group"
            for pair in part.pairs {
                guard let object = pair.value.object, !object.isEmpty else {
                    if pair.value != .null || pair.sibling != .null {
                        conversion.addFormNote(context.from + "." + part.key, at: pair.trail)
                    }
                    continue
                }
                var item = conversion.element(object, from: from, to: "Questionnaire.item", at: pair.trail)
                // The title of the outermost group is the title of the form, for which DSTU2 has no other element.
                let isRoot = context.from == "Questionnaire"
                if isRoot, !output.has("title"), object["title"]?.string?.isEmpty == false, let title = object["title"]
                {
                    output.object["title"] = title
                }
                if item["linkId"] == nil {
                    if dissolve(
                        item, of: object, isQuestion: isQuestion, isRoot: isRoot, at: pair.trail, output: &output,
                        conversion: &conversion)
                    {
                        continue
                    }
                    item.set("linkId", .string(conversion.nextLinkID()), at: 0)
                    conversion.addNote(
                        .supplied, path: from + ".linkId", detail: "R4 requires it", at: pair.trail.member("linkId"))
                }
                output.append(.object(item), to: "item")
            }
        }
    }

    /// Replaces a group that only groups by its children; false if the group has other content.
    private static func dissolve(
        _ item: JSONObject, of object: JSONObject, isQuestion: Bool, isRoot: Bool, at trail: ConversionTrail,
        output: inout ConversionOutput, conversion: inout ReleaseConversion
    ) -> Bool {
        let grouping: Set<String> =
            isRoot ? ["item", "required", "text", "code", "type"] : ["item", "required", "type"]
        guard !isQuestion, item["item"] != nil, item.members.allSatisfy({ grouping.contains($0.key) }) else {
            return false
        }
        // The text is the form's description, unless it is the title.
        if isRoot, let text = item["text"], text != output.object["title"] {
            guard !output.has("description") else { return false }
            output.object["description"] = text
        }
        if item["required"] != nil {
            conversion.addNote(
                .leftOut, path: "Questionnaire.group.required", detail: "the group only groups: its items replace it",
                at: trail.member("required"))
        }
        if let code = item["code"]?.array { output.append(code.map { ($0, .null) }, to: "code") }
        output.append((item["item"]?.array ?? []).map { ($0, .null) }, to: "item")
        return true
    }

    /// Converts a reference to a value set into its canonical URL; `#contained` is kept.
    private static let optionsReference: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let object = pair.value.object ?? JSONObject()
            guard let reference = object["reference"]?.string, !reference.isEmpty, !output.has("answerValueSet") else {
                conversion.carry(part.with(pair), in: context, into: &output)
                continue
            }
            let trail = pair.trail.member("reference")
            let renamed = CodeSystems.renamed(valueSet: reference)
            if let renamed {
                conversion.addNote(
                    .changed, path: context.from + ".options", detail: "R4's name is \(renamed)", at: trail)
            }
            output.set("answerValueSet", to: .string(renamed ?? reference))
            var rest = object
            rest["reference"] = nil
            let display = rest["display"]?.string ?? ""
            if rest.count == 1, !display.isEmpty {
                let named: JSON = [
                    "url": "http://hl7.org/fhir/StructureDefinition/display", "valueString": .string(display),
                ]
                output.set("answerValueSet", to: .null, sibling: ["extension": [named]])
            } else if !rest.isEmpty {
                conversion.carry(part.with(pair), in: context, into: &output)
            }
        }
    }

    /// Converts the initial value into R4's list of initial values.
    private static let initial: Rule = { part, context, output, conversion in
        var inner = ConversionOutput()
        let moved = ConversionContext(
            object: context.object, from: "Questionnaire.item", to: "Questionnaire.item.initial", trail: context.trail)
        let key = "value" + part.key.dropFirst("initial".count)
        // R4 already has this element as a list.
        if part.key == "initial" {
            conversion.keep(part, as: "initial", in: context, into: &output)
            return
        }
        guard conversion.target.member(key, below: moved.to) != nil else {
            conversion.carry(part, in: context, into: &output)
            return
        }
        conversion.keep(part, as: key, in: moved, into: &inner)
        if !inner.isEmpty { output.append(.object(inner.finished), to: "initial") }
    }
}
