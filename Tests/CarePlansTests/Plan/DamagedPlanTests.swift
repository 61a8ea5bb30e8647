import FHIR
import Foundation
import TestSupport
import Testing

@testable import CarePlans

/// Values of all kinds in all members of plans: each is refused with a stable code, or read without a trap in bounded time.
@Suite struct DamagedPlanTests {
    private static let values: [JSON] = [
        .null, true, 0, -1, 1, 9_223_372_036_854_775_807, "", "x", "2026-01-01", [], [:], [[:]],
        ["identifier": "gregorian"],
        .number(JSONNumber(text: "1e400") ?? JSONNumber(0)), .number(JSONNumber(text: "-3.2e11") ?? JSONNumber(0)),
        .number(JSONNumber(text: "3.19e11") ?? JSONNumber(0)), .number(JSONNumber(text: "0.1") ?? JSONNumber(0)),
        "00000000-0000-0000-0000-000000000000", ["day": 1], ["second": 1], ["year": 9_999],
        ["identifier": "Asia/Tokyo"],
        ["isAllDay": true], ["seconds": 1_000_000_000_000], "\u{0}\u{1}", "🚶‍♀️",
    ]

    /// Replaces or removes one value at a random path.
    private func damage(_ json: JSON, _ generator: inout Seeded) -> JSON {
        let stops = Int.random(in: 0..<5, using: &generator) == 0
        if !stops, let object = json.object, let member = object.members.randomElement(using: &generator) {
            var changed = json
            changed[member.key] =
                Int.random(in: 0..<8, using: &generator) == 0 ? JSON?.none : damage(member.value, &generator)
            return changed
        }
        if !stops, var array = json.array, let index = array.indices.randomElement(using: &generator) {
            array[index] = damage(array[index], &generator)
            return .array(array)
        }
        return Self.values.randomElement(using: &generator) ?? .null
    }

    @Test func damagedEntitiesAreRefusedOrRead() throws {
        var generator = Seeded.fresh()
        var codes: Set<String> = []
        var (read, slowest) = (0, Duration.zero)
        for _ in 0..<15 {
            let plan = try RandomPlan(&generator)
            var entities: [CareEntity] = []
            for version in plan.edit.versions {
                var object = version.object
                for _ in 0..<Int.random(in: 1...3, using: &generator) { object = damage(object, &generator) }
                do throws(CarePlanError) {
                    entities.append(try CareEntity(kind: version.kind, object: object))
                } catch {
                    codes.insert(error.code)
                    entities.append(version)
                }
            }
            read += entities.count
            let began = ContinuousClock.now
            let contents = CarePlanContents(entities)
            func attempt(_ body: () throws -> Void) {
                do { try body() } catch { codes.insert((error as? any CodedError)?.code ?? "\(error)") }
            }
            let start = Fixture.date("2026-03-01T00:00:00Z")
            attempt { _ = try contents.events(from: start, to: start.addingTimeInterval(40 * 86_400)) }
            attempt { _ = try contents.adherence(from: CareDay(start, in: .gmt), to: CareDay(start, in: .gmt)) }
            #expect(contents.bundle(patient: "me").json["entry"] != nil)
            for version in entities where version.kind == .task {
                attempt { _ = try CareTask(version).hasEvent(occurrence: 1_000_000) }
                var edit = CarePlanEdit(contents, now: start, timeZone: .gmt)
                attempt { try edit.update(.task, ["id": .string(version.id), "title": "x"]) }
                attempt { try edit.record(.init(task: version.uuid, occurrence: 2), values: [1]) }
                attempt { try edit.delete(.task, id: version.id) }
                attempt { try edit.add(version.kind, damage(version.object, &generator)) }
            }
            slowest = max(slowest, ContinuousClock.now - began)
        }
        print("\(read) entities, codes \(codes.sorted()), slowest plan \(slowest)")
        let known = Set(CarePlanError.Reason.allCases.map(\.rawValue)).union([
            "id-in-use", "entity-missing", "update-after-deletion", "outcome-exists", "outcome-missing",
            "occurrence-missing", "event-overshadowed", "outcome-impossible", "outcomes-lost", "schedule-drifts",
        ])
        #expect(codes.isSubset(of: known))
    }
}
