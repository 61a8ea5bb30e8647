import FHIR
import Foundation
import QuestionnairesTestSupport
import TestSupport
import Testing

@testable import FormRendering
@testable import Questionnaires

/// The pages and elements of plans.
@Suite struct RenderPlanTests {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"

    private static func control(_ code: String) -> String {
        """
        {"url": "\(core)questionnaire-itemControl", "valueCodeableConcept": {"coding": [{"code": "\(code)"}]}}
        """
    }

    private func plan(_ items: String, _ more: String = "") throws -> RenderPlan {
        RenderPlan(FormSession(try form(items, more)))
    }

    /// Returns the elements of a plan, a line for each page.
    private func outline(_ plan: RenderPlan) -> [String] {
        plan.pages.map { page in
            let group = page.group.map { "\($0.path): " } ?? ""
            return group
                + page.elements.map { element in
                    switch element {
                    case .section: "#\(element.path)"
                    case .text: "'\(element.path)"
                    case .answer: "=\(element.path)"
                    case .question: "\(element.path)"
                    case .repetition: "+\(element.path)"
                    }
                }.joined(separator: " ")
        }
    }

    @Test func eachItemAtTheTopIsAPage() throws {
        let plan = try plan(
            """
            {"linkId": "hello", "type": "display", "text": "Hello"}, {"linkId": "a", "type": "string"},
            {"linkId": "g", "type": "group", "text": "G", "item": [
              {"linkId": "b", "type": "string"},
              {"linkId": "inner", "type": "group", "item": [{"linkId": "c", "type": "string"}]}]}
            """)
        #expect(outline(plan) == ["'hello", "a", "g: g/b #g/inner g/inner/c"])
    }

    @Test func eachRepetitionOfAGroupAtTheTopIsAPage() throws {
        var session = FormSession(
            try form(
                """
                {"linkId": "g", "type": "group", "repeats": true, "item": [{"linkId": "a", "type": "string"}]}
                """))
        session.ensureGroup(at: path(("g", 1)))
        #expect(outline(RenderPlan(session)) == ["g: g/a", "g[1]: g[1]/a +g[2]"])
    }

