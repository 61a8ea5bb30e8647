import Core
import Foundation
import Wire

/// The fingerprint of the keys that the study publishes, for each answer that a device gets: read anew at most once a second,
/// whatever comes in.
actor PublishedKeysCache {
    private let configuration: ReceiverConfiguration
    private let clock: @Sendable () -> Date
    private var known: (fingerprint: String?, at: Date)?

    private static let age: TimeInterval = 1

    init(_ configuration: ReceiverConfiguration, clock: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.clock = clock
    }

    /// The fingerprint of the signed set, which devices that know the root key fetch; where nobody signed one, of the unsigned
    /// one. nil where there are no keys.
    func fingerprint() async -> String? {
        let now = clock()
        if let known, abs(now.timeIntervalSince(known.at)) < Self.age { return known.fingerprint }
        let signed = (try? await configuration.signedKeys()).flatMap { $0 }
        var set = signed.flatMap { try? JWS(compact: $0).payload }
        if set == nil { set = try? await configuration.publicKeys() }
        let fingerprint = set.flatMap { try? PublishedKeys(reading: $0).fingerprint }
        known = (fingerprint, now)
        return fingerprint
    }
}
