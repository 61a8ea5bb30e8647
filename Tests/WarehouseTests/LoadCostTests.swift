import FHIR
import Foundation
import Storage
import Testing

@testable import Warehouse

/// The cost of a message is linear in its size and is limited before anything is written.
@Suite(.serialized) struct LoadCostTests {
    @Test func mappingIsLinearInTheItems() throws {
        let survey = SurveyConcepts(try form(sleepForm))
        try expectLinear(1_000) { count in
            // A long name of the form, linkIds that are not in it, and options of one question.
            let items = (0..<count).map {
                #"{"linkId":"l \#($0)","text":"t","answer":[{"valueString":"x"}]}"#
            }
            let options = (0..<count).map { #"{"valueCoding":{"system":"http://loinc.org","code":"\#($0)-1"}}"# }
            let json = response(
                items.joined(separator: ",") + #",{"linkId":"drugs","answer":[\#(options.joined(separator: ","))]}"#,
                form: "http://example.org/" + String(repeating: "f", count: count))
            let resource = try Resource(Data(json.utf8))
            return {
                [nil, survey].allSatisfy { survey in
                    FactMapping.facts(of: resource, survey: survey, receivedAt: Date(timeIntervalSince1970: 0))?.facts
                        .count == 2 * count
                }
            }
        }
    }

    @Test func mappingIsLinearInTheComponents() throws {
        try expectLinear(1_000) { count in
            let resource = try Resource(Data(observation(components(count)).utf8))
            return {
                FactMapping.facts(of: resource, survey: nil, receivedAt: Date(timeIntervalSince1970: 0))?.facts.count
                    == count
            }
        }
    }

    @Test func replacingZeroBytesIsLinearInTheMembers() throws {
        try expectLinear(2_000) { count in
            let members = (0..<count).map { #""m\#($0)":"\u0000""# }.joined(separator: ",")
            let resource = try Resource(Data(#"{"resourceType":"Observation",\#(members)}"#.utf8))
            return { StorableText.resource(resource).object.count == count + 1 }
        }
    }

    @Test func mappingIsLinearInTheOptions() throws {
        try expectLinear(500) { count in
            let options = (0..<count).map { #"{"valueCoding":{"system":"http://x","code":"\#($0)"}}"# }
                .joined(separator: ",")
            let survey = SurveyConcepts(
                try form(
                    """
                    {"resourceType":"Questionnaire","url":"http://example.org/f","item":[
                     {"linkId":"a","type":"choice","repeats":true,"answerOption":[\(options)]}]}
                    """))
            let resource = try Resource(Data(response(#"{"linkId":"a","answer":[\#(options)]}"#).utf8))
            return {
                FactMapping.facts(of: resource, survey: survey, receivedAt: Date(timeIntervalSince1970: 0))?.facts
                    .count == count
            }
        }
    }

    @Test func tooManyRowsAreRefusedBeforeWriting() async throws {
        let many = try Resource(Data(observation(components(49_998)).utf8))
        let error = #expect(throws: WarehouseError.self) {
            try WarehouseEntry(many, form: nil, receivedAt: Date())
        }
        #expect(error?.code == "too-many-facts")
        // There are few codes, so only the rows are too many.
        let fits = try WarehouseEntry(
            try Resource(Data(observation(components(49_996)).utf8)), form: nil, receivedAt: Date())
        #expect(fits.rowCount == 50_000)
        #expect(throws: WarehouseError.tooManyFacts) { try WarehouseEntry.check([fits, fits]) }
        try await WarehouseFixture.with { fixture in
            await #expect(throws: WarehouseError.self) { try await fixture.load(observation(components(49_998))) }
            let written = try await fixture.rows("SELECT 1 FROM custom_meta")
            #expect(written.isEmpty)
        }
    }

    @Test func codesOfAMessageAreLimited() throws {
        func entry(_ codes: Range<Int>) throws -> WarehouseEntry {
            let components = codes.map {
                #"{"code":{"coding":[{"system":"http://loinc.org","code":"\#($0)-1"}]},"valueInteger":1}"#
            }
            return try WarehouseEntry(
                try Resource(Data(observation(#""component":[\#(components.joined(separator: ","))]"#).utf8)),
                form: nil, receivedAt: Date())
        }
        let (first, second) = (try entry(0..<600), try entry(400..<1000))
        try WarehouseEntry.check([first, second])
        #expect(throws: WarehouseError.tooManyConcepts) { try WarehouseEntry.check([first, try entry(500..<1101)]) }
        #expect(throws: WarehouseError.tooManyConcepts) { try entry(0..<1001) }
    }

    private func components(_ count: Int) -> String {
        let components = (0..<count).map {
            #"{"code":{"coding":[{"system":"http://loinc.org","code":"\#($0 % 9)-1"}]},"valueInteger":\#($0)}"#
        }
        return #""component":[\#(components.joined(separator: ","))]"#
    }

    /// Expects that work of four times the size takes up to six times the processor time, by medians of five.
    private func expectLinear(_ count: Int, _ work: (Int) throws -> () throws -> Bool) throws {
        func median(_ count: Int) throws -> Double {
            let run = try work(count)
            let times = try (0..<5).map { _ in
                let start = processorTime()
                let isRight = try run()
                let time = processorTime() - start
                #expect(isRight)
                return time
            }
            return times.sorted()[2]
        }
        _ = try median(count)
        // A busy machine can disturb one measurement, but not three in a row.
        var measured: [(small: Double, large: Double)] = []
        repeat {
            measured.append((try median(count), try median(count * 4)))
        } while measured.count < 3 && !measured.contains { $0.large <= $0.small * 6 }
        #expect(
            measured.contains { $0.large <= $0.small * 6 }, "seconds for \(count) and four times as many: \(measured)")
    }

    /// Processor time of the thread, in seconds.
    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
