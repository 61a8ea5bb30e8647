/// The system's random generator.
package enum SystemRandom {
    /// Returns random bytes that are suitable for secrets.
    package static let bytes: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
