import CarePlans
import Core
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Accounts
@testable import CareSync

@Suite("CareLog") struct CareLogTests {
    typealias Fixture = CareFixture

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? any CodedError)?.code ?? "\(error)"
        }
    }

    @Test(
        "returns what a push added, in causal order, and a repeated push adds nothing", arguments: TestEngine.allCases)
    func pushAndPull(engine: TestEngine) async throws {
        try await Fixture.with(on: engine) { fixture in
            let revisions = [
                CareRevision([try Fixture.outcome(2, of: 1)], knowledgeVector: Fixture.vector([7: 2])),
                CareRevision([try Fixture.task(1)], knowledgeVector: Fixture.vector([7: 1])),
            ]
            let vector = try await fixture.push(revisions, Fixture.vector([7: 3]))
            #expect(vector == Fixture.vector([7: 3]))
            #expect(try await fixture.push(revisions, Fixture.vector([7: 3])) == vector)
            let answer = try await fixture.pull(Fixture.vector([8: 1]))
            #expect(answer.revisions == [revisions[1], revisions[0]])
            #expect(answer.vector.clocks == Fixture.vector([7: 3, 8: 0]).clocks)
            #expect(try await fixture.pull(answer.vector).revisions.isEmpty)
            #expect(try await fixture.pull(Fixture.vector([7: 1])).revisions == [revisions[0]])
        }
    }

    @Test("completes a partial calendar of a stored task, so that CareKit reads it", arguments: TestEngine.allCases)
    func partialCalendar(engine: TestEngine) async throws {
        try await Fixture.with(on: engine) { fixture in
            let task = try Fixture.task(1)
            _ = try await fixture.push(
                [CareRevision([task], knowledgeVector: Fixture.vector([7: 1]))], Fixture.vector([7: 1]))
            var object = task.object
            object["schedule"]?["elements"]?.withElements {
                $0[0]["calendar"] = ["identifier": "gregorian", "timeZone": ["identifier": "Europe/Berlin"]]
            }
            let content = object.text()
            try await fixture.database.write {
                _ = try $0.execute("UPDATE care_version SET content = ?", [SQLValue(content)])
            }
            let pulled = try await fixture.pull(for: .careKit).revisions.flatMap(\.entities)
            #expect(pulled.count == 1)
            let calendar = pulled[0].object.at("schedule", "elements")?[0]?["calendar"]
            #expect(calendar?["firstWeekday"] == 1 && calendar?["minimumDaysInFirstWeek"] == 1)
            // An outcome of the task is taken.
            _ = try await fixture.push(
                [CareRevision([try Fixture.outcome(2, of: 1)], knowledgeVector: Fixture.vector([7: 2]))],
                Fixture.vector([7: 2]))
            #expect(try await fixture.pull().revisions.flatMap(\.entities).count == 2)
        }
    }

    @Test("resolves tips of an id and live outcomes of an event", arguments: TestEngine.allCases)
    func resolution(engine: TestEngine) async throws {
        try await Fixture.with(on: engine) { fixture in
            _ = try await fixture.push(
                [CareRevision([try Fixture.task(1)], knowledgeVector: Fixture.vector([7: 1]))], Fixture.vector([7: 2]))
            _ = try await fixture.push(
                [
                    CareRevision(
                        [
                            try Fixture.task(2, previous: [1], updated: 5),
                            try Fixture.outcome(4, of: 1, updated: 3),
                        ], knowledgeVector: Fixture.vector([7: 3]))
                ], Fixture.vector([7: 4]))
            let vector = try await fixture.push(
                [
                    CareRevision(
                        [
                            try Fixture.task(3, previous: [1], updated: 4),
                            try Fixture.outcome(5, of: 1, updated: 9),
                        ], knowledgeVector: Fixture.vector([7: 2, 8: 3]))
                ], Fixture.vector([7: 2, 8: 4]))
            try await fixture.requireInvariants()
            let all = try await fixture.pull()
            let graph = VersionGraph(all.revisions.flatMap(\.entities))
            #expect(graph.versions.count == 7)
            let tips = graph.liveTips
            #expect(Set(tips.map(\.kind)) == [.task, .outcome])
            #expect(tips.first { $0.kind == .task }?.object["title"] == "Task 2")
            #expect(tips.first { $0.kind == .task }?.updatedDate == 5)
            #expect(tips.first { $0.kind == .outcome }?.id == "outcome-5")
            #expect(all.vector == vector)
            #expect(vector.clocks.count == 3)
        }
    }

    @Test("a version that arrives late is found by copies whose vectors cover it")
    func lateVersion() async throws {
        try await Fixture.with { fixture in
            _ = try await fixture.push([], Fixture.vector([7: 9]))
            let known = try await fixture.pull()
            let late = CareRevision([try Fixture.task(1)], knowledgeVector: Fixture.vector([7: 5]))
            let vector = try await fixture.push([late], Fixture.vector([7: 9]))
            let answer = try await fixture.pull(known.vector)
            #expect(answer.revisions.map(\.entities) == [late.entities])
            #expect(!(answer.revisions.first?.knowledgeVector.isCovered(by: Fixture.vector([7: 9])) ?? true))
            #expect(try await fixture.pull(vector).revisions.isEmpty)
        }
    }

    @Test("refuses missing references, impossible outcomes, foreign links and claims of the server's clock")
    func refusals() async throws {
        try await Fixture.with { fixture in
            let vector = Fixture.vector([7: 1])
            func push(_ entities: [CareEntity], _ knowledge: KnowledgeVector = vector) async -> String? {
                await code {
                    _ = try await fixture.push([CareRevision(entities, knowledgeVector: vector)], knowledge)
                }
            }
            #expect(await push([try! Fixture.task(2, previous: [1])]) == "reference-missing")
            #expect(await push([try! Fixture.outcome(2, of: 1)]) == "reference-missing")
            #expect(await push([try! Fixture.task(1)]) == nil)
            #expect(await push([try! Fixture.outcome(2, of: 1, at: -1)]) == "outcome-impossible")
            #expect(await push([try! Fixture.task(3, id: "other", previous: [1])]) == "entity-invalid")
            #expect(
                await push([try! Fixture.task(4, previous: [5]), try! Fixture.task(5, previous: [4])])
                    == "version-cycle")
            let state = try await fixture.database.read { try PeopleState(in: $0) }
            #expect(await push([], KnowledgeVector([state.careProcess: 1])) == "vector-invalid")
            #expect(await code { _ = try await fixture.push([], vector, patient: "unknown") } == "account-unknown")
            #expect(
                await code {
                    _ = try await fixture.log.pull(
                        since: vector, page: "x", caller: .complete, patient: Fixture.patient, session: "s")
                } == "cursor-invalid")
            #expect(try await fixture.pull().revisions.flatMap(\.entities).count == 1)
        }
    }

    @Test("the first content of a uuid stays, and another patient may have the same uuid")
    func sameIdentity() async throws {
        try await Fixture.with { fixture in
            try await fixture.addAccount("patient-2")
            let vector = Fixture.vector([7: 1])
            let first = CareRevision([try Fixture.task(1)], knowledgeVector: vector)
            let second = CareRevision([try Fixture.task(1, id: "other")], knowledgeVector: vector)
            _ = try await fixture.push([first], vector)
            _ = try await fixture.push([second], vector)
            _ = try await fixture.push([second], vector, patient: "patient-2")
            #expect(try await fixture.pull().revisions == [first])
            #expect(try await fixture.pull(patient: "patient-2").revisions == [second])
        }
    }

    @Test("pages are of one snapshot", arguments: TestEngine.allCases)
    func paging(engine: TestEngine) async throws {
        try await Fixture.with(on: engine) { fixture in
            let revisions = try (1...1_201).map { number in
                CareRevision(
                    [try Fixture.task(number, id: "task-\(number)")], knowledgeVector: Fixture.vector([7: number]))
            }
            let vector = try await fixture.push(revisions, Fixture.vector([7: 2_000]))
            let first = try await fixture.log.pull(
                since: KnowledgeVector(), page: nil, caller: .complete, patient: Fixture.patient, session: "s")
            _ = try await fixture.push(
                [CareRevision([try Fixture.task(5_000, id: "new")], knowledgeVector: Fixture.vector([9: 1]))],
                Fixture.vector([9: 2]))
            var (entities, page, last) = (first.revisions.flatMap(\.entities), first.next, first)
            while let next = page {
                last = try await fixture.log.pull(
                    since: KnowledgeVector(), page: next, caller: .complete, patient: Fixture.patient, session: "s")
                entities += last.revisions.flatMap(\.entities)
                page = last.next
            }
            #expect(entities == revisions.flatMap(\.entities))
            #expect(last.knowledgeVector == vector)
            let rest = try await fixture.pull(vector)
            #expect(rest.revisions.flatMap(\.entities).map(\.id) == ["new"])
            #expect(rest.pages == 1)
        }
    }

    @Test("CareKit's store gets one version of each event", arguments: TestEngine.allCases)
    func shaping(engine: TestEngine) async throws {
        try await Fixture.with(on: engine) { fixture in
            _ = try await fixture.push(
                [
                    CareRevision([try Fixture.task(1)], knowledgeVector: Fixture.vector([7: 1])),
                    CareRevision(
                        [
                            try Fixture.outcome(2, of: 1, updated: 1),
                            try Fixture.outcome(3, id: "outcome-2", of: 1, previous: [2], updated: 2, isDeleted: true),
                            try Fixture.outcome(4, of: 1, updated: 3),
                        ], knowledgeVector: Fixture.vector([7: 2])),
                ], Fixture.vector([7: 3]))
            let new = try await fixture.pull(Fixture.vector([8: 1]), for: .careKit)
            #expect(new.revisions.flatMap(\.entities).map(\.uuid) == [Fixture.uuid(1), Fixture.uuid(4)])
            // A copy that shows an outcome gets the deletion; another one does not.
            _ = try await fixture.push(
                [
                    CareRevision(
                        [
                            try Fixture.outcome(
                                5, id: "outcome-4", of: 1, previous: [4], updated: 4, isDeleted: true)
                        ], knowledgeVector: Fixture.vector([7: 4]))
                ], Fixture.vector([7: 5]))
            let deletion = try await fixture.pull(new.vector, for: .careKit).revisions.flatMap(\.entities)
            #expect(deletion.map(\.uuid) == [Fixture.uuid(5)])
            #expect(deletion.first?.previous == [Fixture.uuid(4)])
            let tasks = try await fixture.pull(Fixture.vector([8: 1]), for: .careKit).revisions.flatMap(\.entities)
            #expect(tasks.map(\.uuid) == [Fixture.uuid(1)])
        }
    }

    @Test("after a restore, a session gets nothing until it has sent what it has")
    func restore() async throws {
        try await Fixture.with { fixture in
            let revision = CareRevision([try Fixture.task(1)], knowledgeVector: Fixture.vector([7: 1]))
            let vector = try await fixture.push([revision], Fixture.vector([7: 2]))
            try await fixture.renew()
            for _ in 0..<2 {
                let answer = try await fixture.pull(Fixture.vector([8: 3]), session: "a")
                #expect(answer.revisions.isEmpty)
                #expect(answer.vector.clocks == Fixture.vector([7: 0, 8: 0]).clocks)
            }
            _ = try await fixture.push([], Fixture.vector([8: 4]), session: "a")
            #expect(try await fixture.pull(Fixture.vector([8: 3]), session: "a").revisions == [revision])
            #expect(try await fixture.pull(vector, session: "b").revisions.isEmpty)
        }
    }
}