    @Test func groupWithTheControlPageIsAPageInItsGroup() throws {
        let items = """
            {"linkId": "g", "type": "group", "text": "G", "extension": [EXTENSION], "item": [
              {"linkId": "a", "type": "string"},
              {"linkId": "p", "type": "group", "extension": [\(Self.control("page"))],
               "item": [{"linkId": "b", "type": "string"}]},
              {"linkId": "c", "type": "string"}]}
            """
        #expect(
            outline(try plan(items.replacing("EXTENSION", with: ""))) == ["g: g/a", "g/p: g/p/b", "g: g/c"])
        #expect(
            outline(try plan(items.replacing("EXTENSION", with: Self.control("list"))))
                == ["g: g/a #g/p g/p/b g/c"], "a list is not divided")
    }

    @Test func hiddenItemsAreOmittedWithTheirContent() throws {
        let hidden = "\"extension\": [{\"url\": \"\(Self.core)questionnaire-hidden\", \"valueBoolean\": true}]"
        let plan = try plan(
            """
            {"linkId": "h", "type": "group", \(hidden), "item": [{"linkId": "in", "type": "string"}]},
            {"linkId": "q", "type": "string", \(hidden)}, {"linkId": "a", "type": "string"}
            """)
        #expect(outline(plan) == ["a"])
    }

    @Test func disabledItemsAreOmittedUnlessTheirDisplayIsProtected() throws {
        let url = "http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.disabledDisplay"
        let when = "\"enableWhen\": [{\"question\": \"a\", \"operator\": \"=\", \"answerBoolean\": true}]"
        let items = """
            {"linkId": "a", "type": "boolean"}, {"linkId": "b", "type": "string", \(when)},
            {"linkId": "c", "type": "string", \(when), "extension": [{"url": "\(url)", "valueCode": "protected"}]},
            {"linkId": "d", "type": "string", \(when), "extension": [{"url": "\(url)", "valueCode": "hidden"}]},
            {"linkId": "g", "type": "group", \(when), "extension": [{"url": "\(url)", "valueCode": "protected"}],
             "item": [{"linkId": "e", "type": "string"}]}
            """
        var session = FormSession(try form(items))
        session["c"] = .text("kept")
        var plan = RenderPlan(session)
        #expect(outline(plan) == ["a", "c", "g: g/e"])
        let question = try #require(plan.pages[1].questions.first)
        #expect(!question.isEnabled && !question.isAnswerable)
        #expect(question.answers.isEmpty, "an answer of a disabled item is treated as absent")
        session["a"] = .yes()
        plan = RenderPlan(session)
        #expect(outline(plan) == ["a", "b", "c", "d", "g: g/e"])
        #expect(plan.pages[2].questions.first?.answers == [.text("kept")])
    }

    @Test func itemsBelowAnswersFollowEachAnswer() throws {
        var session = FormSession(
            try form(
                """
                {"linkId": "drug", "type": "string", "repeats": true, "item": [
                  {"linkId": "dose", "type": "integer"}, {"linkId": "help", "type": "display", "text": "Any drug"}]}
                """))
        #expect(outline(RenderPlan(session)) == ["drug"])
        session[all: "drug"] = [.text("a"), .text("b")]
        let plan = RenderPlan(session)
        #expect(outline(plan) == ["drug =drug drug/dose =drug[1] drug[1]/dose"])
        #expect(plan.pages.first?.questions.first?.notes == [.init(role: .inline, text: RenderText("Any drug"))])
    }

    @Test func displayItemsWithARoleBelongToTheirQuestionOrGroup() throws {
        let roles = ["prompt", "unit", "lower", "upper", "flyover", "help"]
        let displays = roles.map {
            "{\"linkId\": \"\($0)\", \"type\": \"display\", \"text\": \"\($0)!\", \"extension\": [\(Self.control($0))]}"
        }.joined(separator: ", ")
        let plan = try plan(
            """
            {"linkId": "g", "type": "group", "text": "G", "item": [
              {"linkId": "h", "type": "display", "text": "group help", "extension": [\(Self.control("help"))]},
              {"linkId": "q", "type": "integer", "item": [\(displays)]}]}
            """)
        #expect(outline(plan) == ["g: g/q"])
        let question = try #require(plan.pages.first?.questions.first)
        for role in roles { #expect(question.notes(try #require(RenderRole(rawValue: role))) == ["\(role)!"]) }
        #expect(plan.pages.first?.group?.notes.map(\.text.plain) == ["group help"])
    }

    @Test func headersAndFootersAreOnEachPage() throws {
        let plan = try plan(
            """
            {"linkId": "top", "type": "display", "text": "Top", "extension": [\(Self.control("header"))]},
            {"linkId": "a", "type": "string"},
            {"linkId": "g", "type": "group", "item": [
              {"linkId": "bottom", "type": "group", "text": "Bottom", "extension": [\(Self.control("footer"))],
               "item": [{"linkId": "more", "type": "display", "text": "of G"}]},
              {"linkId": "b", "type": "string"}]}
            """)
        #expect(outline(plan) == ["a", "g: g/b"])
        #expect(plan.pages.map { $0.header.map(\.plain) } == [["Top"], ["Top"]])
        #expect(plan.pages.map { $0.footer.map(\.plain) } == [[], ["Bottom", "of G"]])
    }

    @Test func headerWithQuestionsIsAGroup() throws {
        let plan = try plan(
            """
            {"linkId": "top", "type": "group", "extension": [\(Self.control("header"))],
             "item": [{"linkId": "a", "type": "string"}]}
            """)
        #expect(outline(plan) == ["top: top/a"])
        #expect(plan.pages.first?.group?.control == .header)
    }

    @Test func pagesAreReachedInTheEntryMode() throws {
        let items = #"{"linkId": "a", "type": "string"}, {"linkId": "b", "type": "string"}"#
        func plan(_ mode: String) throws -> RenderPlan {
            try self.plan(
                items,
                """
                "extension": [{"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-entryMode",
                 "valueCode": "\(mode)"}]
                """)
        }
        let sequential = try plan("sequential")
        #expect(sequential.entryMode == .sequential && !sequential.allowsBack)
        #expect(sequential.page()?.path == path("a") && sequential.page(after: path("a"))?.path == path("b"))
        #expect(sequential.page(before: path("b")) == nil && sequential.page(after: path("b")) == nil)
        for mode in ["prior-edit", "random"] {
            let plan = try plan(mode)
            #expect(plan.entryMode.rawValue == mode && plan.page(before: path("b"))?.path == path("a"))
        }
        #expect(try self.plan(items).entryMode == .priorEdit)
    }

    @Test func progressCountsVisibleQuestions() throws {
        var session = FormSession(
            try form(
                """
                {"linkId": "a", "type": "string"}, {"linkId": "r", "type": "string", "readOnly": true},
                {"linkId": "g", "type": "group", "item": [{"linkId": "b", "type": "string"}]}
                """))
        session["b"] = .text("x")
        let progress = RenderPlan(session).progress
        #expect(progress == (1, 2))
        #expect(session.questionNumber(of: path("g", "b"), scope: RenderScope()) == (2, 2))
    }

    @Test func aWalkContinuesAfterAnyItem() throws {
        let seed = Seeded.newSeed()
        for round in 0..<200 {
            var generator = Seeded(seed &+ UInt64(round))
            let random = RandomForm(using: &generator)
            var session = FormSession(random.form)
            for item in random.all.values.sorted(by: { $0.linkID < $1.linkID }) {
                guard !["group", "display"].contains(item.type) else { continue }
                session[item.linkID] = RandomForm.answer(item.type, &generator)
            }
            for includesDisabled in [false, true] {
                let scope = RenderScope(includesDisabled: includesDisabled, opened: includesDisabled ? nil : [])
                let all = Array(RenderWalk(session, scope: scope))
                for (index, visit) in all.enumerated() {
                    let isStop =
                        switch visit.kind {
                        case .question: visit.isAnswerable
                        case .repetition: visit.path.steps.last?.instance ?? 0 > 0
                        case .section, .text, .answer: false
                        }
                    // Of disabled items only whole walks are made.
                    guard isStop, !includesDisabled else { continue }
                    let rest = Array(RenderWalk(session, scope: scope, after: visit.path))
                    #expect(
                        rest.map { "\($0.kind) \($0.path)" } == all[(index + 1)...].map { "\($0.kind) \($0.path)" },
                        "seed \(seed) round \(round) after \(visit.path)")
                }
            }
        }
    }

    @Test func theQuestionsOfAPlanAreTheVisibleEntries() throws {
        let seed = Seeded.newSeed()
        for round in 0..<200 {
            var generator = Seeded(seed &+ UInt64(round))
            let random = RandomForm(using: &generator)
            var session = FormSession(random.form)
            for item in random.all.values.sorted(by: { $0.linkID < $1.linkID }) where generator.chance(60) {
                guard !["group", "display"].contains(item.type) else { continue }
                session[item.linkID] = RandomForm.answer(item.type, &generator)
            }
            let questions = RenderPlan(session).pages.flatMap(\.questions)
            let entries = session.entries().filter { $0.item.isQuestion }
            #expect(questions.map(\.path) == entries.map(\.path), "seed \(seed) round \(round)")
            #expect(questions.map(\.answers) == entries.map(\.answers), "seed \(seed) round \(round)")
        }
    }

    @Test func aFormWithRepeatedLinkIDsEnds() throws {
        let plan = try plan(
            """
            {"linkId": "a", "type": "string"}, {"linkId": "a", "type": "integer"}, {"type": "display", "text": "x"},
            {"type": "display", "text": "y"}, {"type": "string"}, {"type": "integer"}
            """)
        #expect(plan.pages.count == 3, "a path leads to the first of two items")
    }

    @Test(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyPublishedFormHasItsQuestionsInThePlan() throws {
        for name in try Published.forms() {
            let form = try Published.form(name)
            let plan = RenderPlan(FormSession(form), scope: RenderScope(includesDisabled: true))
            let rendered = Set(plan.pages.flatMap(\.questions).map(\.linkID))
            let asked = form.all.filter { item in
                item.isQuestion && !item.isHidden && !item.ancestors.contains { form.all[$0].isHidden }
            }
            #expect(rendered == Set(asked.map(\.linkID)), "\(name)")
        }
    }
}
