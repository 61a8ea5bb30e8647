import Foundation
import JSONQuery
import TestSupport
import Testing

/// The published tests of both languages.
@Suite struct PublishedSuiteTests {
    private static let jmesPath = PublishedData.url("jmespath")
    private static let functions = PublishedData.url("iomt/custom-functions.json")
    private static let jsonPath = PublishedData.url("jsonpath/jsonnet.json")

    private func areSame(_ first: JSON, _ second: JSON) throws -> Bool {
        try JMESPath("first == second").evaluate(on: ["first": first, "second": second]) == true
    }

    /// Returns the difference, or nil if the expression gives the result of the case.
    private func problem(of test: JSON, on document: JSON, isCoded: Bool) throws -> String? {
        let expression = try #require(test["expression"]?.string)
        do throws(JMESPathError) {
            let found = try JMESPath(expression).evaluate(on: document)
            if let error = test["error"]?.string { return "\(expression): \(found.text()) instead of \(error)" }
            let isSame = (try? areSame(found, test["result"] ?? .null)) == true
            return isSame ? nil : "\(expression): \(found.text()) instead of \(test["result"]?.text() ?? "null")"
        } catch {
            // The connector's errors are words, which the module's codes repeat.
            let expected = test["error"]?.string
            let isSame = isCoded ? expected == error.code : expected?.replacing(" ", with: "-") == error.code
            return isSame ? nil : "\(expression): \(error.code) instead of \(expected ?? "a value")"
        }
    }

    @Test(.enabled(if: jmesPath != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func publishedTestsOfJMESPathGiveTheirResults() throws {
        var count = 0
        for file in PublishedData.files(below: try #require(Self.jmesPath)) {
            for group in try JSON(Data(contentsOf: file)).array ?? [] {
                // A case without either only measures time.
                for test in group["cases"]?.array ?? [] where test["result"] != nil || test["error"] != nil {
                    let problem = try problem(of: test, on: group["given"] ?? .null, isCoded: true)
                    #expect(problem == nil, "\(file.lastPathComponent)")
                    count += 1
                }
            }
        }
        print("JMESPath suite: \(count) tests")
        #expect(count == 902)
    }

    @Test(.enabled(if: functions != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func examplesOfTheConnectorsFunctionsGiveTheirResults() throws {
        let cases = try JSON(Data(contentsOf: try #require(Self.functions)))["cases"]?.array ?? []
        #expect(cases.count == 28)
        for test in cases {
            #expect(try problem(of: test, on: test["given"] ?? .null, isCoded: false) == nil)
        }
    }

    @Test(.enabled(if: jsonPath != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func recordedPathsGiveTheResultsOfJsonNET() throws {
        let suite = try JSON(Data(contentsOf: try #require(Self.jsonPath)))
        let cases = suite["cases"]?.array ?? []
        #expect(cases.count == 329)
        for test in cases {
            let expression = try #require(test["expression"]?.string)
            let document = try #require(test["document"]?.string.flatMap { suite["documents"]?[$0] })
            let found: String
            do throws(JSONPathError) {
                let values = JSON.array(try JSONPath(expression).evaluate(on: document))
                let isSame = (try? areSame(values, test["result"] ?? .null)) == true
                found = isSame ? "as recorded" : values.text()
            } catch {
                found = test["error"] == nil ? error.code : "as recorded"
            }
            #expect(found == "as recorded", "\(expression)")
        }
    }
}
