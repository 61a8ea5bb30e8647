import Core
import Foundation
import HTTPTypes
import ResearchResults
import Storage
import TestSupport
import Testing

@testable import Accounts
@testable import ServerHTTP

/// Results (CMHealth's category on `ORKTaskResult`).
@Suite struct ResultTests {
    private func result(_ number: Int, identifier: String = "sleep", answer: JSON = 1) -> JSON {
        [
            "_class": "ORKTaskResult", "taskRunUUID": .string(Self.id(number)), "identifier": .string(identifier),
            "startDate": .string("2026-11-\(10 + number % 20)T08:00:00+0000"),
            "results": [["_class": "ORKStepResult", "results": [["_class": "AppResult", "answer": answer]]]],
        ]
    }

    /// Numbers as they are written.
    static let numbers = JSON(reading: Array("[2.50, 1e2]".utf8)) ?? .null

    static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
    }

    private func save(
        _ json: JSON, descriptor: String? = nil, as person: AccountFixture.SignedIn, _ fixture: AccountFixture
    ) async throws -> AccountAnswer {
        let id = json["taskRunUUID"]?.string ?? ""
        let query = descriptor.map { "?descriptor=" + PercentEncoding.encodeForm($0) } ?? ""
        return try await fixture.ask(.put, "results/\(id)\(query)", as: person.token, json: json)
    }

    private func all(
        _ query: String = "", as person: AccountFixture.SignedIn, _ fixture: AccountFixture
    ) async throws -> [JSON] {
        var results: [JSON] = []
        var cursor: String?
        repeat {
            let path = "results?" + query + (cursor.map { "&cursor=\($0)" } ?? "")
            let answer = try await fixture.ask(.get, path, as: person.token)
            #expect(answer.status == 200, "\(answer.text)")
            results += answer.json["results"]?.array ?? []
            cursor = answer.json["next"]?.string
        } while cursor != nil
        return results
    }

    @Test func aResultIsCreatedThenUpdatedUnderItsRun() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let first = try await save(result(1), as: ann, fixture)
            #expect(first.status == 201)
            #expect(first.json == ["status": "created"])
            // The descriptor is no part of the key.
            let second = try await save(result(1, answer: Self.numbers), descriptor: "b", as: ann, fixture)
            #expect(second.status == 200)
            #expect(second.json == ["status": "updated"])
            let read = try await fixture.ask(.get, "results/\(Self.id(1))", as: ann.token)
            #expect(read.text == result(1, answer: Self.numbers).text())
            #expect(try await all(as: ann, fixture).count == 1)
            #expect(try await all("descriptor=", as: ann, fixture).isEmpty)
            #expect(try await all("descriptor=b", as: ann, fixture).count == 1)
        }
    }

    @Test func anAccountSeesItsOwnResultsOnly() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let bob = try await fixture.signUp("bob")
            _ = try await save(result(1), as: ann, fixture)
            #expect(try await fixture.ask(.get, "results/\(Self.id(1))", as: bob.token).status == 404)
            #expect(try await all(as: bob, fixture).isEmpty)
            // The same run of another account is another result.
            #expect(try await save(result(1, answer: 9), as: bob, fixture).status == 201)
            #expect(try await fixture.ask(.get, "results/\(Self.id(1))", as: ann.token).json == result(1))
        }
    }

    @Test func publishedResultsAreEqualAfterARoundTrip() async throws {
        guard let folder = PublishedData.url("researchkit-results") else { return }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        #expect(!files.isEmpty)
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            var saved: [String: JSON] = [:]
            for (index, file) in files.sorted(by: { $0.path < $1.path }).enumerated() {
                let published = try JSON(Data(contentsOf: file))
                // A published result of a step is the result of a task of its own.
                let json: JSON =
                    published["taskRunUUID"]?.string != nil
                    ? published
                    : [
                        "_class": "ORKTaskResult", "identifier": "published",
                        "taskRunUUID": .string(Self.id(index)), "results": [published],
                    ]
                let answer = try await save(json, as: ann, fixture)
                #expect([200, 201].contains(answer.status), "\(file.lastPathComponent): \(answer.text)")
                saved[json["taskRunUUID"]?.string?.lowercased() ?? ""] = json
            }
            let read = try await all(as: ann, fixture)
            #expect(read.count == saved.count)
            for element in read {
                let id = try #require(element["id"]?.string)
                #expect(element["result"] == saved[id])
            }
        }
    }

    @Test func aResultThatCannotBeReadIsReportedAndTheOthersAreReturned() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            for number in 1...3 { _ = try await save(result(number), as: ann, fixture) }
            try await fixture.database.write { transaction in
                _ = try transaction.execute(
                    "UPDATE person_result SET content = '{' WHERE uuid = ?", [SQLValue(Self.id(2))])
            }
            let read = try await all("identifier=sleep", as: ann, fixture)
            #expect(read.map { $0["result"] != nil } == [true, false, true])
            #expect(read[1]["problem"]?["code"] == "result-not-json")
        }
    }

    @Test func pagesHaveAllResultsInTheOrderOfTheirFirstSave() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            for number in 1...230 { _ = try await save(result(number), as: ann, fixture) }
            let first = try await fixture.ask(.get, "results", as: ann.token)
            #expect(first.json["results"]?.array?.count == PeopleStore.resultsPerPage)
            let read = try await all(as: ann, fixture)
            #expect(read.map { $0["id"]?.string } == (1...230).map { Self.id($0) })
            for cursor in ["x", "-1", "01", "9999999999999999999999"] {
                let answer = try await fixture.ask(.get, "results?cursor=\(cursor)", as: ann.token)
                #expect(answer.status == 400)
                #expect(answer.code == "cursor-invalid")
            }
        }
    }

    @Test func whereSelectsAsAFilterOfEachResultDoes() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let text = #"[1, 1.0, 2, 1e0, "a", "b", true, false, null, {"x": 1}, [1, 2], [[1]]]"#
        let values = try #require(JSON(reading: Array(text.utf8))?.array)
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            var saved: [ResearchResult] = []
            for number in 1...60 {
                let answer = values.randomElement(using: &generator) ?? .null
                let json = result(number, identifier: number % 3 == 0 ? "mood" : "sleep", answer: answer)
                _ = try await save(json, descriptor: number % 2 == 0 ? "d" : nil, as: ann, fixture)
                saved.append(try ResearchResult(json: json, descriptor: number % 2 == 0 ? "d" : nil))
            }
            for round in 0..<80 {
                let value = values.randomElement(using: &generator) ?? .null
                let comparisons = ["eq", "ne", "lt", "le", "gt", "ge"]
                let path =
                    ["results.results.answer", "identifier", "results.results.answer.x", "none"]
                    .randomElement(using: &generator) ?? ""
                let text = "\(path) \(comparisons.randomElement(using: &generator) ?? "eq") \(value.text())"
                guard let condition = try? ResultCondition(text) else {
                    let refused = try await fixture.ask(
                        .get, "results?where=" + PercentEncoding.encodeForm(text), as: ann.token)
                    #expect(refused.status == 400, "seed \(seed) round \(round): \(text)")
                    continue
                }
                let found = try await all("where=" + PercentEncoding.encodeForm(text), as: ann, fixture)
                let expected = saved.filter { condition.matches($0.json) }.map { $0.id }
                #expect(found.map { $0["id"]?.string ?? "" } == expected, "seed \(seed) round \(round): \(text)")
            }
            let both = try await all(
                "descriptor=d&identifier=mood&from=2026-11-12&to=2026-11-20&where="
                    + PercentEncoding.encodeForm("identifier eq \"mood\""), as: ann, fixture)
            let filter = try ResultFilter(descriptor: "d", identifier: "mood", from: "2026-11-12", to: "2026-11-20")
            #expect(both.map { $0["id"]?.string ?? "" } == saved.filter(filter.matches).map { $0.id })
            #expect(!both.isEmpty)
        }
    }

    @Test(arguments: [
        ("results?where=x", "where-malformed"), ("results?from=yesterday", "filter-date-invalid"),
        ("results?unknown=1", "query-invalid"), ("results?cursor=1&cursor=2", "query-invalid"),
    ])
    func anUnreadableFilterIsAnError(_ path: String, code: String) async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let answer = try await fixture.ask(.get, path, as: ann.token)
            #expect(answer.status == 400)
            #expect(answer.code == code)
        }
    }

    @Test func badResultsAreRefusedAndTheNextGoodOneIsSaved() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let id = Self.id(1)
            let head = #"{"_class":"ORKTaskResult","taskRunUUID":"\#(id)","results":"#
            let deep = head + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000) + "}"
            let cases: [(path: String, body: [UInt8], status: Int, code: String)] = [
                ("results/\(id)", Array(deep.utf8), 400, "result-too-deep"),
                ("results/\(id)", Array("{".utf8), 400, "result-not-json"),
                ("results/\(id)", Array("[]".utf8), 400, "result-class-missing"),
                ("results/\(Self.id(2))", result(1).bytes(), 400, "result-uuid-invalid"),
                ("results/\(id)?descriptor=a%0Ab", result(1).bytes(), 400, "descriptor-invalid"),
                ("results/\(id)", [UInt8](repeating: 0x20, count: 50 << 20), 413, "body-too-large"),
            ]
            for (path, body, status, code) in cases {
                let answer = try await fixture.ask(.put, path, as: ann.token, body: body)
                #expect(answer.status == status, "\(path): \(answer.text)")
                #expect(answer.code == code)
            }
            #expect(try await all(as: ann, fixture).isEmpty)
            #expect(try await save(result(1), as: ann, fixture).status == 201)
        }
    }
}
