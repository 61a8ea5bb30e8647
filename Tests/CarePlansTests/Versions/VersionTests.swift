import Core
import Foundation
import TestSupport
import Testing

@testable import CarePlans

/// The laws of the version graph: the scenarios of CareKit's `TestStore+CRDT`, and those of conflicts and order.
@Suite struct VersionTests {
    private static let key = CarePlanContents.EntityKey(.task, id: "walk")
    private let daily = [Fixture.element(start: 0)]

    /// Versions of one task, each following the one before it.
    private func chain(_ count: Int) throws -> [CareEntity] {
        var plan = FixturePlan()
        var versions: [CareEntity] = []
        for _ in 0..<count {
            versions.append(try plan.task("walk", effective: 0, daily, following: versions.suffix(1).map { $0 }))
        }
        return versions
    }

    private func revisions(_ versions: [CareEntity]) -> [CareRevision] {
        versions.enumerated().map {
            CareRevision([$0.element], knowledgeVector: KnowledgeVector([FixturePlan.uuid(1): $0.offset + 1]))
        }
    }

    @Test func theSameVersionInsertedTenTimesIsOneVersion() throws {
        let version = try chain(1)
        let contents = CarePlanContents(Array(repeating: version[0], count: 10))
        #expect(contents.graph.versions.count == 1)
        #expect(contents.current == version)
    }

    @Test func tenVersionsInAnyOrderHaveTheSameLinks() throws {
        var generator = Seeded.fresh()
        let versions = try chain(10)
        for _ in 0..<20 {
            let graph = VersionGraph(versions.shuffled(using: &generator))
            #expect(graph.tips == [versions[9]])
            for (version, follower) in zip(versions, versions.dropFirst()) {
                #expect(graph.next[version.uuid] == [follower.uuid])
            }
        }
    }

    @Test func versionsOneByOneAndInTwoGroupsGiveTheSameGraph() throws {
        let versions = try chain(8)
        let oneByOne = VersionGraph(versions)
        let groups = VersionGraph(Array(versions[4...]) + Array(versions[..<4]))
        #expect(oneByOne.versions == groups.versions)
        #expect(oneByOne.next == groups.next)
    }

    @Test func ofTwoContentsOfOneUUIDTheFirstRemains() throws {
        let version = try chain(1)[0]
        var object = version.object
        object["title"] = "other"
        let other = try CareEntity(kind: .task, object: object)
        #expect(CarePlanContents([version, other]).current == [version])
        #expect(
            try CausalOrder.sort([CareRevision([version, other], knowledgeVector: KnowledgeVector())]).map(\.entity)
                == [version])
    }

    @Test func tenSiblingsGiveOneResolutionThatFollowsAll() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily)
        let siblings = try (0..<10).map { _ in try plan.task("walk", effective: 0, daily, following: [first]) }
        #expect(plan.contents.tips(of: Self.key).count == 10)
        let resolution = try #require(ConflictResolution.resolution(of: siblings, uuid: FixturePlan.uuid(99)))
        #expect(Set(resolution.previous) == Set(siblings.map(\.uuid)))
        plan.contents.insert(resolution)
        #expect(plan.contents.tips(of: Self.key) == [resolution])
    }

    @Test func aTombstoneWinsThenTheNewestThenTheGreaterUUID() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily)
        let deleted = try plan.task("walk", effective: 0, daily, following: [first], deleted: true)
        let older = try plan.task("walk", effective: 0, daily, following: [first])
        let newer = try plan.task("walk", effective: 0, daily, following: [first])
        var object = newer.object
        object["uuid"] = .string(FixturePlan.uuid(500).uuidString)
        let greater = try CareEntity(kind: .task, object: object)
        var undated = newer.object
        undated["updatedDate"] = nil
        undated["uuid"] = .string(FixturePlan.uuid(900).uuidString)
        let oldest = try CareEntity(kind: .task, object: undated)
        for order in [[deleted, older, newer, greater, oldest], [oldest, greater, newer, older, deleted]] {
            #expect(ConflictResolution.winner(of: order) == deleted)
            #expect(ConflictResolution.winner(of: order.filter { !$0.isTombstone }) == greater)
        }
        #expect(ConflictResolution.winner(of: [older, newer]) == newer)
        #expect(ConflictResolution.winner(of: [older, oldest]) == older)
        #expect(ConflictResolution.winner(of: []) == nil)
    }

    @Test func aResolutionHasTheLatestDatesOfItsTips() throws {
        var plan = FixturePlan()
        let task = try plan.task("walk", effective: 0, daily)
        let deleted = try plan.outcome("a", of: task, at: 1, deleted: true)
        var object = try plan.outcome("a", of: task, at: 1).object
        object["effectiveDate"] = 77
        let later = try CareEntity(kind: .outcome, object: object)
        let resolution = try #require(ConflictResolution.resolution(of: [deleted, later], uuid: FixturePlan.uuid(99)))
        #expect(resolution.isTombstone)
        #expect(resolution.updatedDate == later.updatedDate)
        #expect(resolution.effectiveDate == 77)
        #expect(resolution.object["nextVersionUUIDs"] == [])
    }

    @Test func predecessorsComeFirstAndATaskBeforeItsOutcomes() throws {
        var generator = Seeded.fresh()
        var plan = FixturePlan()
        let task = try plan.task("walk", effective: 0, daily)
        let outcome = try plan.outcome("a", of: task, at: 1)
        let removed = try plan.outcome("a", of: task, at: 1, following: [outcome], deleted: true)
        let changed = try plan.task("walk", effective: 1, daily, following: [task])
        let versions = [task, outcome, removed, changed]
        for _ in 0..<30 {
            let sorted = try CausalOrder.sort(revisions(versions.shuffled(using: &generator))).map(\.entity)
            func index(_ version: CareEntity) -> Int { sorted.firstIndex(of: version) ?? -1 }
            #expect(sorted.count == 4)
            #expect(index(task) < index(outcome) && index(outcome) < index(removed) && index(task) < index(changed))
        }
    }

    @Test func cyclesHaveAStableCode() throws {
        var object = try chain(1)[0].object
        func version(_ uuid: UInt64, _ previous: UInt64) throws -> CareEntity {
            object["uuid"] = .string(FixturePlan.uuid(uuid).uuidString)
            object["previousVersionUUIDs"] = [.string(FixturePlan.uuid(previous).uuidString)]
            return try CareEntity(kind: .task, object: object)
        }
        let own = #expect(throws: CarePlanError.self) { try version(1, 1) }
        #expect(own?.code == "version-cycle")
        let cycle = [try version(1, 2), try version(2, 3), try version(3, 1)]
        let error = #expect(throws: CarePlanError.self) { try CausalOrder.sort(revisions(cycle)) }
        #expect(error?.code == "version-cycle")
        // A reader of such data does not hang.
        #expect(CarePlanContents(cycle).current.isEmpty)
        #expect(CarePlanContents(cycle).history(of: Self.key).isEmpty)
    }
}
