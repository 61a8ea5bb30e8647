import AccountClient
import Core
import Foundation
import HTTPTransport
import ResearchResults
import Testing

@Suite struct ResultTests {
    @Test func aResultIsCreatedThenUpdated() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        #expect(try await client.save(AccountFixture.result(1, descriptor: "sleep")) == .created)
        #expect(try await client.save(AccountFixture.result(2)) == .created)
        #expect(try await client.save(AccountFixture.result(1, answer: 7)) == .updated)
        #expect(
            await phone.model.takeLines().first
                == "PUT results/00000000-0000-0001-0000-000000000001?descriptor=sleep")
        // The key is the run, whatever the descriptor.
        let rows = try await client.results().all()
        #expect(rows.count == 2)
        #expect(try await client.results(matching: ResultFilter(descriptor: "sleep")).all() == [])
    }

    @Test func aFetchedResultIsChangedAndSaved() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let first = try AccountFixture.result(1)
        try await client.save(first)
        var json = try #require(try await client.result(runUUID: first.uuid))
        #expect(json == first.json)
        json["x-of-ours"] = "1.50"
        #expect(try await client.save(ResearchResult(json: json)) == .updated)
        #expect(try await client.result(runUUID: first.uuid) == json)
        #expect(try await client.result(runUUID: UUID()) == Optional<JSON>.none)
    }

    @Test func filtersAreThoseOfResearchResultsOverAllPages() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        var all: [ResearchResult] = []
        for number in 1...9 {
            let result = try AccountFixture.result(
                number, identifier: number.isMultiple(of: 2) ? "mood" : "sleep", answer: number,
                descriptor: number < 4 ? "a b&c" : nil)
            all.append(result)
            try await client.save(result)
        }
        let filters = [
            try ResultFilter(), try ResultFilter(descriptor: "a b&c"), try ResultFilter(descriptor: ""),
            try ResultFilter(identifier: "mood"), try ResultFilter(from: "2026-11-12", to: "2026-11-15"),
            try ResultFilter(conditions: ["results.scaleAnswer ge 3", "results.scaleAnswer lt 8"]),
            try ResultFilter(descriptor: "unused"),
        ]
        for filter in filters {
            let rows = try await client.results(matching: filter).all()
            #expect(rows.map(\.id) == all.filter(filter.matches).map(\.id))
            #expect(rows.compactMap(\.result) == all.filter(filter.matches).map(\.json))
        }
        var sizes: [Int] = []
        for try await page in client.results() { sizes.append(page.count) }
        #expect(sizes == [2, 2, 2, 2, 1])
    }

    @Test func oneBadResultIsReportedAndTheOthersAreReturned() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        try await client.save(AccountFixture.result(1))
        let id = try #require(await client.state.holder?.account)
        await phone.model.change(id) { $0.results.append(("bad", ["_class": 1], "")) }
        try await client.save(AccountFixture.result(2))
        let rows = try await client.results().all()
        #expect(rows.map(\.problem) == [nil, "result-unreadable", nil])
        #expect(rows.map { $0.result == nil } == [false, true, false])
    }

    @Test func aStatusThatIsNeitherCreatedNorUpdatedIs805() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        for body in [#"{"status":"saved"}"#, "{}", "x", ""] {
            await phone.model.fail(.answer(TransportResponse(status: 200, body: Data(body.utf8))))
            #expect(await number { try await client.save(AccountFixture.result(1)) } == 805)
        }
    }

    @Test func aLostAnswerOfASaveIsRepeatedWithoutHarm() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.fail(.loseAnswer)
        #expect(await number { try await client.save(AccountFixture.result(1)) } == 801)
        #expect(try await client.save(AccountFixture.result(1)) == .updated)
    }

    @Test func listsAreBounded() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        func page(_ body: String) -> ModelFault { .answer(TransportResponse(status: 200, body: Data(body.utf8))) }
        let client = try phone.client(limits: AccountLimits(pages: 2))
        for number in 1...5 { try await client.save(AccountFixture.result(number)) }
        let error = await thrown { _ = try await client.results().all() } as? AccountClientError
        #expect(error?.reason == .listTooLong)
        let bytes = try phone.client(limits: AccountLimits(listBytes: 300))
        #expect((await thrown { _ = try await bytes.results().all() } as? AccountClientError)?.reason == .listTooLong)
        let time = try phone.client(limits: AccountLimits(listSeconds: 10))
        await phone.model.observe { [clock = phone.clock] _ in clock.advance(6) }
        #expect((await thrown { _ = try await time.results().all() } as? AccountClientError)?.reason == .listTooLong)
        await phone.model.observe(nil)
        let small = try phone.client(limits: AccountLimits(answerBytes: 100))
        #expect(
            (await thrown { _ = try await small.results().all() } as? AccountClientError)?.reason == .answerTooLarge)
        // The same cursor twice would be a list without end.
        let whole = try phone.client()
        await phone.model.fail(page(#"{"results":[],"next":"x"}"#))
        await phone.model.fail(page(#"{"results":[],"next":"x"}"#), after: 1)
        #expect(await number { _ = try await whole.results().all() } == 805)
        for body in [
            #"{"results":[]"#, #"{"next":null}"#, #"{"results":[{}],"next":null}"#, #"{"results":[],"next":1}"#,
        ] {
            await phone.model.fail(page(body))
            #expect(await number { _ = try await whole.results().all() } == 805)
        }
    }
}
