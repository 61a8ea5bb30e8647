import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import TerminalSurvey
import TestSupport
import Testing

@Suite struct DialogueTests {
    private static let items = """
        {"linkId": "hello", "type": "display", "text": "Welcome."},
        {"linkId": "smoke", "type": "boolean", "text": "Do you smoke?", "required": true},
        {"linkId": "many", "type": "integer", "text": "How many a day?", "required": true,
         "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 99}],
         "enableWhen": [{"question": "smoke", "operator": "=", "answerBoolean": true}],
         "item": [{"linkId": "help", "type": "display", "text": "Count roll-ups too."}]},
        {"linkId": "fruit", "type": "open-choice", "text": "Which fruit?", "repeats": true, "prefix": "3.", "answerOption": [
          {"valueCoding": {"code": "a", "display": "Apple"}}, {"valueCoding": {"code": "b", "display": "Pear"}},
          {"valueString": "none", "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive", "valueBoolean": true}]}]},
        {"linkId": "pets", "type": "group", "text": "A pet", "repeats": true, "item": [
          {"linkId": "name", "type": "string", "text": "Its name?", "required": true}]},
        {"linkId": "bye", "type": "display", "text": "Thank you."}
        """

    /// Enters the lines one after the other, and returns the output of each.
    private func talk(_ dialogue: inout SurveyDialogue, _ lines: String...) -> [[String]] {
        lines.map { dialogue.take($0).lines }
    }

