import AccessPolicy
import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import SearchStatements

/// Random searches of random stores with random grants.
@Suite struct SearchAgreementTests {
    /// All pages of a search: the matches of each page with their includes, and the total.
    private struct Pages: Equatable {
        var matches: [[String]] = []
        var included: [Set<String>] = []
        var total: Int?
    }

    /// - Parameter limits: With small limits a small store is searched like a large one.
    private func pages(
        _ scope: SearchQuery.Scope, query: String, by grant: AccessGrant?, limits: SearchLimits = .standard,
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

    private func expected(_ scope: SearchQuery.Scope, query: String, by grant: AccessGrant?, in store: SearchStore)
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

    /// The index, the filter in SQL and the pages agree with the conditions, the policy and a sort in memory.
    @Test(arguments: TestEngine.allCases)
    func searchesAgreeWithTheResourcesInMemory(engine: TestEngine) async throws {
        try await agree(SearchedResources(random: .fresh()), searches: engine == .sqlite ? 400 : 80, on: engine)
    }

    /// Searches without matches and includes prove nothing. The number of matches of random searches depends on the
    /// seed, so a fixed seed shows it.
    @Test func randomSearchesHaveMatchesAndIncludes() async throws {
        let (found, brought) = try await agree(
            SearchedResources(random: Seeded(20_261_126)), searches: 200, on: .sqlite)
        #expect(found > 200 && brought > 50)
    }

    /// - Returns: The number of matches of the searches, and of included resources.
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
            for (index, ((scope, query), grant)) in searches.enumerated() {
                let few = index % 4
                let limits =
                    index % 3 == 0
                    ? .standard
                    : SearchLimits(maximumLookups: few, maximumSortedLookups: few, windows: [few + 2, 20])
                // For many matches the total is returned if it is requested.
                let asked = index % 3 == 0 ? query : query + "&_total=accurate"
                let answer: Pages?
                do {
                    answer = try await pages(scope, query: asked, by: grant, limits: limits, in: store)
                } catch let error as SearchConditionError where error == .tooManyIncluded {
                    answer = nil
                }
                guard let pages = answer else {
                    // The references of random resources may need more rounds than an iterated include has.
                    #expect(query.contains(":iterate"), "seed \(seed): \(scope)?\(query)")
                    continue
                }
                let expected = try expected(scope, query: query, by: grant, in: store)
                #expect(pages == expected, "seed \(seed): \(scope)?\(query) by \(String(describing: grant))")
                found += pages.total ?? 0
                brought += pages.included.reduce(0) { $0 + $1.count }
                if pages.total == 0 { empty += 1 }
            }
            print("\(searches.count) searches found \(found), brought \(brought), \(empty) found nothing")
        }
        return (found, brought)
    }

    /// A grant gets the same responses as from a store with only the permitted resources.
    @Test func hiddenResourcesDoNotChangeResponses() async throws {
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
                    for (scope, query) in searches {
                        ofStore.append(try await pages(scope, query: query, by: grant, in: store))
                    }
                    answers.append(ofStore)
                }
            }
            for (index, search) in searches.enumerated() {
                #expect(answers[0][index] == answers[1][index], "seed \(seed): \(search) by \(grant)")
            }
        }
    }
}
