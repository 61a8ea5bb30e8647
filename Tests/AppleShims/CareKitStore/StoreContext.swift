import Foundation

/// The random numbers and the time of a store. CareKit takes those of the system; tests pass their own.
package struct StoreSurroundings: Sendable {
    package var random: @Sendable () -> UInt64
    package var now: @Sendable () -> Date

    package init(random: @escaping @Sendable () -> UInt64, now: @escaping @Sendable () -> Date) {
        (self.random, self.now) = (random, now)
    }

    static let system = StoreSurroundings(random: { .random(in: 0...UInt64.max) }, now: { Date() })

    /// A generator of the store's random numbers.
    var generator: some RandomNumberGenerator { Generator(draw: random) }

    private struct Generator: RandomNumberGenerator {
        let draw: @Sendable () -> UInt64
        mutating func next() -> UInt64 { draw() }
    }

    func uuid() -> UUID {
        let (high, low) = (random(), random())
        let bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}

/// What the store has of Core Data's `NSManagedObjectContext`: changes that are saved or rolled back as a whole, and a
/// queue for them.
package final class StoreContext: @unchecked Sendable {
    let surroundings: StoreSurroundings
    /// Called after a save that inserted versions.
    var didSave: (@Sendable () -> Void)?
    private let lock = NSRecursiveLock()
    /// The blocks of the queue, in the order in which they were added.
    private let blocks: AsyncStream<@Sendable () -> Void>.Continuation
    private var saved: StoreContents
    private var pending: StoreContents
    private var inserted: [(type: OCKEntity.EntityType, uuid: UUID)] = []
    private var trapped: [String] = []

    init(_ surroundings: StoreSurroundings) {
        self.surroundings = surroundings
        saved = StoreContents(clockID: surroundings.uuid())
        pending = saved
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        blocks = continuation
        Task { for await block in stream { block() } }
    }

    deinit { blocks.finish() }

    package func perform(_ block: @escaping @Sendable () -> Void) {
        blocks.yield { self.performAndWait(block) }
    }

    package func performAndWait<Outcome>(_ block: () throws -> Outcome) rethrows -> Outcome {
        lock.lock()
        defer { lock.unlock() }
        return try block()
    }

    package var clockID: UUID { performAndWait { pending.clockID } }

    package var knowledgeVector: OCKRevisionRecord.KnowledgeVector {
        get { performAndWait { pending.vector } }
        set { performAndWait { pending.vector = newValue } }
    }

    var contents: StoreContents { performAndWait { pending } }

    func change(_ change: (inout StoreContents) -> Void) { performAndWait { change(&pending) } }

    /// The reasons for which CareKit would have ended the process.
    package var traps: [String] { performAndWait { trapped } }

    func trap(_ reason: String) { performAndWait { trapped.append(reason) } }

    func didInsert(_ type: OCKEntity.EntityType, _ uuid: UUID) { performAndWait { inserted.append((type, uuid)) } }

    /// Checks the inserted versions (3.5 e) and saves the changes. After an error the changes are still pending.
    func save() throws {
        let hasInserted = try performAndWait {
            for (type, uuid) in inserted {
                guard let version = pending.version(type, uuid) else { continue }
                try validateForInsert(version)
            }
            saved = pending
            defer { inserted = [] }
            return !inserted.isEmpty
        }
        if hasInserted { didSave?() }
    }

    func rollback() {
        performAndWait {
            pending = saved
            inserted = []
        }
    }

    /// The process ends: what is not saved is lost.
    package func end() { rollback() }

    private func validateForInsert(_ version: StoredVersion) throws {
        if let event = version.eventKey {
            let others = pending.outcomes(of: event).filter { $0.isLiveTip && $0.value.uuid != version.value.uuid }
            guard others.isEmpty else { throw OCKStoreError.addFailed(reason: "A duplicate outcome exists") }
        }
        let schedule = (version.value as? OCKTask)?.schedule ?? (version.value as? OCKHealthKitTask)?.schedule
        for element in schedule?.elements ?? [] {
            let interval = element.interval
            let parts = [
                interval.second, interval.minute, interval.hour, interval.day, interval.weekOfYear, interval.month,
                interval.year,
            ]
            guard parts.reduce(0, { $0 + ($1 ?? 0) }) > 0 else {
                throw OCKStoreError.invalidValue(reason: "OCKScheduleElement must have at least 1 non-zero interval")
            }
        }
    }
}
