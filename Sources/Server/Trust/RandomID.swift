import Core
import Foundation

/// Random UUIDs (RFC 9562 version 4), in lowercase.
enum RandomID {
    static func make(_ random: (Int) -> [UInt8]) -> String {
        UUID(random(16), version: .random).lowercaseText
    }
}
