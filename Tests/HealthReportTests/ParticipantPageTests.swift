import HealthData
import HealthReport
import Testing

@Suite struct ParticipantPageTests {
    @Test func textIsEscapedAndNothingIsLoaded() {
        let words = #"<img src=x onerror="alert(1)">&"#
        var report = MeasurementReport()
        report.add(.init(named: words), numbers: [], text: words, on: nil)
        let page = ParticipantPage(
            title: words, lead: words, summary: [(words, words)],
            sections: [
                .init(
                    id: "one", title: words,
                    blocks: [
                        .paragraph(words), .facts([(words, words)]),
                        .table(header: [words, "b"], rows: [[words, words]]),
                        .document(title: words, facts: [(words, words)], sections: [(words, [words])]),
                        .answers(
                            title: words, note: words,
                            rows: [
                                .init(question: words, answer: nil, level: 0),
                                .init(question: words, answer: words, level: 1),
                            ]), .measurements(report),
                    ]), .init(id: "two", title: "Empty", blocks: []),
            ]
        ).html
        #expect(!page.contains("<img") && page.contains("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;"))
        for loading in ["<script", "<link", " src=\"", "url("] { #expect(!page.contains(loading)) }
        #expect(page.contains("default-src 'none'") || page.contains("default-src &#39;none&#39;"))
        #expect(page.contains("Nothing."))
    }

    @Test func answersAreShownInTwoColumns() {
        let page = ParticipantPage(
            title: "t", lead: "l", summary: [],
            sections: [
                .init(
                    id: "a", title: "Answers",
                    blocks: [
                        .answers(title: "PHQ-9", note: "", rows: [.init(question: "Sleep?", answer: "Bad", level: 0)])
                    ])
            ]
        ).html
        #expect(page.contains(#"<th scope="row" class="words level-0">Sleep?</th><td class="words">Bad</td>"#))
    }

    @Test(arguments: [
        (97.0, "%", "97"), (36.84999, "Cel", "36.8"), (72.4, "/min", "72"), (70.25, "kg", "70.3"),
        (12345.4, "{steps}", "12,345"),
        (-0.04, "Cel", "0"), (0.00123, "mol/L", "0.00123"), (5.6, "mmol/L", "5.6"), (123456, "m", "123,456"),
    ])
    func numbersHaveTheDigitsOfTheirUnit(_ value: Double, ucum: String, text: String) {
        #expect(MeasurementNumber.text(value, ucum: ucum) == text)
    }

    @Test func measurementsOfATypeHaveAPlotAndADailySummaryAndTheirFile() throws {
        var report = MeasurementReport()
        let type = try #require(HealthTypeTable.standard.named("BodyMass"))
        for (index, value) in ["70.26", "71", "69.5"].enumerated() {
            let instant = HealthInstant(seconds: 1_767_225_600 + Int64(index) * 86_400, offsetMinutes: 60)
            let measure = try #require(type.measure)
            report.add(
                HealthSample(
                    type: type, value: .quantity(try HealthQuantity(value, unit: "kg", as: measure)), start: instant,
                    end: instant, source: HealthSource(product: .iPhone)))
        }
        report.setFile("measurements-body-mass.csv", of: .init(type))
        let page = ParticipantPage(
            title: "t", lead: "l", summary: [],
            sections: [.init(id: "m", title: "Measurements", blocks: [.measurements(report)])]
        ).html
        #expect(report.count == 3 && report.typeCount == 1)
        #expect(page.contains("<svg") && page.contains("Body Mass, day by day"))
        #expect(page.contains(#"<data value="70.26">70.3</data>"#))
        #expect(page.contains("3 measurements from 2026-01-01 to 2026-01-03."))
        #expect(page.contains(#"<a href="measurements-body-mass.csv">"#))
    }

    @Test func stepsOfSeveralSourcesCountOnceAndSleepIsShownByNight() throws {
        var report = MeasurementReport()
        let steps = try #require(HealthTypeTable.standard.named("StepCount"))
        let sleep = try #require(HealthTypeTable.standard.named("SleepAnalysis"))
        let measure = try #require(steps.measure)
        let start = HealthInstant(seconds: 1_767_225_600, offsetMinutes: 0)
        let end = HealthInstant(seconds: 1_767_225_600 + 3600, offsetMinutes: 0)
        for product in [HealthProduct.iPhone, .appleWatch] {
            report.add(
                HealthSample(
                    type: steps, value: .quantity(try HealthQuantity("1000", unit: "count", as: measure)), start: start,
                    end: end, source: HealthSource(product: product)))
        }
        let asleep = try #require(sleep.option(named: "HKCategoryValueSleepAnalysisAsleepCore"))
        report.add(
            HealthSample(
                type: sleep, value: .option(asleep), start: start, end: end, source: HealthSource(product: .appleWatch))
        )
        let page = ParticipantPage(
            title: "t", lead: "l", summary: [],
            sections: [.init(id: "m", title: "Measurements", blocks: [.measurements(report)])]
        ).html
        #expect(page.contains("1,000 steps on 1 day") && page.contains("1 night, 1 h 00 min asleep"))
    }
}
