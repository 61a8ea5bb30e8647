import Audit
import Core
import Foundation
import Testing

@testable import Identity

/// S16: secrets cannot be guessed, and are never repeated.
@Suite struct SecretRandomnessTests {
    @Test func s16SecretsHaveEnoughBitsAndAreUnique() throws {
        let secrets = try (0..<1_000).map { _ in
            let secret = String.newSecret(SystemRandom.bytes)
            let bytes = try #require(Data(base64URL: secret))
            #expect(bytes.count * 8 >= 128)
            return secret
        }
        #expect(Set(secrets).count == secrets.count)
        let ids = (0..<1_000).map { _ in RandomID.make(SystemRandom.bytes) }
        #expect(Set(ids).count == ids.count)
        // Of a million values of 64 bits two are equal once in 37 million runs.
        let count = 1_000_000
        let begins = SystemRandom.bytes(count * 8).withUnsafeBytes { bytes in
            (0..<count).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }.sorted()
        }
        let twice = zip(begins, begins.dropFirst()).filter { $0 == $1 }
        #expect(twice.isEmpty)
        // Each bit is set in half of them: a million coin tosses deviate by less than six standard deviations.
        for bit in 0..<64 {
            let set = begins.reduce(0) { $0 + Int($1 >> bit & 1) }
            #expect(abs(set - count / 2) < 3_000, "bit \(bit): \(set)")
        }
    }
}
