import Foundation
import TestSupport

/// The random numbers and the time of one simulation, shared by its phones. Everything in a simulation happens in
/// sequence, so a seed always gives the same simulation.
public final class SimulationRandom: @unchecked Sendable {
    private let lock = NSLock()
    private var generator: Seeded
    private var seconds = 800_000_000.0

    public init(seed: UInt64) { generator = Seeded(seed) }

    public func next() -> UInt64 { lock.withLock { generator.next() } }

    public func chance(_ probability: Double) -> Bool { Double(next() >> 11) / Double(1 << 53) < probability }

    public func number(below limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }

    public func element<Elements: RandomAccessCollection>(of elements: Elements) -> Elements.Element? {
        guard !elements.isEmpty else { return nil }
        return elements[elements.index(elements.startIndex, offsetBy: number(below: elements.count))]
    }

    /// A later time at each call.
    public func now() -> Date {
        lock.withLock {
            seconds += 1
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
    }

    public func uuid() -> UUID {
        let words = [next(), next()]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
