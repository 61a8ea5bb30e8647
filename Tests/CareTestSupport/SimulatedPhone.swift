import CareKitStore
import CarePlans
import Core
import Foundation

/// The changes of users in a simulation.
public enum SimulatedUse: Sendable {
    /// Tasks and their versions, outcomes without deletions: carekit-sync-model.py.
    case updates
    /// Outcomes as CareKit's cards make them, and deletions: carekit-outcomes-model.py.
    case toggles

    /// The percentage of new tasks, and that of new tasks and new versions.
    var shares: (tasks: Int, versions: Int) { self == .updates ? (46, 77) : (20, 35) }
}

/// One phone of a simulation.
public protocol SimulatedPhone: AnyObject, Sendable {
    var name: String { get }
    /// Whether the phone keeps all versions: CareKit's store gets the winners of events only.
    var keepsAllVersions: Bool { get }
    /// The user changes something: a new task, another version of one, an outcome added, changed or removed.
    func change(_ use: SimulatedUse) async throws
    /// Pulls, then pushes.
    func synchronize() async throws
    /// The versions that the user sees.
    func shown() async throws -> Set<ShownVersion>
    /// All versions that the phone has.
    func versions() async throws -> Set<UUID>
    /// Keeps a copy of the phone's files, or installs the app again if the phone has none.
    func copy() async throws
    /// Brings the copy back.
    func restoreCopy() async throws
    /// Ends the random faults of the phone itself.
    func endFaults()
    /// The faults that end an app.
    var traps: [String] { get }
}

/// A live tip.
public struct ShownVersion: Hashable, Sendable, CustomStringConvertible {
    public let kind: String
    /// The id, or the event of an outcome.
    public let key: String
    public let uuid: UUID

    public init(_ entity: CareEntity) {
        kind = entity.kind.rawValue
        key = entity.event.map { "\($0.task) \($0.occurrence)" } ?? entity.id
        uuid = entity.uuid
    }

    public var description: String { "\(kind) \(key): \(uuid)" }
}

extension CareEntity {
    /// The version as CareKit's `Codable` writes it.
    public init(_ entity: OCKEntity) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(entity)
        guard let json = JSON(reading: data) else { throw SimulatedRefusal("not JSON") }
        try self.init(json)
    }
}

/// Creates the content of a simulation.
public enum SimulatedContent {
    static let firstDay = Date(timeIntervalSinceReferenceDate: 790_000_000)

    /// A daily task that begins on a day. Each version of a task begins later than the events of the one before.
    public static func task(id: String, version: Int, random: SimulationRandom) -> OCKTask {
        let start = firstDay.addingTimeInterval(Double(version) * 30 * 86_400)
        let element = OCKScheduleElement(start: start, end: nil, interval: DateComponents(day: 1))
        var task = OCKTask(
            id: id, title: "v\(version)", carePlanUUID: nil, schedule: OCKSchedule(composing: [element]))
        task.uuid = random.uuid()
        return task
    }

    /// An outcome with a new id, as CareKit's cards make them.
    public static func outcome(task: UUID, occurrence: Int, random: SimulationRandom) -> OCKOutcome {
        var value = OCKOutcomeValue(random.number(below: 100))
        value.createdDate = random.now()
        var outcome = OCKOutcome(taskUUID: task, taskOccurrenceIndex: occurrence, values: [value])
        outcome.uuid = random.uuid()
        outcome.id = random.uuid().uuidString
        outcome.effectiveDate = random.now()
        return outcome
    }

    /// A change by a user of a phone that keeps all versions: a new task, another version of a task, a deletion, or an
    /// outcome added, changed or removed.
    static func change(of graph: VersionGraph, use: SimulatedUse, random: SimulationRandom) throws -> [OCKEntity] {
        let live = graph.liveTips.filter { $0.kind == .task }
        let choice = random.number(below: 100)
        guard choice >= use.shares.tasks, let task = random.element(of: live) else {
            var task = task(id: random.uuid().uuidString, version: 0, random: random)
            (task.createdDate, task.updatedDate) = (random.now(), random.now())
            return [.task(task)]
        }
        if choice < use.shares.versions {
            guard case .task(var next) = try entity(task) else { return [] }
            if use == .toggles, random.chance(0.1) {
                next.deletedDate = random.now()
            } else {
                let created = next.createdDate
                next = self.task(id: next.id, version: number(of: next) + 1, random: random)
                next.createdDate = created
            }
            (next.uuid, next.previousVersionUUIDs, next.nextVersionUUIDs) = (random.uuid(), [task.uuid], [])
            next.updatedDate = random.now()
            return [.task(next)]
        }
        let event = CareEvent.Key(task: task.uuid, occurrence: random.number(below: 2))
        let outcomes = graph.liveTips.filter { $0.event == event }
        guard let current = outcomes.first else {
            var outcome = outcome(task: event.task, occurrence: event.occurrence, random: random)
            (outcome.createdDate, outcome.updatedDate) = (random.now(), random.now())
            return [.outcome(outcome)]
        }
        guard use == .toggles, outcomes.count == 1, case .outcome(var next) = try entity(current) else { return [] }
        if random.chance(0.6) { next.deletedDate = random.now() }
        (next.uuid, next.previousVersionUUIDs, next.nextVersionUUIDs) = (random.uuid(), [current.uuid], [])
        (next.updatedDate, next.effectiveDate) = (random.now(), random.now())
        return [.outcome(next)]
    }

    private static func entity(_ version: CareEntity) throws -> OCKEntity {
        try JSONDecoder().decode(OCKEntity.self, from: Data(version.json.text().utf8))
    }

    /// The number of a task's version, from its title.
    public static func number(of task: OCKTask) -> Int { Int(task.title?.dropFirst() ?? "0") ?? 0 }
}
