import Foundation

/// A random generator that gives the same numbers for the same seed (SplitMix64).
public struct Seeded: RandomNumberGenerator {
    public let seed: UInt64
    private var state: UInt64

    public init(_ seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Returns a generator with a new seed, which is printed so that a failure can be repeated.
    public static func fresh(_ test: String = #fileID) -> Seeded { Seeded(newSeed(test)) }

    /// Returns the seed that `TRIBUTARY_SEED` names, or a new one. It is printed before it is used, so that it is known
    /// even if the test ends the process.
    public static func newSeed(_ test: String = #fileID) -> UInt64 {
        let seed =
            ProcessInfo.processInfo.environment["TRIBUTARY_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): seed \(seed)")
        return seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
