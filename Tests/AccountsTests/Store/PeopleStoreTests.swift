import Core
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Accounts
@testable import Identity

/// The people store: its queries and its schema.
@Suite struct PeopleStoreTests {
    /// The growing queries, each with the number of its parameters.
    static let queries: [(sql: String, parameters: Int)] = [
        (Person.personSQL, 1), (Person.groupsSQL, 1), (MembershipStore.membershipsSQL, 1),
        (PeopleStore.grantsSQL, 1), (PeopleStore.codesSQL, 3), (PeopleStore.hasBlobSQL, 2),
        (PeopleStore.currentConsentSQL, 2), (PeopleStore.consentsSQL, 3), (PeopleStore.resultSQL, 2),
        (PeopleStore.resultsSQL, 3), (PatientReading.changesSQL, 4), (PatientReading.lostSQL, 6),
        (AuthorizationStore.appSessionSQL, 4),
    ]

    @Test(arguments: TestEngine.allCases)
    func queriesUseAnIndexAndSortNothing(engine: TestEngine) async throws {
        try await withTemporaryDatabase(PeopleSchema.store.migrations, on: engine) { database async throws in
            for (sql, count) in Self.queries {
                let limit = sql.contains("LIMIT ?") ? 1 : 0
                let parameters =
                    (0..<(count - limit)).map { index -> SQLValue in
                        sql.contains("number > ?") && (index == count - limit - 1) ? SQLValue(1) : "x"
                    } + (limit == 1 ? [SQLValue(1)] : [])
                let typed = sql == PatientReading.lostSQL ? ["x", "x", "x", 1, 1, 1] : parameters
                let plan = try await database.write { try QueryPlan(sql, typed, in: $0) }
                #expect(!plan.readsAll, "\(sql) \(plan)")
                if sql != Person.groupsSQL, sql != PeopleStore.codesSQL, sql != PeopleStore.grantsSQL {
                    #expect(!plan.sorts, "\(sql) \(plan)")
                }
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aStoreIsPreparedOnce(engine: TestEngine) async throws {
        try await AccountFixture.with(on: engine) { fixture in
            let first = try await fixture.database.read { try PeopleState(in: $0) }
            try await fixture.store.prepare()
            let second = try await fixture.database.read { try PeopleState(in: $0) }
            #expect(first.epoch == second.epoch)
            #expect(first.cursorKey == second.cursorKey)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func numbersOfChangesAreInTheOrderOfTheCommits(engine: TestEngine) async throws {
        try await AccountFixture.with(on: engine) { fixture in
            let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await fixture.database.write { try PeopleState.nextNumber(in: $0) }
                    }
                }
                return try await group.reduce(into: [Int64]()) { $0.append($1) }.sorted()
            }
            #expect(numbers == Array(1...20).map { Int64($0) })
        }
    }
}
