import Core
import Foundation

/// Random UUIDs (RFC 9562 version 4), in lowercase.
package enum RandomID {
    /// Creates an id from 16 random bytes.
    package static func make(_ random: (Int) -> [UInt8]) -> String {
        UUID(random(16), version: .random).lowercaseText
    }
}
