import FHIR
import FormRendering
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// The columns of choices that expressions have.
@Suite struct ChoiceColumnTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private static let doctors = """
        "contained": [
         {"resourceType": "Practitioner", "id": "1", "name": [{"family": "Roe", "given": ["Ann", "Bea"]}],
          "identifier": [{"value": "x"}, {"value": "y"}], "active": true},
         {"resourceType": "Practitioner", "id": "2", "name": [{"text": "Dr Poe"}], "birthDate": "1970-01-02"}]
        """

    private static func column(_ path: String, label: String? = nil, width: Int? = nil, isShown: Bool = false) -> String
    {
        let parts =
            [#"{"url": "path", "valueString": "\#(path)"}"#]
            + [label.map { #"{"url": "label", "valueString": "\#($0)"}"# }].compactMap { $0 }
            + [width.map { #"{"url": "width", "valueQuantity": {"value": \#($0), "code": "%"}}"# }].compactMap { $0 }
            + (isShown ? [#"{"url": "forDisplay", "valueBoolean": true}"#] : [])
        return #"{"url": "\#(sdc)choiceColumn", "extension": [\#(parts.joined(separator: ", "))]}"#
    }

    private static func expression(_ name: String, _ text: String) -> String {
        #"{"url": "\#(sdc)\#(name)", "valueExpression": {"language": "text/fhirpath", "expression": "\#(text)"}}"#
    }

    private func choices(_ extensions: [String], of type: String = "reference", _ more: String = "") throws
        -> QuestionnaireForm
    {
        let item = """
            {"linkId": "q", "type": "\(type)"\(more.isEmpty ? "" : ", " + more), \
            "extension": [\(extensions.joined(separator: ", "))]}
            """
        return try form(item, Self.doctors)
    }

    private func question(_ session: FormSession) throws -> RenderPlan.Question {
        try #require(RenderPlan(session).pages.first?.questions.first)
    }

    @Test func theColumnForDisplayIsTheTextOfAChoice() throws {
        var session = FormSession(
            try choices([
                Self.expression("answerExpression", "%questionnaire.contained"),
                Self.column("birthDate", label: "Born", width: 30),
                Self.column("name", label: "Name", width: 70, isShown: true), Self.column("identifier.value | active"),
            ]))
        #expect(session.form.problems.isEmpty)
        let first = try question(session)
        #expect(first.options.map(\.text.plain) == ["Ann Bea Roe", "Dr Poe"])
        #expect(
            first.options.map(\.cells) == [["", "Ann Bea Roe", "x, y, yes"], ["1970-01-02", "Dr Poe", ""]])
        #expect(first.hints.columns.map(\.label) == ["Born", "Name", nil])
        #expect(first.hints.columns.map(\.width?.value?.text) == ["30", "70", nil])
        #expect(first.hints.columns.map(\.isForDisplay) == [false, true, false] && !first.takesOtherValues)
        session.setAnswers([first.options[1].value], at: path("q"))
        let second = try question(session)
        #expect(second.answers.map { $0.json["reference"]?.string } == ["Practitioner/2"])
        #expect(second.answerTexts == ["Dr Poe"] && second.options.map(\.isSelected) == [false, true])
        #expect(session.problems().isEmpty)
    }

    @Test func withoutAColumnForDisplayAChoiceHasItsOwnText() throws {
        let source = Self.expression("answerExpression", "%questionnaire.contained")
        let columns = [Self.column("birthDate"), Self.column("id")]
        #expect(
            try question(FormSession(try choices([source] + columns))).options.map(\.text.plain)
                == ["Practitioner/1", "Practitioner/2"])
        // A path that finds nothing gives no text; the only column is the text.
        #expect(
            try question(FormSession(try choices([source] + [columns[0]]))).options.map(\.text.plain)
                == ["Practitioner/1", "1970-01-02"])
    }

    @Test func elementsThatAreNoResourcesHaveColumnsToo() throws {
        let form = try choices(
            [
                Self.expression("candidateExpression", "%questionnaire.contained.name"),
                Self.column("family | text", isShown: true),
            ], of: "string")
        // A name without a text is no answer to a question for a text.
        #expect(try question(FormSession(form)).options.map(\.text.plain) == ["Dr Poe"])
    }

    @Test func suggestedAnswersFollowTheOptions() throws {
        let suggested = [
            Self.expression("candidateExpression", "%questionnaire.contained"), Self.column("name", isShown: true),
        ]
        let reference = try question(FormSession(try choices(suggested)))
        #expect(reference.options.map(\.text.plain) == ["Ann Bea Roe", "Dr Poe"] && reference.takesOtherValues)
        let texts = [Self.expression("candidateExpression", "'b' | 'a' | %questionnaire.contained.id")]
        let options = #""answerOption": [{"valueString": "a"}]"#
        let open = try question(FormSession(try choices(texts, of: "string")))
        #expect(open.options.map(\.text.plain) == ["b", "a", "1", "2"] && open.takesOtherValues)
        #expect(try question(FormSession(try choices(texts, of: "string", options))).options.map(\.text.plain) == ["a"])
        // A text of one's own is an answer to an open choice.
        #expect(
            try question(FormSession(try choices(texts, of: "open-choice", options))).options.map(\.value.text)
                == ["a", "b", "1", "2"])
    }

    @Test func aPathThatFailsIsAProblemOfTheQuestion() throws {
        let source = Self.expression("answerExpression", "%questionnaire.contained")
        let failing = FormSession(
            try choices([source, Self.column("identifier.value.single()"), Self.column("%nothing", isShown: true)]))
        #expect(failing.problems().map(\.code) == ["expression-failed", "expression-failed"])
        #expect(failing.problems().allSatisfy { $0.severity == .warning && $0.linkID == "q" })
        let question = try question(failing)
        #expect(question.options.map(\.text.plain) == ["Practitioner/1", "Practitioner/2"])
        #expect(question.options.map(\.cells) == [["", ""], ["", ""]])
    }

    @Test func aPathThatDoesNotParseIsAProblemOfTheForm() throws {
        let source = Self.expression("answerExpression", "%questionnaire.contained")
        for extensions in [[Self.column("name.(")], [Self.column("")]] {
            let form = try choices([source] + extensions)
            #expect(form.problems.map(\.code) == ["expression-invalid"] && form.problems[0].linkID == "q")
        }
        // It is one without choices, too.
        #expect(try choices([Self.column("1 +")]).problems.map(\.code) == ["expression-invalid"])
    }

    @Test func theWorkForColumnsIsLimited() throws {
        let source = Self.expression("answerExpression", "%questionnaire.contained")
        let many = FormSession(try choices([source] + (0..<500).map { _ in Self.column("id") }))
        let question = try question(many)
        #expect(question.hints.columns.count == 20 && question.options.allSatisfy { $0.cells.count == 20 })
        let power = (0..<12).map { _ in ".select(%context.descendants())" }.joined()
        let costly = FormSession(try choices([source, Self.column("descendants()\(power)")]))
        #expect(costly.problems().allSatisfy { $0.code == "expression-failed" } && !costly.problems().isEmpty)
        let long = FormSession(
            try choices([
                source, Self.column("iif(true, 'abcdefghij').replace('', '0123456789').replace('', '0123456789')"),
            ])
        )
        #expect(try self.question(long).options.allSatisfy { $0.text.plain.count <= 1_000 })
    }
}
