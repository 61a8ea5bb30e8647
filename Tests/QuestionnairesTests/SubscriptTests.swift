import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

struct SubscriptTests {
    static func night() throws -> FormSession {
        FormSession(
            try form(
                """
                {"linkId": "night", "type": "group", "item": [
                  {"linkId": "hours", "type": "decimal", "required": true, "extension": [
                    {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueDecimal": 24}]},
                  {"linkId": "quality", "type": "choice", "answerOption": [
                    {"valueCoding": {"system": "s", "code": "good"}}, {"valueCoding": {"system": "s", "code": "bad"}}]}]},
                {"linkId": "drug", "type": "group", "repeats": true, "item": [
                  {"linkId": "name", "type": "string"},
                  {"linkId": "dose", "type": "integer", "repeats": true, "item": [{"linkId": "when", "type": "time"}]}]},
                {"linkId": "thanks", "type": "display", "text": "Thank you"}
                """))
    }

    /// Returns the code with which the body is refused, or nil if it is not.
    func code(_ body: () throws(ResponseProblem) -> Void) -> String? {
        do throws(ResponseProblem) {
            try body()
            return nil
        } catch { return error.code }
    }

    @Test func anAnswerIsSetAndReadByItsPath() throws {
        var session = try Self.night()
        session["night/hours"] = .decimal(7.5)
        session["quality"] = .coding(Coding(system: "s", code: "good"))
        #expect(session["hours"] == .decimal(7.5) && session["night/hours"]?.json == .number(JSONNumber(text: "7.5")!))
        guard case .coding(let coding)? = session["night/quality"] else { throw Failure() }
        #expect(coding.code == "good")
        #expect(
            session.response()["item"]?[0]?["item"]?[0]?["answer"] == [
                ["valueDecimal": .number(JSONNumber(text: "7.5")!)]
            ])
        session["night/hours"] = nil
        #expect(session["hours"] == nil && session.problems().errors == ["required"])
    }

    @Test func decimalsKeepTheirDigits() throws {
        var session = try Self.night()
        for text in ["7.50", "0.1", "1e1", "12.00000000000000000000000000000000000001", "-0.0"] {
            let number = try #require(JSONNumber(text: text))
            session["hours"] = .decimal(number)
            #expect(session["hours"]?.json.number?.text == text)
            guard case .decimal(let read)? = session.response().item.first?.item.first?.answer.first?.value else {
                throw Failure()
            }
            #expect(read.text == text)
        }
        for (value, text) in [(7.5, "7.5"), (7, "7"), (0.1, "0.1"), (3.133, "3.133"), (-2, "-2"), (1e-7, "1e-07")] {
            #expect(AnswerValue.decimal(value).json.number?.text == text)
        }
    }

    @Test func nonFiniteNumbersAreRefusedAndNotSent() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            var session = try Self.night()
            #expect(
                code { () throws(ResponseProblem) in try session.set(.decimal(value), at: "hours") }
                    == "answer-malformed")
            session["hours"] = .decimal(value)
            #expect(session.problems().errors == ["answer-malformed"])
        }
    }

    @Test func repetitionIsAddressedByItsNumberAndOnlyTheNextIsCreated() throws {
        var session = try Self.night()
        session["drug/name"] = .string("a")
        session["drug[1]/name"] = .string("b")
        #expect(session["drug[0]/name"] == .string("a") && session["name"] == .string("a"))
        #expect(session["drug[1]/name"] == .string("b") && session["drug[2]/name"] == nil)
        #expect(
            code { () throws(ResponseProblem) in try session.set(.string("d"), at: "drug[3]/name") }
                == "repetition-missing")
        #expect(
            code { () throws(ResponseProblem) in try session.set(.string("d"), at: "night[1]/quality") }
                == "repetition-missing")
        #expect(session.instanceCount(at: path("drug")) == 2, "a refused answer makes no group")
        session["drug[1]/dose"] = .integer(5)
        session["drug[1]/dose[1]"] = .integer(10)
        #expect(session[all: "drug[1]/dose"] == [.integer(5), .integer(10)])
        session["drug[1]/dose[0]"] = .integer(6)
        #expect(session[all: "drug[1]/dose"] == [.integer(6), .integer(10)])
        session["drug[1]/dose[1]/when"] = .time(try #require(TimeOfDay("08:30:00")))
        #expect(session["drug[1]/dose/when"] == nil && session["drug[1]/dose[1]/when"]?.json == "08:30:00")
        #expect(
            code { () throws(ResponseProblem) in try session.set(.integer(1), at: "drug[1]/dose[3]") }
                == "repetition-missing")
        #expect(
            code { () throws(ResponseProblem) in try session.set(nil, at: "drug/dose/when") } == "parent-unanswered")
        session["drug[1]/dose[0]"] = nil
        #expect(session[all: "drug[1]/dose"] == [.integer(10)])
        #expect(session["drug[1]/dose[0]/when"]?.json == "08:30:00", "what is below stays with its answer")
        session[all: "drug/dose"] = [.integer(1), .integer(2)]
        session["drug/dose"] = .integer(3)
        #expect(session[all: "drug/dose"] == [.integer(3)])
        #expect(session.problems(status: .inProgress).isEmpty)
    }

    @Test func invalidAnswerIsKeptAndReported() throws {
        var session = try Self.night()
        session["hours"] = .decimal(25)
        #expect(session["hours"] == .decimal(25))
        #expect(session.problems(at: "hours").errors == ["max-value"] && session.problems().errors == ["max-value"])
        session["hours"] = .integer(8)
        #expect(session.problems(at: "night/hours").errors == ["answer-type"])
        session[all: "hours"] = [.decimal(7), .decimal(8)]
        #expect(session.problems(at: "hours").errors == ["repeats"] && session.problems().errors == ["repeats"])
        session["hours"] = .decimal(8)
        #expect(session.problems(at: "hours").isEmpty && session.problems().isEmpty)
    }

    @Test(arguments: [
        ("nights/hours", "item-misplaced"), ("hour", "link-id-unknown"), ("", "link-id-unknown"),
        ("drug/hours", "item-misplaced"), ("night", "group-answered"), ("drug[0]", "group-answered"),
        ("thanks", "display-answered"), ("drug[1]/dose/when", "parent-unanswered"),
        ("drug[7]/name", "repetition-missing"),
    ])
    func answerWithoutAValidPathIsReportedUntilItIsReplaced(path: String, expected: String) throws {
        var session = try Self.night()
        session["hours"] = .decimal(8)
        session[path] = .string("lost")
        #expect(session[path] == nil)
        #expect(session.problems().errors == [expected] && session.problems(at: path).errors == [expected])
        session[path] = .string("again")
        #expect(session.problems().count == 1, "told once")
        let refusal = code { () throws(ResponseProblem) in try session.set(.string("lost"), at: path) }
        #expect(refusal == expected)
        #expect(throws: IncompleteResponse.self) { try session.completedResponse(subject: nil, authored: nil) }
    }

    @Test func refusedPathIsForgottenAfterAnAnswerIsSetThere() throws {
        var session = try Self.night()
        session["hours"] = .decimal(8)
        session["drug[1]/dose[0]/when"] = nil
        session["drug[2]/name"] = .string("c")
        #expect(session.problems().map(\.code) == ["parent-unanswered", "repetition-missing"])
        session["drug[1]/name"] = .string("b")
        session["drug[2]/name"] = .string("c")
        session["drug[1]/dose"] = .integer(1)
        session["drug[1]/dose[0]/when"] = nil
        #expect(session.problems().isEmpty)
    }

    @Test func settingThrowsBeforeAnythingChanges() throws {
        var session = try Self.night()
        try session.set(.decimal(8), at: "hours")
        let before = session.snapshot
        for (value, path, expected) in [
            (AnswerValue.decimal(24.5), "hours", "max-value"), (.string("8"), "hours", "answer-type"),
            (.coding(Coding(system: "s", code: "so-so")), "quality", "option"),
            (.integer(1), "drug[1]/name", "answer-type"), (.string(""), "drug/name", "answer-malformed"),
        ] {
            #expect(code { () throws(ResponseProblem) in try session.set(value, at: path) } == expected)
            #expect(session.snapshot == before, "\(path)")
        }
        #expect(
            code { () throws(ResponseProblem) in try session.set([.decimal(1), .decimal(2)], at: "hours") } == "repeats"
        )
        try session.set([], at: "hours")
        #expect(session["hours"] == nil)
    }

    @Test func completedResponseIsCheckedAndReportsItsProblems() throws {
        var session = try Self.night()
        session["quality"] = .coding(Coding(system: "s", code: "bad"))
        let error = #expect(throws: IncompleteResponse.self) {
            try session.completedResponse(subject: nil, authored: nil)
        }
        #expect(error?.problems.errors == ["required"] && error?.code == "response-invalid")
        #expect(error?.message.contains("hours") == true)
        session["hours"] = .decimal(8)
        let response = try session.completedResponse(subject: "Patient/p", authored: .now())
        #expect(response.status == .completed && response.subject?.reference == "Patient/p" && response.authored != nil)
        #expect(response.json == session.response(subject: "Patient/p", authored: response.authored).json)
    }
}

struct Failure: Error {}
