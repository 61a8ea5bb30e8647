import FHIR

extension ConversionRule {
    /// Converts conditions without operator: `hasAnswer`, or equality with an answer. Several conditions are
    /// alternatives (<https://hl7.org/fhir/STU3/questionnaire-definitions.html#Questionnaire.item.enableWhen>).
    static let enableWhen: Rule = { part, context, output, conversion in
        var conditions: [JSON] = []
        for pair in part.pairs {
            guard let object = pair.value.object, !object.isEmpty else {
                if pair.value != .null || pair.sibling != .null {
                    conversion.addFormNote(context.from + ".enableWhen", at: pair.trail)
                }
                continue
            }
            if object["operator"] != nil {
                // An app may already write R4's form.
                let to = "Questionnaire.item.enableWhen"
                conditions.append(.object(conversion.element(object, from: to, to: to, at: pair.trail)))
            } else {
                conditions += conversion.conditions(object, at: pair.trail)
            }
        }
        set(conditions, in: context, output: &output, conversion: &conversion)
    }

    private static func set(
        _ conditions: [JSON], in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) {
        for condition in conditions { output.append(condition, to: "enableWhen") }
        if (output.object["enableWhen"]?.array?.count ?? 0) > 1, context.object["enableBehavior"] == nil {
            output.object["enableBehavior"] = "any"
            conversion.addNote(
                .supplied, path: "Questionnaire.item.enableBehavior",
                detail: "any, as older releases read several conditions",
                at: context.trail.member("enableBehavior"))
        }
    }

    /// Converts DSTU2's extension for conditions with the parts `question` and `answer`, which C3-PRO writes with a
    /// `#`.
    static let enableWhenExtension: Rule = { part, context, output, conversion in
        var found: [JSON] = []
        for pair in part.pairs {
            guard let url = pair.value["url"]?.string, url.hasSuffix("/questionnaire-enableWhen"),
                let condition = condition(pair.value)
            else {
                conversion.keep(part.with(pair), as: "extension", in: context, into: &output)
                continue
            }
            found += conversion.conditions(condition, at: pair.trail)
            conversion.addNote(
                .changed, path: context.from + ".extension", detail: "R4 has an element for conditions",
                at: pair.trail.member("url"))
            for index in (pair.value["extension"]?.array ?? []).indices {
                let inner = ConversionTrail.index(pair.trail.member("extension"), index)
                conversion.addNote(
                    .changed, path: context.from + ".extension", detail: "R4 has an element for conditions",
                    at: inner.member("url"))
            }
        }
        set(found, in: context, output: &output, conversion: &conversion)
    }

    /// Returns the condition of the extension; nil if the extension contains anything else or is incomplete.
    private static func condition(_ value: JSON) -> JSONObject? {
        guard let object = value.object, object.count == 2, let parts = object["extension"]?.array else { return nil }
        var condition = JSONObject()
        for part in parts {
            guard let inner = Extension(json: part), inner.object.count == 2, let given = inner.value else {
                return nil
            }
            switch inner.url?.split(whereSeparator: { $0 == "#" || $0 == "/" }).last {
            case "question" where condition["question"] == nil: condition["question"] = given.json
            case "answer" where condition.count < 2: condition["answer" + given.type] = given.json
            default: return nil
            }
        }
        return condition["question"]?.string != nil && condition.count == 2 ? condition : nil
    }
}

extension ReleaseConversion {
    /// Returns the R4 conditions for a condition of STU3.
    mutating func conditions(_ object: JSONObject, at trail: ConversionTrail) -> [JSON] {
        let to = "Questionnaire.item.enableWhen"
        var base = ConversionOutput()
        let context = ConversionContext(object: object, from: to, to: to, trail: trail)
        var answers: [ConversionPart] = []
        var has: Bool?
        for part in ConversionPart.parts(of: object, at: trail) {
            if part.key == "hasAnswer", let given = part.value?.bool, part.sibling == nil {
                has = given
            } else if part.key.hasPrefix("answer"), part.key != "answer" {
                answers.append(part)
            } else {
                keep(part, as: part.key, in: context, into: &base)
            }
        }
        if !base.has("question") { base.object["_question"] = DataAbsent.element }
        // A condition on a certain answer implies that there is an answer.
        var result: [JSON] = []
        if let has {
            addNote(
                .changed, path: to + ".hasAnswer", detail: "R4 has the operator exists", at: trail.member("hasAnswer"))
            if !(has && !answers.isEmpty) {
                var condition = base
                condition.object["operator"] = "exists"
                condition.object["answerBoolean"] = .bool(has)
                result.append(.object(condition.finished))
            }
        }
        var hasUnknown = false
        for answer in answers {
            let isKnown = source.member(answer.key, below: to) != nil || target.member(answer.key, below: to) != nil
            // Answers of unknown types all give the same condition.
            if !isKnown, hasUnknown {
                var nothing = ConversionOutput()
                carry(answer, in: context, into: &nothing)
                continue
            }
            hasUnknown = hasUnknown || !isKnown
            var condition = base
            condition.object["operator"] = "="
            let key = ["answerUri": "answerString", "answerInstant": "answerDateTime"][answer.key] ?? answer.key
            keep(answer, as: key, in: context, into: &condition)
            // Without an answer that R4 supports, the condition only requires that there is one.
            if !condition.object.keys.contains(where: { $0.hasPrefix("answer") || $0.hasPrefix("_answer") }) {
                condition.object["operator"] = "exists"
                condition.object["answerBoolean"] = true
                addNote(
                    .supplied, path: to + ".operator",
                    detail: "R4 cannot compare with this answer: that there is one suffices",
                    at: trail.member("operator"))
            }
            result.append(.object(condition.finished))
        }
        if result.isEmpty {
            var condition = base
            condition.object["operator"] = "exists"
            condition.object["answerBoolean"] = true
            addNote(
                .supplied, path: to + ".operator", detail: "no answer is named: that there is one suffices",
                at: trail.member("operator"))
            result.append(.object(condition.finished))
        }
        return result
    }
}
