import FHIR
import FHIRPath
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Expressions of forms (<https://hl7.org/fhir/uv/sdc/expressions.html>).
@Suite struct ExpressionTests {
    /// Returns an extension of SDC with an expression.
    static func expression(_ name: String, _ text: String, variable: String? = nil) -> String {
        let core = ["variable", "cqf-expression", "questionnaire-constraint"].contains(name)
        let url =
            core
            ? "http://hl7.org/fhir/StructureDefinition/\(name)"
            : "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-\(name)"
        let given = variable.map { #""name": "\#($0)", "# } ?? ""
        return
            #"{"url": "\#(url)", "valueExpression": {\#(given)"language": "text/fhirpath", "expression": "\#(text)"}}"#
    }

    static func item(_ linkID: String, _ type: String, with extensions: String..., more: String = "") -> String {
        let given = extensions.isEmpty ? "" : #", "extension": [\#(extensions.joined(separator: ", "))]"#
        return #"{"linkId": "\#(linkID)", "type": "\#(type)"\#(given)\#(more.isEmpty ? "" : ", " + more)}"#
    }

    private static func weight(_ linkID: String) -> String { "%resource.item.where(linkId = '\(linkID)').answer.value" }

    @Test func calculatedAnswerFollowsItsInputs() throws {
        let form = try form(
            Self.item("a", "decimal") + "," + Self.item("b", "decimal") + ","
                + Self.item(
                    "sum", "decimal",
                    with: Self.expression("calculatedExpression", "\(Self.weight("a")) + \(Self.weight("b"))")))
        var session = FormSession(form)
        #expect(session["sum"] == nil)
        session["a"] = .decimal(2)
        #expect(session["sum"] == nil)
        session["b"] = .decimal(3)
        #expect(session["sum"] == .decimal(5))
        session["a"] = .decimal(4)
        #expect(session["sum"] == .decimal(7))
        session["b"] = nil
        #expect(session["sum"] == nil)
    }

    @Test func calculationsOfCalculationsFollowInAnyOrder() throws {
        let form = try form(
            Self.item("d", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("c")) + 1")) + ","
                + Self.item("c", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("b")) + 1"))
                + ","
                + Self.item("b", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("a")) + 1"))
                + ","
                + Self.item("a", "integer"))
        var session = FormSession(form)
        session["a"] = .integer(1)
        #expect(session["d"] == .integer(4))
    }

    @Test func editedAnswerStays() throws {
        let form = try form(
            Self.item("a", "integer") + ","
                + Self.item("b", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("a")) * 2")))
        var session = FormSession(form)
        session["a"] = .integer(1)
        session["b"] = .integer(9)
        session["a"] = .integer(2)
        #expect(session["b"] == .integer(9))
        #expect(session.isEdited(at: path("b")))
        let resumed = FormSession(form, response: session.response(status: .inProgress))
        #expect(resumed.answers(at: path("b")) == [.integer(9)])
        #expect(resumed.isEdited(at: path("b")))
        session.resetCalculation(at: path("b"))
        #expect(session["b"] == .integer(4))
    }

    @Test func readOnlyCalculatedAnswerCannotBeEdited() throws {
        let form = try form(
            Self.item("a", "integer") + ","
                + Self.item(
                    "b", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("a")) * 2"),
                    more: "\"readOnly\": true"))
        var session = FormSession(form)
        session["a"] = .integer(1)
        session["b"] = .integer(9)
        #expect(session["b"] == .integer(2))
    }

    @Test func expressionEnablesAnItem() throws {
        let form = try form(
            Self.item("a", "integer") + ","
                + Self.item(
                    "g", "group", with: Self.expression("enableWhenExpression", "\(Self.weight("a")) > 3"),
                    more: #""item": [{"linkId": "b", "type": "string", "required": true}]"#))
        var session = FormSession(form)
        #expect(!session.isEnabled(path("g")))
        #expect(session.problems().errors == [])
        session["a"] = .integer(4)
        #expect(session.isEnabled(path("g", "b")))
        session["b"] = .text("x")
        session["a"] = .integer(3)
        #expect(!session.isEnabled(path("g", "b")))
        #expect(session.response().item.map(\.linkId) == ["a"])
    }

    @Test func repetitionsAreEvaluatedSeparately() throws {
        let row =
            Self.item("n", "integer") + ","
            + Self.item("twice", "integer", with: Self.expression("calculatedExpression", "%n * 2"))
        let form = try form(
            Self.item(
                "row", "group",
                with: Self.expression("variable", "item.where(linkId = 'n').answer.value", variable: "n"),
                more: "\"repeats\": true, \"item\": [\(row)]")
                + ","
                + Self.item(
                    "total", "integer",
                    with: Self.expression(
                        "calculatedExpression",
                        "%resource.item.where(linkId = 'row').item.where(linkId = 'twice').answer.value.sum()")))
        var session = FormSession(form)
        session["row/n"] = .integer(1)
        session["row[1]/n"] = .integer(5)
        #expect(session["row/twice"] == .integer(2))
        #expect(session["row[1]/twice"] == .integer(10))
        #expect(session["total"] == .integer(12))
        session.removeGroup(at: path(("row", 0)))
        #expect(session["row/twice"] == .integer(10))
        #expect(session["total"] == .integer(10))
    }

    @Test func initialValueComesFromTheLaunchContext() throws {
        let launch = #"""
            "extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-launchContext",
            "extension": [{"url": "name", "valueCoding": {"code": "patient"}}, {"url": "type", "valueCode": "Patient"}]}]
            """#
        let form = try form(
            Self.item("birth", "date", with: Self.expression("initialExpression", "%patient.birthDate")), launch)
        var patient = Patient()
        patient.birthDate = DateTime("1990-05-05")
        var context = FormContext()
        context["patient"] = patient.resource
        #expect(FormSession(form, context: context)["birth"] == .date("1990-05-05"))
        let session = FormSession(form)
        #expect(session["birth"] == nil)
        #expect(session.problems().map(\.code) == ["expression-undecided"])
        #expect(session.problems().first?.severity == .information)
    }

    @Test func undecidedEnablementRequiresNothingAndForbidsNothing() throws {
        let form = try form(
            Self.item(
                "a", "string", with: Self.expression("enableWhenExpression", "%patient.gender = 'female'"),
                more: "\"required\": true"))
        #expect(ResponseValidator(form).problems(in: try response("")).map(\.code) == ["expression-undecided"])
        let answered = try response(#"{"linkId": "a", "answer": [{"valueString": "x"}]}"#)
        #expect(ResponseValidator(form).problems(in: answered).errors == [])
        var context = FormContext()
        context["patient"] = Resource(
            try #require(try JSON(parsing: #"{"resourceType": "Patient", "gender": "male"}"#).object))
        #expect(ResponseValidator(form, context: context).problems(in: answered).errors == ["not-enabled"])
    }

    @Test func failingExpressionIsAnError() throws {
        let form = try form(
            Self.item("a", "integer", more: "\"repeats\": true") + ","
                + Self.item(
                    "b", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("a")) + 1"),
                    more: "\"readOnly\": true"))
        var session = FormSession(form)
        session[all: "a"] = [.integer(1), .integer(2)]
        #expect(session.problems().errors == ["expression-failed"])
        #expect(session.problems().first?.linkID == "b")
    }

    @Test(arguments: [
        ("%resource.item.where(linkId = 'b').answer.value + 1", "expression-cycle"),
        ("%nothing + 1", "expression-variable-unknown"), ("1 +", "expression-invalid"),
        ("%resource.item.where(linkId = 'x').answer.value", "expression-item-unknown"),
    ])
    func faultsOfExpressionsAreReported(expression: String, code: String) throws {
        let form = try form(
            Self.item("a", "integer", with: Self.expression("calculatedExpression", expression)) + ","
                + Self.item("b", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("a")) + 1")))
        let found = try #require(form.problems.first { $0.code == code })
        #expect(found.linkID == "a")
        if code == "expression-cycle" { #expect(found.message.contains("a -> b -> a")) }
    }

    @Test func anItemThatReadsAnswersAloneCanDecideAboutTheItemsBelowThem() throws {
        func reading(_ read: String) throws -> QuestionnaireForm {
            let inner = Self.item(
                "inner", "string", with: Self.expression("enableWhenExpression", "\(Self.weight("shown")) = 'x'"))
            return try form(
                Self.item(
                    "shown", "string",
                    with: Self.expression("enableWhenExpression", "%resource.item.where(linkId = 'q')\(read)")) + ","
                    + Self.item("q", "string", more: #""item": [\#(inner)]"#))
        }
        for read in [
            ".answer.value.exists()", ".answer.exists()", ".answer[0].value = 'y'", ".answer.value.first() = 'y'",
        ] {
            var session = FormSession(try reading(read))
            #expect(!session.form.problems.contains { $0.code == "expression-cycle" }, "\(read)")
            #expect(!session.isEnabled(path("shown")))
            session["q"] = .string("y")
            #expect(session.isEnabled(path("shown")) && !session.isEnabled(path("q", "inner")))
            session["shown"] = .string("x")
            #expect(session.isEnabled(path("q", "inner")))
            session["q"] = nil
            #expect(!session.isEnabled(path("shown")) && session.problems().errors == [])
        }
        for read in [".exists()", ".answer.item.exists()", ".answer.where(item.exists()).value.exists()"] {
            #expect(try reading(read).problems.contains { $0.code == "expression-cycle" }, "\(read)")
        }
    }

    @Test func itemsBelowAnAnswerThatStaysReadThoseBelowOthers() throws {
        let count = "%resource.item.where(linkId = 'q').answer.item.where(linkId = 'a').answer.value.count()"
        let inner =
            Self.item("n", "integer", with: Self.expression("calculatedExpression", count)) + ","
            + Self.item("a", "string", more: #""initial": [{"valueString": "x"}]"#)
        var session = FormSession(
            try form(Self.item("q", "string", more: #""repeats": true, "item": [\#(inner)]"#)))
        for answers in [["u"], ["u", "v", "w"], ["u"], ["v", "u"], ["u"]] {
            session[all: "q"] = answers.map { .string($0) }
            for index in answers.indices { #expect(session["q[\(index)]/n"] == .integer(answers.count), "\(answers)") }
        }
    }

    @Test(arguments: [1, 5, 100]) func aQuotientCanBeReadByOtherExpressions(dividend: Int) throws {
        let form = try form(
            Self.item("a", "integer") + ","
                + Self.item(
                    "third", "decimal", with: Self.expression("calculatedExpression", "\(Self.weight("a")) / 3"))
                + ","
                + Self.item(
                    "more", "boolean",
                    with: Self.expression("calculatedExpression", "\(Self.weight("third")) + 1 > 1"),
                    more: "\"readOnly\": true"))
        var session = FormSession(form)
        session["a"] = .integer(dividend)
        #expect(session["more"] == .boolean(true))
        #expect(session.problems().errors == [])
    }

    /// Returns variables of the form that each read another one, in this order or reversed.
    private func chain(_ count: Int, first: String, isReversed: Bool = false) -> String {
        let variables = (0..<count).map { index in
            #"{"url": "http://hl7.org/fhir/StructureDefinition/variable", "valueExpression": {"name": "v\#(index)", "language": "text/fhirpath", "expression": "\#(index == 0 ? first : "%v\(index - 1) + 1")"}}"#
        }
        return "\"extension\": [\((isReversed ? variables.reversed() : variables).joined(separator: ", "))]"
    }

    /// Each variable is compiled, and searched for cycles, once; an answer affects those that have been read.
    @Test(arguments: [false, true]) func aLongChainOfVariablesIsRead(isReversed: Bool) throws {
        let count = 20_000
        let form = try form(
            Self.item("a", "integer") + ","
                + Self.item("near", "integer", with: Self.expression("calculatedExpression", "%v5")) + ","
                + Self.item("far", "integer", with: Self.expression("calculatedExpression", "%v\(count - 1)")),
            chain(count, first: Self.weight("a"), isReversed: isReversed))
        #expect(form.problems == [])
        var session = FormSession(form)
        for answer in [1, 7] {
            session["a"] = .integer(answer)
            #expect(session["near"] == .integer(answer + 5))
        }
        // An expression reads at most 100 variables through each other.
        #expect(session["far"] == nil)
        #expect(session.problems().map(\.code) == ["expression-failed"])
        #expect(session.problems().first?.message.contains("More than 100 variables") == true)
    }

    @Test func eachVariableOfALongCycleIsReported() throws {
        let count = 20_000
        let problems = try form(Self.item("a", "integer"), chain(count, first: "%v\(count - 1)")).problems
        #expect(problems.count == count && problems.allSatisfy { $0.code == "expression-cycle" })
        #expect(problems.allSatisfy { $0.message.utf8.count < 2_000 })
        let short = try form(Self.item("a", "integer"), chain(3, first: "%v2"))
        #expect(short.problems.map(\.message).contains { $0.contains("%v2 -> %v1 -> %v0") })
    }

    /// Returns a form with a weight, and a calculated answer of a type that has a unit.
    private func converted(_ type: String, unit: String) throws -> FormSession {
        let unit =
            #"{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit", "valueCoding": {"system": "http://unitsofmeasure.org", "code": "\#(unit)"}}"#
        let form = try form(
            Self.item("w", "quantity") + ","
                + Self.item(
                    "out", type, with: unit, Self.expression("calculatedExpression", Self.weight("w")),
                    more: "\"readOnly\": true"))
        var session = FormSession(form)
        var weight = Quantity()
        weight.value = JSONNumber(text: "1.5")
        weight.system = "http://unitsofmeasure.org"
        weight.code = "kg"
        session["w"] = .quantity(weight)
        return session
    }

    @Test func aCalculatedQuantityIsConvertedToTheUnitOfTheQuestion() throws {
        #expect(try converted("decimal", unit: "g")["out"] == .decimal(1500))
        #expect(try converted("integer", unit: "g")["out"] == .integer(1500))
        let pounds = try converted("quantity", unit: "[lb_av]")
        #expect(pounds["out"]?.quantity?.code == "[lb_av]" && pounds["out"]?.quantity?.value?.text == "3.3069339328")
        #expect(pounds.problems().errors == [])
        // An app that stores the quantity unconverted is right.
        var response = pounds.response()
        response.status = .completed
        var item = response.item[1]
        item.answer = response.item[0].answer
        response.item = [response.item[0], item]
        #expect(!ResponseValidator(pounds.form).problems(in: response).errors.contains("calculated-value"))
    }

    @Test func aUnitOfAnotherKindIsAFailure() throws {
        for type in ["decimal", "quantity"] {
            let session = try converted(type, unit: "cm")
            #expect(session["out"] == nil)
            let problem = try #require(session.problems().first)
            #expect(problem.code == "expression-failed" && problem.message.contains("unit"), "\(problem)")
        }
    }

    @Test func calculatedListsKeepEqualValues() throws {
        let form = try form(
            Self.item("a", "decimal", more: "\"repeats\": true") + ","
                + Self.item(
                    "copy", "decimal", with: Self.expression("calculatedExpression", Self.weight("a")),
                    more: "\"repeats\": true"))
        var session = FormSession(form)
        session[all: "a"] = [.decimal(2), .decimal(2), .decimal(1)]
        #expect(session[all: "copy"] == [.decimal(2), .decimal(2), .decimal(1)])
    }

    @Test func answersOfDevicesAreCalculatedAgain() throws {
        func problems(_ more: String, score: String?) throws -> [ResponseProblem] {
            let form = try form(
                Self.item("a", "integer") + ","
                    + Self.item(
                        "score", "integer", with: Self.expression("calculatedExpression", "\(Self.weight("a")) * 10"),
                        more: more))
            let given = score.map { #", {"linkId": "score", "answer": [{"valueInteger": \#($0)}]}"# } ?? ""
            let response = try response(#"{"linkId": "a", "answer": [{"valueInteger": 2}]}"# + given)
            return ResponseValidator(form).problems(in: response)
        }
        #expect(try problems("\"readOnly\": true", score: "20").map(\.code) == [])
        #expect(try problems("\"readOnly\": true", score: "99999").errors == ["calculated-value"])
        #expect(try problems("\"readOnly\": true", score: nil).warnings == ["calculated-value"])
        #expect(try problems("\"readOnly\": false", score: "99999").map(\.code) == [])
        #expect(try problems("\"readOnly\": false", score: nil).map(\.code) == [])
    }

    @Test func calculationUsesTheTimeOfAuthoring() throws {
        let form = try form(
            Self.item(
                "day", "date", with: Self.expression("calculatedExpression", "today()"), more: "\"readOnly\": true"))
        let given = try response(
            #"{"linkId": "day", "answer": [{"valueDate": "2026-03-02"}]}"#,
            #""status": "completed", "authored": "2026-03-02T00:30:00+12:00""#)
        let now: DateTime = "2026-05-01T00:00:00Z"
        #expect(ResponseValidator(form, now: now).problems(in: given).errors == [])
        let session = FormSession(form, clock: { now })
        let authored: DateTime = "2026-05-02T00:10:00+12:00"
        let later: DateTime = "2026-05-03T00:00:00Z"
        var completed = session
        completed.clock = { later }
        let response = try completed.completedResponse(subject: nil, authored: authored)
        #expect(value(response["item"], "0.answer.0.valueDate") == "2026-05-02")
    }

    @Test func weightsOfOptionsGiveAScore() throws {
        func question(_ linkID: String) -> String {
            Self.item(
                linkID, "choice",
                more: #"""
                    "answerOption": [{"valueCoding": {"system": "urn:s", "code": "no"}, "extension": [{"url":
                    "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": 0}]},
                    {"valueCoding": {"system": "urn:s", "code": "yes", "extension": [{"url":
                    "http://hl7.org/fhir/StructureDefinition/itemWeight", "valueDecimal": 3}]}}]
                    """#)
        }
        let form = try form(
            question("a") + "," + question("b") + ","
                + Self.item(
                    "score", "decimal",
                    with: Self.expression(
                        "calculatedExpression",
                        "%resource.item.where(linkId = 'a' or linkId = 'b').answer.value.weight().sum()")))
        var session = FormSession(form)
        session["a"] = .code("yes", "urn:s")
        #expect(session["score"] == .decimal(3))
        session["b"] = .code("no", "urn:s")
        #expect(session["score"] == .decimal(3))
        // The form's weight has precedence over one that an answer brings.
        var coding = Coding(system: "urn:s", code: "no")
        var mark = Extension(url: "http://hl7.org/fhir/StructureDefinition/itemWeight")
        mark.value = OpenChoice(type: "Decimal", json: .number(JSONNumber(100)))
        coding.extension = [mark]
        session["b"] = .coding(coding)
        #expect(session["score"] == .decimal(3))
    }

    @Test func expressionsDecideAboutOptions() throws {
        let toggle = #"""
            {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-answerOptionsToggleExpression",
             "extension": [{"url": "option", "valueString": "x"}, {"url": "expression", "valueExpression": {"language":
             "text/fhirpath", "expression": "%resource.item.where(linkId = 'more').answer.value = true"}}]}
            """#
        let form = try form(
            Self.item("more", "boolean") + ","
                + Self.item(
                    "a", "choice", with: toggle, more: #""answerOption": [{"valueString": "x"}, {"valueString": "y"}]"#)
                + ","
                + Self.item("names", "string", more: "\"repeats\": true") + ","
                + Self.item(
                    "chosen", "open-choice",
                    with: Self.expression("answerExpression", "%resource.item.where(linkId = 'names').answer.value")))
        var session = FormSession(form)
        #expect(session.options(at: path("a"))?.map(\.value.text) == ["y"])
        session["a"] = .text("x")
        #expect(session.problems().errors == ["option"])
        session["more"] = .yes()
        #expect(session.options(at: path("a"))?.map(\.value.text) == ["x", "y"])
        #expect(session.problems().errors == [])
        session[all: "names"] = [.text("Ann"), .text("Ben")]
        #expect(session.options(at: path("chosen"))?.map(\.value.text) == ["Ann", "Ben"])
    }

    @Test func rulesOfTheFormAreChecked() throws {
        let rule = #"""
            {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint", "extension": [
             {"url": "key", "valueId": "c-1"}, {"url": "severity", "valueCode": "error"},
             {"url": "human", "valueString": "The end is after the start."},
             {"url": "expression", "valueString": "item.where(linkId = 'from').answer.value <= item.where(linkId = 'to').answer.value"}]}
            """#
        let form = try form(
            Self.item(
                "g", "group", with: rule, more: "\"item\": [\(Self.item("from", "date")), \(Self.item("to", "date"))]"))
        var session = FormSession(form)
        session["from"] = .date("2026-02-01")
        #expect(session.problems().errors == [])
        session["to"] = .date("2026-01-01")
        #expect(session.problems().map(\.message) == ["The end is after the start."])
        #expect(session.problems().errors == ["constraint"])
        session["to"] = .date("2026-03-01")
        #expect(session.problems() == [])
    }

    @Test func textAndLimitFollowAnswers() throws {
        let dynamic = #"""
            "_text": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/cqf-expression", "valueExpression":
            {"language": "text/fhirpath", "expression": "'Dose of ' + %resource.item.where(linkId = 'drug').answer.value"}}]},
            "text": "Dose"
            """#
        let limit = #"""
            {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "_valueInteger": {"extension": [{"url":
            "http://hl7.org/fhir/StructureDefinition/cqf-calculatedValue", "valueExpression": {"language": "text/fhirpath",
            "expression": "%resource.item.where(linkId = 'most').answer.value"}}]}}
            """#
        let form = try form(
            Self.item("drug", "string") + "," + Self.item("most", "integer") + ","
                + Self.item("dose", "integer", with: limit, more: dynamic))
        var session = FormSession(form)
        #expect(session.text(at: path("dose")) == "Dose")
        session["drug"] = .text("A")
        #expect(session.text(at: path("dose")) == "Dose of A")
        session["dose"] = .integer(5)
        #expect(session.problems().errors == [])
        session["most"] = .integer(4)
        #expect(session.problems().errors == ["max-value"])
        #expect(session.limits(at: path("dose")).maximum == .integer(4))
    }

    @Test func populationMakesRepetitions() throws {
        let form = try form(
            Self.item(
                "name", "group", with: Self.expression("itemPopulationContext", "%patient.name", variable: "name"),
                more:
                    "\"repeats\": true, \"item\": [\(Self.item("family", "string", with: Self.expression("initialExpression", "%name.family")))]"
            ))
        var context = FormContext()
        context["patient"] = Resource(
            try #require(
                try JSON(parsing: #"{"resourceType": "Patient", "name": [{"family": "A"}, {"family": "B"}]}"#).object))
        let session = FormSession(form, context: context)
        #expect(session.instanceCount(at: path("name")) == 2)
        #expect(session["name/family"] == .text("A"))
        #expect(session["name[1]/family"] == .text("B"))
    }

    @Test func queryIsExecutedByTheCaller() throws {
        let variable = #"""
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/variable", "valueExpression": {"name": "found",
            "language": "application/x-fhir-query", "expression": "Observation?patient={{%patient.id}}&code=a b"}}]
            """#
        let form = try form(
            Self.item("n", "integer", with: Self.expression("initialExpression", "%found.entry.count()")), variable)
        var context = FormContext(query: { query in
            #expect(query == "Observation?patient=p%201&code=a b")
            let bundle = try? JSON(parsing: #"{"resourceType": "Bundle", "entry": [{}, {}]}"#).object
            return bundle.map { [.element(TypedElement(resource: $0))] }
        })
        context["patient"] = Resource(
            try #require(try JSON(parsing: #"{"resourceType": "Patient", "id": "p 1"}"#).object))
        #expect(FormSession(form, context: context)["n"] == .integer(2))
    }
}
