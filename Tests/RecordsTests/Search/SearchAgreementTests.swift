import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Trust

@testable import Records

/// Random searches of random stores by random grants.
@Suite struct SearchAgreementTests {
    /// All pages of a search: what each has, with what comes with it, and the number of all.
    private struct Pages: Equatable {
        var matches: [[String]] = []
        var included: [Set<String>] = []
        var total: Int?
    }

    /// - Parameter limits: with small ones a small store is gone through as a large one.
    private func pages(
        _ scope: SearchQuery.Scope, _ query: String, _ grant: AccessGrant?, limits: SearchLimits = .standard,
        in store: SearchStore
    ) async throws -> Pages {
        var pages = Pages()
        var cursor = ""
        for _ in 0..<200 {
            let answer = try await store.answer(scope, query + cursor, by: grant, limits: limits)
            pages.matches.append(answer.matches.map(\.record.id))
            let included = answer.included.map { $0.record.type + "/" + $0.record.id }
            #expect(Set(included).count == included.count)
            pages.included.append(Set(included))
            pages.total = answer.total
            guard let next = answer.next else { return pages }
            cursor = "&_cursor=" + next.text
        }
        Issue.record("the pages have no end: \(scope)?\(query)")
        return pages
    }

    private func expected(_ scope: SearchQuery.Scope, _ query: String, _ grant: AccessGrant?, in store: SearchStore)
        throws -> Pages
    {
        let search = try store.search(scope, query, by: grant)
        let oracle = SearchOracle(
            records: try store.records(judgedBy: grant), searched: search.searched, readable: search.readable,
            ownBases: search.ownBases)
        let all = oracle.matches(of: search.query)
        var pages = Pages()
        pages.total = all.count
        var rest = all[...]
        repeat {
            let page = Array(rest.prefix(search.query.count))
            pages.matches.append(page.map(\.id))
            let included = oracle.included(with: page, by: search.query.includes)
            pages.included.append(Set(included.map { $0.type + "/" + $0.id }))
            rest = rest.dropFirst(page.count)
        } while !rest.isEmpty
        return pages
    }

    /// The index, the filter in SQL and the pages say what the conditions, the policy and a sort say in memory.
    @Test(arguments: TestEngine.allCases)
    func searchesAnswerWhatTheResourcesSay(engine: TestEngine) async throws {
        try await agree(SearchedResources(random: .fresh()), searches: engine == .sqlite ? 400 : 80, on: engine)
    }

    /// Searches that found nothing and brought nothing would agree about nothing. How much random ones find differs
    /// from seed to seed, so that it is one seed that shows it.
    @Test func theSearchesFindAndBringMuch() async throws {
        let (found, brought) = try await agree(
            SearchedResources(random: Seeded(20_261_126)), searches: 200, on: .sqlite)
        #expect(found > 200 && brought > 50)
    }

    /// - Returns: how many matches the searches had, and how many resources came with them.
    @discardableResult private func agree(
        _ random: SearchedResources, searches number: Int, on engine: TestEngine
    ) async throws -> (found: Int, brought: Int) {
        var made = random
        let seed = made.random.seed
        let resources = made.resources()
        let deleted = Set(resources.indices.filter { _ in Int.random(in: 0..<12, using: &made.random) == 0 })
        let searches = try (0..<number).map { number in
            (made.search(), number % 4 == 0 ? nil : try made.grant())
        }
        var (found, brought) = (0, 0)
        try await SearchStore.with(resources, deleted: deleted, on: engine) { store in
            var empty = 0
            for (place, ((scope, query), grant)) in searches.enumerated() {
                let few = place % 4
                let limits =
                    place % 3 == 0 ? .standard : SearchLimits(most: few, mostSorted: few, windows: [few + 2, 20])
                // Of what finds many the number is told where it is asked for.
                let asked = place % 3 == 0 ? query : query + "&_total=accurate"
                let pages = try await pages(scope, asked, grant, limits: limits, in: store)
                let expected = try expected(scope, query, grant, in: store)
                #expect(pages == expected, "seed \(seed): \(scope)?\(query) by \(String(describing: grant))")
                found += pages.total ?? 0
                brought += pages.included.reduce(0) { $0 + $1.count }
                if pages.total == 0 { empty += 1 }
            }
            print("\(searches.count) searches found \(found), brought \(brought), \(empty) found nothing")
        }
        return (found, brought)
    }

    /// What a grant is answered is what a store answers that has no more than the grant shows.
    @Test func whatIsHiddenChangesNoAnswer() async throws {
        var made = SearchedResources(random: .fresh())
        let seed = made.random.seed
        let resources = made.resources()
        for _ in 0..<6 {
            let grant = try made.grant()
            let policy = Policy()
            let shown = try resources.filter { json in
                let resource = try Resource(Array(json.utf8))
                let queries = grant.queries(of: resource.resourceType)
                let facts = RecordFacts(
                    resource, storedAs: resource.id ?? "", subject: nil, at: [SearchStore.base], asking: queries)
                return [RecordInteraction.read, .searchType].contains {
                    policy.decide(grant, $0, record: facts, at: SearchStore.time).isPermitted
                }
            }
            let searches = (0..<40).map { _ in made.search() }
            var answers: [[Pages]] = []
            for some in [resources, shown] {
                try await SearchStore.with(some) { store in
                    var ofStore: [Pages] = []
                    for (scope, query) in searches { ofStore.append(try await pages(scope, query, grant, in: store)) }
                    answers.append(ofStore)
                }
            }
            for (place, search) in searches.enumerated() {
                #expect(answers[0][place] == answers[1][place], "seed \(seed): \(search) by \(grant)")
            }
        }
    }
}
