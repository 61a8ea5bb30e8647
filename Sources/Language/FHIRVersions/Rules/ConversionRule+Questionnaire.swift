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
        "Questionnaire.group.extension": conditions,
        "Questionnaire.group.question.extension": conditions,
        "Questionnaire.group.question.type": questionType,
        "Questionnaire.group.question.options": optionsReference,
        "Questionnaire.group.question.option": options,
        "Questionnaire.status": publicationStatus,
    ]

    /// Questionnaire of STU3 (<https://hl7.org/fhir/STU3/questionnaire.html>).
    static let itemQuestionnaire: [String: Rule] = [
        "Questionnaire.item.options": optionsReference,
        "Questionnaire.item.option": options,
        "Questionnaire.item.initial": initial,
        "Questionnaire.item.enableWhen": enableWhen,
    ]

    private static func formItems(isQuestion: Bool) -> Rule {
        { part, place, output, conversion in
            let from = isQuestion ? "Questionnaire.group.question" : "Questionnaire.group"
            for object in part.objects {
                var item = conversion.element(object, from: from, to: "Questionnaire.item")
                // The outermost group's title is the form's: DSTU2 has no other place for it.
                let isRoot = place.from == "Questionnaire"
                if isRoot, output.object["title"] == nil, let title = object["title"] {
                    output.object["title"] = title
                }
                if item["linkId"] == nil {
                    let grouping: Set<String> =
                        isRoot ? ["item", "required", "text", "code"] : ["item", "required"]
                    if !isQuestion, item.members.allSatisfy({ grouping.contains($0.key) }) {
                        if isRoot, let text = object["text"], output.object["description"] == nil {
                            output.object["description"] = text
                        }
                        if let code = item["code"] { output.object["code"] = code }
                        for child in item["item"]?.array ?? [] { output.append(child, to: "item") }
                        continue
                    }
                    item.set("linkId", .string(conversion.nextLinkID()), at: 0)
                    conversion.note(.supplied, from + ".linkId")
                }
                if item["type"] == nil {
                    let hasOptions = item["answerValueSet"] != nil || item["answerOption"] != nil
                    let type = isQuestion ? hasOptions ? "choice" : "string" : "group"
                    item["type"] = .string(type)
                    if isQuestion { conversion.note(.supplied, from + ".type") }
                }
                output.append(.object(item), to: "item")
            }
        }
    }

    private static let questionType: Rule = { part, place, output, conversion in
        if part.value?.string == "instant" {
            output.set("type", ("dateTime", .null))
        } else {
            conversion.keep(part, as: "type", place, &output)
        }
    }

    /// A reference to a value set became its canonical URL; `#contained` stays.
    private static let optionsReference: Rule = { part, place, output, conversion in
        guard let reference = part.value?["reference"]?.string else {
            conversion.carry(part, place, &output)
            return
        }
        output.set("answerValueSet", (.string(reference), .null))
    }

    private static let options: Rule = { part, place, output, conversion in
        for object in part.objects {
            if place.from == "Questionnaire.group.question" {
                let coding = conversion.element(object, from: "Coding", to: "Coding")
                output.append(["valueCoding": .object(coding)], to: "answerOption")
            } else {
                let option = conversion.element(
                    object, from: "Questionnaire.item.option", to: "Questionnaire.item.answerOption")
                output.append(.object(option), to: "answerOption")
            }
        }
    }

    /// R4 has a list of initial values.
    private static let initial: Rule = { part, place, output, conversion in
        var inner = ConversionOutput()
        let moved = ConversionPlace(
            object: place.object, from: "Questionnaire.item", to: "Questionnaire.item.initial")
        let key = "value" + part.key.dropFirst("initial".count)
        guard conversion.target.member(key, below: moved.to) != nil else {
            conversion.carry(part, place, &output)
            return
        }
        conversion.keep(part, as: key, moved, &inner)
        if !inner.isEmpty { output.append(.object(inner.finished), to: "initial") }
    }

    /// Conditions without operator: `hasAnswer`, or equality with an answer. Several mean any of them.
    private static let enableWhen: Rule = { part, _, output, conversion in
        var conditions: [JSON] = []
        for object in part.objects { conditions += conversion.conditions(object) }
        set(conditions, &output, &conversion)
    }

    private static func set(
        _ conditions: [JSON], _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        for condition in conditions { output.append(condition, to: "enableWhen") }
        if (output.object["enableWhen"]?.array?.count ?? 0) > 1 {
            output.object["enableBehavior"] = "any"
            conversion.note(.supplied, "Questionnaire.item.enableBehavior", "any, as STU3 reads several conditions")
        }
    }

    /// DSTU2 has conditions as an extension with the parts `question` and `answer`, which C3-PRO writes with a `#`.
    private static let conditions: Rule = { part, place, output, conversion in
        var others: [JSON] = []
        var found: [JSON] = []
        for (value, _) in part.pairs {
            guard value["url"]?.string?.hasSuffix("/questionnaire-enableWhen") ?? false else {
                others.append(value)
                continue
            }
            var condition = JSONObject()
            for inner in value["extension"]?.array?.compactMap({ Extension(json: $0) }) ?? [] {
                let name = inner.url?.split(whereSeparator: { $0 == "#" || $0 == "/" }).last ?? ""
                guard let given = inner.value else { continue }
                if name == "question" { condition["question"] = given.value }
                if name == "answer" { condition["answer" + given.type] = given.value }
            }
            let converted = conversion.conditions(condition)
            if condition["question"] == nil || converted.isEmpty {
                others.append(value)
            } else {
                found += converted
            }
        }
        set(found, &output, &conversion)
        guard !others.isEmpty else { return }
        conversion.keep(
            ConversionPart(key: "extension", value: .array(others), sibling: nil), as: "extension", place, &output)
    }

    private static let publicationStatus: Rule = { part, place, output, conversion in
        if part.value?.string == "published" {
            output.set("status", ("active", .null))
        } else {
            conversion.keep(part, as: "status", place, &output)
        }
    }
}

extension Conversion {
    /// The R4 conditions that a condition of STU3 means.
    mutating func conditions(_ object: JSONObject) -> [JSON] {
        var result: [JSON] = []
        let question = object["question"] ?? .null
        let answer = object.members.first { $0.key.hasPrefix("answer") }
        // "Has an answer, and it is this one" needs the answer alone.
        if let has = object["hasAnswer"]?.bool, !(has && answer != nil) {
            result.append(["question": question, "operator": "exists", "answerBoolean": .bool(has)])
        }
        guard let answer else { return result }
        var key = answer.key
        switch key {
        case "answerUri": key = "answerString"
        case "answerInstant": key = "answerDateTime"
        default: break
        }
        let to = "Questionnaire.item.enableWhen"
        guard let wanted = target.member(key, below: to),
            let value = value(
                answer.value, (from: wanted.inside ?? "", to: wanted.inside), type: wanted.type, to + "." + key)
        else {
            note(.leftOut, to + "." + answer.key)
            return result
        }
        var condition = JSONObject()
        condition["question"] = question
        condition["operator"] = "="
        condition[key] = value
        result.append(.object(condition))
        return result
    }
}
