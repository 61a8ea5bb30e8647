import FHIR
import Foundation
import InformedConsent
import ResearchKit
import Testing

@testable import ResearchKitAdapter

/// The steps of a consent.
@Suite struct ConsentStepTests {
    private func template(_ more: String = "") throws -> ConsentTemplate {
        let terms = ["Overview", "Privacy", "OnlyInDocument"].map {
            """
            {"type": {"coding": [{"system": "http://researchkit.org/docs/Constants/ORKConsentSectionType", "code": "\($0)"}]},
             "text": "About \($0)"}
            """
        }
        let text = """
            {"resourceType": "Contract", "status": "executable", "title": "A study", "subject": [{"reference": "#e"}], \(more)
             "contained": [{"resourceType": "Group", "id": "e", "type": "person", "actual": false, "characteristic": [
               {"code": {"text": "Are you 18 or older?"}, "valueBoolean": true, "exclude": false},
               {"code": {"text": "Do you work at night?"}, "valueBoolean": true, "exclude": true}]}],
             "term": [\(terms.joined(separator: ", "))]}
            """
        return try ConsentTemplate(try Resource(Data(text.utf8)))
    }

    @Test func aConsentHasEligibilitySectionsSharingAndReview() throws {
        let steps = try template().steps(reason: "I agree.")
        #expect(
            steps.map(\.identifier) == [
                "consent.eligibility", "consent.section.1", "consent.section.2", "consent.sharing", "consent.review",
            ])
        let exceptions = ResearchKitExceptions.exceptions { for step in steps { step.validateParameters() } }
        #expect(exceptions.isEmpty)
        let rows = (steps[0] as? ORKFormStep)?.formItems
        #expect(rows?.map(\.text) == ["Are you 18 or older?", "Do you work at night?"])
        #expect(rows?.allSatisfy { !$0.isOptional } == true)
        #expect(steps[1].title == "Welcome" && steps[1].text == "About Overview")
        let review = try #require(steps[4] as? ORKConsentReviewStep)
        #expect(review.reasonForConsent == "I agree." && review.signature?.identifier == "participant")
        let document = review.consentDocument
        #expect(
            document.sections?.map(\.type) == [.overview, .privacy, .onlyInDocument] && document.title == "A study")
    }

    @Test func sharingIsAskedIfTheContractSpecifiesIt() throws {
        let asks = #""extension": [{"url": "urn:tributary:asks-for-data-sharing", "valueBoolean": false}],"#
        #expect(try template(asks).steps(reason: "").contains { $0.identifier == "consent.sharing" } == false)
    }

    @Test func answersOfAConsentsTaskAreThoseOfItsSession() throws {
        let template = try template()
        let walk = TaskWalk(ORKOrderedTask(identifier: "consent", steps: template.steps(reason: "I agree.")))
        func answer(_ identifier: String, _ value: Bool) {
            let result = ORKBooleanQuestionResult(identifier: identifier)
            result.booleanAnswer = NSNumber(value: value)
            walk.answer(result)
        }
        answer("consent.eligibility.1", true)
        answer("consent.eligibility.2", false)
        while let step = walk.currentStep {
            if step.identifier == "consent.sharing" { answer("consent.sharing", true) }
            walk.goForward()
        }
        let answers = template.answers(of: walk.result)
        #expect(answers.eligibility == ["Are you 18 or older?": true, "Do you work at night?": false])
        #expect(answers.sharing == true)
        #expect(ConsentSession(template: template, answers: answers).verdict.isEligible == true)
    }
}
