import FHIR
import Foundation
import Testing

@testable import Warehouse

@Suite struct FactMappingTests {
    private func line(_ fact: ObservationFact) -> String {
        switch fact.value {
        case .numeric(let number, let code, let units):
            "\(fact.concept) N \(code) \(number) \(units ?? "-") #\(fact.instance)"
        case .text(let text): "\(fact.concept) T \(text) #\(fact.instance)"
        case .blob(let text): "\(fact.concept) B \(text.count) #\(fact.instance)"
        }
    }

    // MARK: Responses

    @Test func everyAnswerIsAFactOfItsQuestion() throws {
        let facts = try mapped(
            response(
                """
                {"linkId":"g","item":[{"linkId":"hours","answer":[{"valueDecimal":7.25}]}]},
                {"linkId":"why","answer":[{"valueString":"noise"}]},{"linkId":"dreamt","answer":[{"valueBoolean":true}]}
                """), questionnaire: try form(sleepForm))
        let survey = SurveyConcepts(try form(sleepForm))
        #expect(
            facts.facts.map(line) == [
                "LOINC:93832-4 N E 7.25 - #1",
                "\(try #require(survey.questions["why"]?.concept.code)) T noise #1",
                "\(try #require(survey.questions["dreamt"]?.concept.code)) T true #1",
            ])
    }

    @Test func eachChoiceIsTheFactOfItsOption() throws {
        let facts = try mapped(
            response(
                """
                {"linkId":"drugs","answer":[
                 {"valueCoding":{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911"}},
                 {"valueCoding":{"system":"http://example.org/own","code":"tea"}},{"valueString":"honey"},
                 {"valueCoding":{"display":"Said in words"}}]}
                """), questionnaire: try form(sleepForm))
        let survey = SurveyConcepts(try form(sleepForm))
        let drugs = try #require(survey.questions["drugs"])
        let question = try #require(drugs.concept.code)
        let tea = try #require(drugs.option(system: "http://example.org/own", code: "tea")?.concept.code)
        #expect(
            facts.facts.map(line) == [
                "RXNORM:1484911 T 1484911 #1", "\(tea) T tea #1", "\(question) T honey #1",
                "\(question) T Said in words #2",
            ])
    }

    @Test func anAnswerWithoutASystemMeansTheOptionWithItsCode() throws {
        let facts = try mapped(
            response(#"{"linkId":"drugs","answer":[{"valueCoding":{"code":"1484911"}}]}"#),
            questionnaire: try form(sleepForm))
        #expect(facts.facts.map(\.concept).contains("RXNORM:1484911"))
    }

    /// The facts are those of the form, which may be published later. The device's texts are no concepts.
    @Test func withoutTheFormTheResponseHasItsFactsAndNoConcepts() throws {
        let json = response(
            """
            {"linkId":"g","text":"Night","item":[{"linkId":"why","text":"Why?","answer":[{"valueString":"noise",
             "item":[{"linkId":"more","answer":[{"valueInteger":2}]}]}]}]}
            """)
        let facts = try mapped(json)
        let known = try mapped(json, questionnaire: try form(sleepForm))
        #expect(facts.facts.count == 2)
        #expect(facts.facts == known.facts, "the codes are the same")
        #expect(facts.concepts.isEmpty)
        #expect(known.concepts.isEmpty, "those of the form are written with the form")
    }

    @Test(arguments: ["sleep", "Questionnaire/sleep", "sleep|2"])
    func formIsFoundByItsIDInAnyFormOfReference(name: String) throws {
        let facts = try mapped(response(#"{"linkId":"why","answer":[{"valueString":"x"}]}"#, form: name))
        #expect(facts.facts.map(\.concept) == [SurveyConcepts.ownCode(formName: "sleep", linkID: "why")])
    }

    @Test func repetitionsOfAGroupHaveTheirOwnInstances() throws {
        let facts = try mapped(
            response(
                """
                {"linkId":"g","item":[{"linkId":"hours","answer":[{"valueDecimal":7}]}]},
                {"linkId":"g","item":[{"linkId":"hours","answer":[{"valueDecimal":7}]}]}
                """), questionnaire: try form(sleepForm))
        #expect(facts.facts.map(\.instance) == [1, 2])
    }

    @Test func resourceEnteredInErrorHasNoFacts() throws {
        let answer = #"{"linkId":"why","answer":[{"valueString":"x"}]}"#
        let wrong = response(answer).replacingOccurrences(of: "completed", with: "entered-in-error")
        #expect(try mapped(wrong).facts.isEmpty)
        let observed = observation(#""valueQuantity":{"value":1}"#)
        #expect(try mapped(observed).facts.count == 1)
        for status in ["entered-in-error", "cancelled"] {
            #expect(try mapped(observed.replacingOccurrences(of: "final", with: status)).facts.isEmpty)
        }
    }

    @Test func resourcesWithoutValuesHaveNoFacts() throws {
        let patient = try Resource(Data(#"{"resourceType":"Patient","id":"p1"}"#.utf8))
        #expect(FactMapping.facts(of: patient, survey: nil, receivedAt: Date()) == nil)
    }

    // MARK: Observations

    @Test func anObservationsNumberIsAFact() throws {
        let facts = try mapped(observation(#""valueQuantity":{"value":72.00,"comparator":"<","code":"/min"}"#))
        #expect(facts.facts.map(line) == ["LOINC:8867-4 N L 72.0 /min #1"])
    }

    @Test func eachComponentIsAFactOfItsOwnCode() throws {
        let facts = try mapped(
            observation(
                """
                "component":[
                 {"code":{"coding":[{"system":"http://snomed.info/sct","code":"271649006"},
                   {"system":"http://loinc.org","code":"8480-6"}]},"valueQuantity":{"value":120,"code":"mm[Hg]"}},
                 {"code":{"coding":[{"system":"http://loinc.org","code":"8462-4"}]},
                  "dataAbsentReason":{"text":"not measured"}},
                 {"code":{"coding":[{"system":"urn:tributary:health-component","code":"workout-heart-rate-average"},
                   {"system":"http://loinc.org","code":"8867-4"}]},"valueQuantity":{"value":140,"code":"/min"}}]
                """, code: "85354-9"))
        #expect(
            facts.facts.map(line) == [
                "LOINC:8480-6 N E 120.0 mm[Hg] #1", "TRIBUTARY:workout-heart-rate-average N E 140.0 /min #1",
            ])
    }

    @Test func codedValueIsTheFactOfItsAnswer() throws {
        let facts = try mapped(
            observation(
                #""valueCodeableConcept":{"coding":[{"system":"http://loinc.org","code":"LA1-1","display":"Deep"}]}"#))
        #expect(facts.facts.map(line) == ["LOINC:8867-4:LA1-1 T LA1-1 #1"])
        #expect(facts.concepts.map(\.code) == ["LOINC:8867-4", "LOINC:8867-4:LA1-1"], "the answer's stands below")
        let own = #""valueCodeableConcept":{"coding":[{"system":"http://example.org","code":"deep"}]}"#
        #expect(try mapped(observation(own)).facts.map(line) == ["LOINC:8867-4 T deep #1"])
        let words = try mapped(observation(#""valueCodeableConcept":{"text":"deep"}"#))
        #expect(words.facts.map(line) == ["LOINC:8867-4 T deep #1"])
    }

    @Test func observationWithoutAValueHasNoFacts() throws {
        #expect(try mapped(observation(#""dataAbsentReason":{"text":"asked but unknown"}"#)).facts.isEmpty)
    }
}

/// The time of a resource's facts.
@Suite struct FactTimeTests {
    private let encounter = """
        "contained":[{"resourceType":"Encounter","id":"period","period":{"start":"2015-09-01",\
        "end":"2015-09-07T10:00:00Z"}}],"encounter":{"reference":"#period"}
        """

    @Test func effectiveComesBeforeIssuedBeforeTheEncounterBeforeReceipt() throws {
        func time(_ members: [String]) throws -> FactTime {
            try mapped(observation(#""valueInteger":1"#, time: members.joined(separator: ","))).time
        }
        let effective = #""effectiveDateTime":"2026-03-01T10:00:00+02:00""#
        let issued = #""issued":"2026-03-02T10:00:00Z""#
        let all = try time([effective, issued, encounter])
        #expect(all.source == .effective)
        #expect(all.start == instant("2026-03-01T08:00:00Z"))
        #expect(all.end == nil)
        #expect(try time([issued, encounter]).source == .issued)
        let within = try time([encounter])
        #expect(within.source == .encounter)
        #expect(within.start == instant("2015-09-01"))
        #expect(within.end == instant("2015-09-07T10:00:00Z"))
        let bare = try time([])
        #expect(bare.source == .received)
        #expect(bare.start == instant("2026-05-01T12:00:00Z"))
    }

    @Test func aPeriodHasItsBeginAndItsEnd() throws {
        let facts = try mapped(
            observation(
                #""valueInteger":1"#,
                time: #""effectivePeriod":{"start":"2026-03-01T22:00:00Z","end":"2026-03-02T06:00:00Z"}"#))
        #expect(facts.time.start == instant("2026-03-01T22:00:00Z"))
        #expect(facts.time.end == instant("2026-03-02T06:00:00Z"))
    }

    @Test func timeOfAResponseIsItsAuthoringTime() throws {
        let facts = try mapped(response(#"{"linkId":"why","answer":[{"valueString":"x"}]}"#))
        #expect(facts.time.source == .authored)
        #expect(facts.time.text == "2026-03-01T10:00:00.250+02:00")
    }

    @Test(arguments: [
        (#""effectiveDateTime":"2026""#, "XF"), (#""effectiveDateTime":"2026-03""#, "MB"),
        (#""effectiveDateTime":"2026-03-01""#, "YD"), (#""effectiveDateTime":"2026-03-01T00:00:00Z""#, "SC"),
        (#""effectivePeriod":{"start":"2026-03","end":"2026-04-01"}"#, "YB"),
    ])
    func visitStatusHasThePrecisionOfTheTime(time: String, letters: String) throws {
        #expect(try mapped(observation(#""valueInteger":1"#, time: time)).time.visitStatus == letters)
    }

    /// A half second counts to the second that it is in, before 1970 too.
    @Test(arguments: [
        ("2026-03-01T10:00:00.999+02:00", "2026-03-01 08:00:00"), ("1969-12-31T23:59:59.5Z", "1969-12-31 23:59:59"),
        ("2026-12-31T23:30:00-05:00", "2027-01-01 04:30:00"), ("0001-01-01", "0001-01-01 00:00:00"),
    ])
    func timestampsAreUTCWithoutAFraction(time: String, expected: String) {
        #expect(WarehouseTime.text(instant(time)) == expected)
    }
}