    @Test func choicesOfAnExpressionHaveTheTextOfTheirColumn() throws {
        let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
        var dialogue = SurveyDialogue(
            try form(
                """
                {"linkId": "q", "type": "reference", "text": "Who?", "extension": [
                 {"url": "\(sdc)candidateExpression", "valueExpression": {"language": "text/fhirpath", "expression": "%questionnaire.contained"}},
                 {"url": "\(sdc)choiceColumn", "extension": [
                  {"url": "path", "valueString": "name.text"}, {"url": "forDisplay", "valueBoolean": true}]}]},
                {"linkId": "r", "type": "string", "text": "Why?"}
                """, #""contained": [{"resourceType": "Practitioner", "id": "1", "name": [{"text": "Dr Poe"}]}]"#))
        #expect(
            dialogue.prompt == [
                "[1/2] Who?", "  1) Dr Poe",
                "  (the number of an answer, or a reference such as Patient/1; Enter skips; back, pause)",
            ])
        #expect(talk(&dialogue, "1", "back") == [[], []])
        #expect(dialogue.prompt.contains { $0.contains("Dr Poe") && !$0.contains("1)") }, "\(dialogue.prompt)")
        #expect(talk(&dialogue, "Patient/7") == [[]])
        #expect(dialogue.session.answers(at: path("q")).map { $0.json["reference"]?.string } == ["Patient/7"])
    }

    @Test func dialogueAsksAllQuestionsOfAForm() throws {
        var dialogue = SurveyDialogue(try form(Self.items))
        #expect(
            dialogue.prompt == [
                "Welcome.", "[1/2] Do you smoke? *", "  1) yes", "  2) no",
                "  (the number of an answer, or y or n; back, pause)",
            ])
        #expect(talk(&dialogue, "", "perhaps")[0] == ["This question needs an answer."])
        #expect(dialogue.current == .question(path("smoke")), "neither moved it on")
        #expect(talk(&dialogue, "1") == [[]])
        #expect(
            dialogue.prompt == [
                "[2/3] How many a day? *", "  Count roll-ups too.", "  (a whole number; back, pause)",
            ])
        #expect(talk(&dialogue, "100") == [["The answer is above the greatest value."]])
        #expect(talk(&dialogue, "a few").first?.first?.hasPrefix("That is no answer") == true)
        #expect(talk(&dialogue, "20") == [[]])
        #expect(
            dialogue.prompt == [
                "[3/3] 3. Which fruit?", "  1) Apple", "  2) Pear", "  3) none",
                "  (the number of an answer, or your own words; several separated by commas; Enter skips; back, pause)",
            ])
        #expect(talk(&dialogue, "1,3") == [["One of the chosen answers excludes all others."]])
        #expect(talk(&dialogue, "2, kiwi, 2") == [[]])
        #expect(dialogue.prompt == ["Fill in: A pet? (y/N)"])
        #expect(talk(&dialogue, "perhaps", "y") == [["Type y or n."], []])
        #expect(dialogue.prompt == ["== A pet", "[4/4] Its name? *", "  (text; back, pause)"])
        #expect(talk(&dialogue, "Rex") == [[]])
        #expect(dialogue.prompt == ["Another one: A pet? (y/N)"])
        #expect(talk(&dialogue, "y", "Tom", "n") == [[], [], ["Thank you."]])
        #expect(dialogue.isFinished && dialogue.prompt.isEmpty)
        let items = dialogue.session.response()["item"]
        #expect(
            items?.text() == """
                [{"linkId":"smoke","text":"Do you smoke?","answer":[{"valueBoolean":true}]},\
                {"linkId":"many","text":"How many a day?","answer":[{"valueInteger":20}]},\
                {"linkId":"fruit","text":"Which fruit?","answer":[{"valueCoding":{"code":"b","display":"Pear"}},\
                {"valueString":"kiwi"}]},\
                {"linkId":"pets","text":"A pet","item":[{"linkId":"name","text":"Its name?","answer":[{"valueString":"Rex"}]}]},\
                {"linkId":"pets","text":"A pet","item":[{"linkId":"name","text":"Its name?","answer":[{"valueString":"Tom"}]}]}]
                """)
        #expect(dialogue.session.problems().isEmpty)
    }

    @Test func backReturnsThroughTheEnabledQuestions() throws {
        var dialogue = SurveyDialogue(try form(Self.items))
        #expect(talk(&dialogue, "back") == [["This is the first question."]])
        #expect(talk(&dialogue, "y", "5", "back", "BACK") == [[], [], [], []])
        #expect(dialogue.current == .question(path("smoke")))
        #expect(dialogue.prompt.contains("  1) yes (chosen)"))
        #expect(talk(&dialogue, "n") == [[]])
        #expect(dialogue.current == .question(path("fruit")), "what is not enabled is not asked")
        #expect(talk(&dialogue, "back", "y") == [[], []])
        #expect(dialogue.prompt.last?.contains("Enter keeps: 5") == true, "the answer came back")
        #expect(talk(&dialogue, "") == [[]])
        #expect(dialogue.current == .question(path("fruit")))
        #expect(talk(&dialogue, "", "back") == [[], []])
        #expect(dialogue.current == .question(path("fruit")))
    }

    @Test func commandAfterABackslashIsAnAnswer() throws {
        var dialogue = SurveyDialogue(
            try form(#"{"linkId": "a", "type": "string"}, {"linkId": "b", "type": "string"}"#))
        #expect(talk(&dialogue, #"\back"#, #"\\x"#) == [[], []])
        #expect(dialogue.session.answers(at: path("a")) == [.text("back")])
        #expect(dialogue.session.answers(at: path("b")) == [.text(#"\x"#)] && dialogue.isFinished)
    }

    @Test func clearRemovesTheAnswer() throws {
        var dialogue = SurveyDialogue(
            try form(
                #"{"linkId": "a", "type": "string", "initial": [{"valueString": "x"}]}, {"linkId": "b", "type": "string"}"#
            ))
        #expect(talk(&dialogue, "clear") == [["The answer is removed."]])
        #expect(dialogue.session.answers(at: path("a")).isEmpty && dialogue.current == .question(path("a")))
    }

    @Test func pausedFormContinuesWhereItStopped() throws {
        let form = try form(Self.items)
        let lines = ["y", "20", "1", "y", "Rex", "y", "Tom", "n"]
        var whole = SurveyDialogue(form)
        for line in lines { _ = whole.take(line) }
        #expect(whole.isFinished)
        // Paused after every line, and again after a pause, the result is the same.
        var dialogue = SurveyDialogue(form)
        for line in lines {
            let paused = dialogue.take("pause")
            #expect(paused.isPaused)
            let resumed = try #require(SurveyDialogue(form, resuming: try JSON(dialogue.state.bytes())))
            #expect(resumed.current == dialogue.current && resumed.prompt == dialogue.prompt)
            dialogue = resumed
            _ = dialogue.take(line)
        }
        #expect(dialogue.isFinished)
        #expect(dialogue.session.response().json == whole.session.response().json)
    }

    @Test func theStateKeepsAnswersThatAreNotEnabled() throws {
        let form = try form(Self.items)
        var dialogue = SurveyDialogue(form)
        for line in ["y", "7", "back", "back", "n"] { _ = dialogue.take(line) }
        var resumed = try #require(SurveyDialogue(form, resuming: dialogue.state))
        _ = resumed.take("back")
        _ = resumed.take("y")
        #expect(resumed.session.answers(at: path("many")) == [.integer(7)])
    }

    @Test func stateOfAnotherFormIsRefused() throws {
        let dialogue = SurveyDialogue(try form(Self.items))
        let other = QuestionnaireForm(Questionnaire(JSONObject(resourceType: "Questionnaire", id: "other")))
        #expect(SurveyDialogue(other, resuming: dialogue.state) == nil)
        #expect(SurveyDialogue(try form(Self.items), resuming: "nonsense") == nil)
        #expect(SurveyDialogue(try form(Self.items), resuming: [:]) == nil)
    }

    @Test func missingAnswersAreAskedForAtTheEnd() throws {
        // The group is required: each of its questions may be skipped, but not all.
        let form = try form(
            """
            {"linkId": "g", "type": "group", "required": true, "item": [
              {"linkId": "a", "type": "string"}, {"linkId": "b", "type": "string"}]}
            """)
        var dialogue = SurveyDialogue(form)
        #expect(
            talk(&dialogue, "", "") == [
                [], ["Something is left to do: At least one question of this group needs an answer."],
            ])
        #expect(dialogue.current == .question(path("g", "a")))
        #expect(talk(&dialogue, "x", "") == [[], []])
        #expect(dialogue.isFinished)
    }

    @Test func itemsBelowAnAnswerFollowIt() throws {
        let form = try form(
            """
            {"linkId": "drug", "type": "string", "text": "Which?", "repeats": true, "item": [
              {"linkId": "dose", "type": "quantity", "text": "How much?", "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit",
                 "valueCoding": {"system": "u", "code": "mg"}}]}]}
            """)
        var dialogue = SurveyDialogue(form)
        _ = dialogue.take("one; two, too")
        #expect(dialogue.prompt.first == "-- one")
        #expect(dialogue.prompt.last == "  (a number in mg; Enter skips; back, pause)")
        _ = dialogue.take("5")
        #expect(dialogue.prompt.first == "-- two, too")
        _ = dialogue.take("6.0")
        #expect(dialogue.isFinished)
        #expect(
            value(dialogue.session.response()["item"], "0.answer.1")?.text() == """
                {"valueString":"two, too","item":[{"linkId":"dose","text":"How much?","answer":[\
                {"valueQuantity":{"value":6.0,"unit":"mg","system":"u","code":"mg"}}]}]}
                """)
    }

    @Test func attachmentQuestionAsksForAFileAndAttachesIt() throws {
        let form = try form(
            """
            {"linkId": "photo", "type": "attachment", "required": true, "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/mimeType", "valueCode": "image/png"}]}
            """)
        var dialogue = SurveyDialogue(form)
        let reply = dialogue.take("photo.png")
        #expect(reply.wantedFile == "photo.png" && reply.lines.isEmpty)
        #expect(dialogue.attach(nil, contentType: nil, title: nil).lines == ["The file cannot be read."])
        let refused = dialogue.attach(Data([1, 2, 3]), contentType: "text/plain", title: "x.txt")
        #expect(refused.lines == ["Files of this type are not taken."])
        _ = dialogue.attach(Data([1, 2, 3]), contentType: "image/png", title: "photo.png")
        #expect(dialogue.isFinished)
        #expect(
            value(dialogue.session.response()["item"], "0.answer.0.valueAttachment")?.text()
                == #"{"contentType":"image/png","data":"AQID","size":3,"title":"photo.png"}"#)
    }

    @Test func dialogueSkipsHiddenAndReadOnlyQuestions() throws {
        let form = try form(
            """
            {"linkId": "h", "type": "string", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-hidden", "valueBoolean": true}]},
            {"linkId": "r", "type": "string", "text": "Your study", "readOnly": true, "initial": [{"valueString": "Sleep"}]},
            {"linkId": "q", "type": "date", "text": "When?"}
            """)
        var dialogue = SurveyDialogue(form)
        #expect(
            dialogue.prompt == [
                "Your study: Sleep", "[1/1] When?", "  (a date such as 2026-01-31; Enter skips; back, pause)",
            ])
        _ = dialogue.take("2026-02-03")
        #expect(dialogue.isFinished)
    }

    @Test func headersNotesAndLinksAreLines() throws {
        func control(_ code: String) -> String {
            """
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl",
             "valueCodeableConcept": {"coding": [{"code": "\(code)"}]}}]
            """
        }
        let form = try form(
            """
            {"linkId": "h", "type": "display", "text": "Top", \(control("header"))},
            {"linkId": "q", "type": "integer", "text": "Pain?", "item": [
              {"linkId": "l", "type": "display", "text": "none", \(control("lower"))},
              {"linkId": "u", "type": "display", "text": "worst", \(control("upper"))}], "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-supportLink", "valueUri": "https://example.org"},
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl",
               "valueCodeableConcept": {"coding": [{"code": "slider"}]}},
              {"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueInteger": 0},
              {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 10}]},
            {"linkId": "f", "type": "display", "text": "Bottom", \(control("footer"))}
            """)
        var dialogue = SurveyDialogue(form)
        #expect(
            dialogue.prompt == [
                "Top", "[1/1] Pain?", "  Lower end: none", "  Upper end: worst", "  More: https://example.org",
                "  (a number from 0 to 10; Enter skips; back, pause)",
            ])
        #expect(talk(&dialogue, "3") == [["Bottom"]])
        #expect(dialogue.isFinished)
    }

    @Test func aFormForOneDirectionHasNoWayBack() throws {
        let form = try form(
            #"{"linkId": "a", "type": "string"}, {"linkId": "b", "type": "string"}"#,
            """
            "extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-entryMode",
             "valueCode": "sequential"}]
            """)
        var dialogue = SurveyDialogue(form)
        #expect(talk(&dialogue, "x", "back")[1] == ["This form is answered in one direction only."])
        #expect(dialogue.current == .question(path("b")) && dialogue.prompt.last == "  (text; Enter skips; pause)")
    }

    @Test func anyInputGivesAResponseWithoutWrongAnswers() throws {
        let seed = Seeded.newSeed()
        let words = [
            "", "y", "n", "1", "2", "3", "1,2", "back", "clear", "x", "2.5", "-1", "t1", "C1", "own; words", "\\back",
            "pause",
            "2026-01-31", "999999999999999999999",
        ]
        for round in 0..<60 {
            var generator = Seeded(seed &+ UInt64(round))
            let form = RandomForm(using: &generator).form
            var dialogue = SurveyDialogue(form)
            for _ in 0..<80 where !dialogue.isFinished {
                let prompt = dialogue.prompt
                #expect(!prompt.isEmpty, "seed \(seed) round \(round)")
                // The number of a question is that of a dialogue that counts all of them.
                let counted = try #require(SurveyDialogue(form, resuming: dialogue.state))
                if counted.session.response() == dialogue.session.response() {
                    #expect(counted.prompt == prompt, "seed \(seed) round \(round)")
                }
                _ = dialogue.take(words.randomElement(using: &generator) ?? "")
                if generator.chance(10) {
                    dialogue = try #require(
                        SurveyDialogue(form, resuming: dialogue.state), "seed \(seed) round \(round)")
                }
            }
            let codes = Set(dialogue.session.problems().errors)
            #expect(codes.isSubset(of: ["required"]), "seed \(seed) round \(round): \(codes)")
        }
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyPublishedFormIsAskedOrFinished() throws {
        let names = try Published.forms()
        #expect(names.count == 124)
        for name in names {
            let dialogue = SurveyDialogue(try Published.form(name))
            #expect(dialogue.prompt.isEmpty == dialogue.isFinished, "\(name)")
        }
    }
}
