import Foundation
import Wire

/// A signed call whose signature was verified with the key of its csi, which has not ended.
package struct VerifiedCsiCall: Sendable {
    package let request: SignedCsiRequest
    /// The caller.
    package let csi: CsiInstance
    /// The key that signed it.
    package let key: P256PublicKey
    package let receivedAt: Date
    /// Whether a list shall contain ended and expired permissions too.
    package var includesEnded = false
}
