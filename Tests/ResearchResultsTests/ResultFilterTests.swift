import Core
import ResearchResults
import Testing

/// The choice of results by descriptor, identifier and start.
@Suite struct ResultFilterTests {
    private func result(start: String?, identifier: JSON = "task", descriptor: String? = nil) throws -> ResearchResult {
        var json = Results.task()
        json["startDate"] = start.map { .string($0) }
        json["identifier"] = identifier
        return try ResearchResult(json: json, descriptor: descriptor)
    }

    private func reason(_ body: () throws(ResultFilterError) -> Void) -> ResultFilterError.Reason? {
        do throws(ResultFilterError) {
            try body()
            return nil
        } catch { return error.reason }
    }

    @Test(
        arguments: [
            // The same instant with other offsets, written by ResearchKit and by FHIR.
            ("2019-05-27T00:35:06-0700", "2019-05-27T07:35:06Z", nil, true),
            ("2019-05-27T00:35:06-0700", "2019-05-27T07:35:07Z", nil, false),
            ("2019-05-27T00:35:06-0700", nil, "2019-05-27T09:35:06+0200", true),
            ("2019-05-27T00:35:06-0700", nil, "2019-05-27T09:35:05+02:00", false),
            // The texts are in another order than the instants.
            ("2019-05-27T23:00:00+1400", nil, "2019-05-27T10:00:00Z", true),
            // A date has the days of UTC, and both ends are included.
            ("2019-05-26T23:59:59-0000", "2019-05-27", "2019-05-27", false),
            ("2019-05-27T00:00:00+0000", "2019-05-27", "2019-05-27", true),
            ("2019-05-27T23:59:59+0000", "2019-05-27", "2019-05-27", true),
            ("2019-05-27T23:59:59-0001", "2019-05-27", "2019-05-27", false),
            ("2019-12-31T23:59:59Z", "2019", "2019-12", true), (nil, "2019", nil, false), (nil, nil, "2019", false),
            (nil, nil, nil, true),
        ] as [(String?, String?, String?, Bool)])
    func fromAndToCompareInstants(start: String?, from: String?, to: String?, isMatch: Bool) throws {
        let filter = try ResultFilter(from: from, to: to)
        #expect(try filter.matches(result(start: start)) == isMatch)
    }

    @Test func descriptorAndIdentifierAreEqualOrAbsent() throws {
        let none = try result(start: nil)
        let sleep = try result(start: nil, descriptor: "sleep")
        #expect(try ResultFilter().matches(none) && ResultFilter().matches(sleep))
        #expect(try ResultFilter(descriptor: "").matches(none) && !ResultFilter(descriptor: "").matches(sleep))
        #expect(
            try ResultFilter(descriptor: "sleep").matches(sleep) && !ResultFilter(descriptor: "sleep").matches(none))
        #expect(try ResultFilter(identifier: "task").matches(none) && !ResultFilter(identifier: "Task").matches(none))
        #expect(try ResultFilter(identifier: "").matches(result(start: nil, identifier: .null)))
    }

    @Test func allConditionsMustMatch() throws {
        let result = try ResearchResult(json: Results.task([Results.step([Results.text("q", "a")])]))
        let found = #"results.results.textAnswer eq "a""#
        let absent = #"results.results.textAnswer eq "b""#
        #expect(try ResultFilter(conditions: [found, #"identifier eq "task""#]).matches(result))
        #expect(try !ResultFilter(conditions: [found, absent]).matches(result))
    }

    @Test func aFilterIsTheSameAfterItsParametersWereRead() throws {
        let filter = try ResultFilter(
            descriptor: "", identifier: "t", from: "2019-05-27T00:35:06-0700", to: "2020",
            conditions: ["a.b  eq   1.50", #"c ne "x y""#])
        let parameters = filter.parameters
        #expect(parameters.map(\.name) == ["descriptor", "identifier", "from", "to", "where", "where"])
        #expect(parameters.map(\.value).suffix(2) == ["a.b eq 1.50", #"c ne "x y""#])
        func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        let again = try ResultFilter(
            descriptor: first("descriptor"), identifier: first("identifier"), from: first("from"), to: first("to"),
            conditions: parameters.filter { $0.name == "where" }.map(\.value))
        #expect(again == filter)
    }

    @Test func badPartsAreCodedErrors() {
        for text in ["today", "", "2019-05-27T00:35:06", "27.5.2019", String(repeating: "1", count: 100_000)] {
            #expect(reason { () throws(ResultFilterError) in _ = try ResultFilter(from: text) } == .dateInvalid)
            #expect(reason { () throws(ResultFilterError) in _ = try ResultFilter(to: text) } == .dateInvalid)
        }
        let long = String(repeating: "x", count: 2_001)
        #expect(reason { () throws(ResultFilterError) in _ = try ResultFilter(descriptor: long) } == .tooLong)
        #expect(reason { () throws(ResultFilterError) in _ = try ResultFilter(identifier: long) } == .tooLong)
        let many = Array(repeating: "a eq 1", count: 17)
        #expect(
            reason { () throws(ResultFilterError) in _ = try ResultFilter(conditions: many) } == .tooManyConditions)
    }
}
