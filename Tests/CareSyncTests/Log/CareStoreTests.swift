import CarePlans
import Core
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Accounts
@testable import CareSync

/// The tables of care plans: queries, sizes and deletion.
@Suite("The tables of care plans") struct CareStoreTests {
    typealias Fixture = CareFixture

    /// The growing queries, each with its parameters.
    static let queries: [(sql: String, parameters: [SQLValue])] = [
        (CareLogState.logSQL, ["x"]), (CareReading.newVectorsSQL, ["x", "x", 1, 1]), (CareReading.pushSQL, ["x", 1]),
        (CareReading.versionsOfVectorSQL, ["x", 1, 1, 1, 1]), (CareReading.scanSQL, ["x", 1, 1, 1]),
        (CarePage.contentSQL, [1]), (CarePage.eventSQL, ["x", "x", 1, 1]),
        (CarePushWriting.tipsSQL, ["x", "x", "x"]), (CarePushWriting.liveOutcomesSQL, ["x", "x", 1]),
        (CareReferences.contentSQL, ["x", "x"]),
        (CareReferences.storedSQL, ["x"] + Array(repeating: "x", count: 100)),
        (CareCurrentPlan.liveTipsSQL, ["x"]), (CareCurrentPlan.versionsOfKindSQL, ["x", "task"]),
        (CareCurrentPlan.outcomesSQL, ["x", "x", 1, 2]),
        ("UPDATE care_push SET actor = NULL WHERE actor = ?", ["x"]),
    ]

    @Test("queries use an index, and sort nothing that grows", arguments: TestEngine.allCases)
    func plans(engine: TestEngine) async throws {
        try await withTemporaryDatabase(PeopleSchema.store.migrations, on: engine) { database async throws in
            for (sql, parameters) in Self.queries {
                let plan = try await database.write { try QueryPlan(sql, parameters, in: $0) }
                #expect(!plan.readsAll, "\(sql) \(plan)")
                // The versions of one event are few.
                if sql != CarePage.eventSQL { #expect(!plan.sorts, "\(sql) \(plan)") }
            }
        }
    }

    @Test("a plan counts for the bytes of its account, and a full account refuses a push as a whole")
    func fullAccount() async throws {
        try await Fixture.with { fixture in
            func storedBytes() async throws -> Int64 {
                try await fixture.database.read {
                    try $0.first("SELECT stored_bytes FROM person")?.integer("stored_bytes") ?? 0
                }
            }
            let vector = Fixture.vector([7: 1])
            let first = CareRevision([try Fixture.task(1)], knowledgeVector: vector)
            _ = try await fixture.push([first], vector)
            let one = try await storedBytes()
            #expect(one > first.entities[0].object.bytes().count)
            _ = try await fixture.push([first], Fixture.vector([7: 2]))
            #expect(try await storedBytes() == one)
            try await fixture.database.write {
                _ = try $0.execute(
                    "UPDATE person SET stored_bytes = ?", [SQLValue(PeopleStore.maximumStoredBytes - 10)])
            }
            let second = CareRevision([try Fixture.task(2, id: "b")], knowledgeVector: Fixture.vector([7: 3]))
            await #expect(throws: AccountDataError.full) {
                _ = try await fixture.push([second], Fixture.vector([7: 3]))
            }
            #expect(try await fixture.pull().vector == Fixture.vector([7: 2]))
            try await fixture.database.write { _ = try $0.execute("UPDATE person SET stored_bytes = 0") }
            _ = try await fixture.push([second], Fixture.vector([7: 3]))
            #expect(try await fixture.pull().revisions == [first, second])
        }
    }

    @Test("the deletion of an account leaves nothing of its plan", arguments: TestEngine.allCases)
    func deletion(engine: TestEngine) async throws {
        try await Fixture.with(on: engine) { fixture in
            try await fixture.addAccount("doctor")
            try await fixture.addAccount("patient-2")
            let vector = Fixture.vector([7: 1])
            let revision = CareRevision([try Fixture.task(1), try Fixture.outcome(2, of: 1)], knowledgeVector: vector)
            for patient in [Fixture.patient, "patient-2"] {
                _ = try await fixture.log.push(
                    [revision], knowledge: vector, patient: patient, actor: "doctor")
            }
            try await fixture.renew()
            _ = try await fixture.pull(session: "s")
            try await fixture.database.write { try PeopleStore.delete(Fixture.patient, in: $0) }
            try await fixture.database.write { try PeopleStore.delete("doctor", in: $0) }
            let tables = ["care_log", "care_push", "care_vector", "care_clock", "care_version", "care_session"]
            for table in tables {
                let accounts = try await fixture.database.read { transaction in
                    Set(try transaction.query("SELECT account_id FROM \(table)").map { try $0.text("account_id") })
                }
                #expect(accounts == (table == "care_session" ? [] : ["patient-2"]), "\(table)")
            }
            #expect(
                try await fixture.database.read {
                    try $0.query("SELECT 1 AS one FROM care_push WHERE actor = 'doctor'")
                }
                .isEmpty)
            let names = try await fixture.database.read { try $0.tableNames() }
            #expect(Set(names.filter { $0.hasPrefix("care_") }) == Set(tables))
        }
    }

    /// Random copies that push and pull through the log have what the vectors say.
    @Test("a pull returns exactly the versions that the knowledge does not cover", arguments: [1, 2, 3])
    func exactness(seed: UInt64) async throws {
        var generator = Seeded(seed)
        print("seed \(seed)")
        let revisions = try (1...400).map { number in
            var vector = KnowledgeVector()
            for process in 100..<104 where Bool.random(using: &generator) {
                vector[Fixture.uuid(process)] = Int.random(in: 0...20, using: &generator)
            }
            vector[Fixture.uuid(104)] = number
            return CareRevision([try Fixture.task(number, id: "task-\(number)")], knowledgeVector: vector)
        }
        let asked = (0..<60).map { _ in
            var vector = KnowledgeVector()
            for process in 100..<105 {
                vector[Fixture.uuid(process)] = Int.random(in: 0...(process == 104 ? 450 : 22), using: &generator)
            }
            return vector
        }
        try await Fixture.with { fixture in
            for start in stride(from: 0, to: revisions.count, by: 37) {
                let pushed = Array(revisions[start..<min(start + 37, revisions.count)])
                _ = try await fixture.push(pushed, KnowledgeVector())
            }
            // The vectors with which the versions are stored; some got the server's clock.
            let stored = try await fixture.pull().revisions
            #expect(stored.flatMap(\.entities).count == 400)
            for knowledge in asked {
                let answer = try await fixture.pull(knowledge)
                let expected = stored.filter { !$0.knowledgeVector.isCovered(by: knowledge) }
                #expect(answer.revisions.flatMap(\.entities) == expected.flatMap(\.entities))
                let hasNews = try await fixture.log.hasNews(
                    since: knowledge, patient: Fixture.patient, session: "s")
                #expect(hasNews == !expected.isEmpty)
            }
        }
    }
}
