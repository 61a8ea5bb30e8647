import Core
import Foundation
import Wire

/// Fingerprint of the study's published keys for responses to devices. It is read at intervals of at least one second,
/// independent of the number of requests.
actor PublishedKeysCache {
    private let configuration: ReceiverConfiguration
    private let clock: @Sendable () -> Date
    private var known: (fingerprint: String?, at: Date)?

    private static let age: TimeInterval = 1

    init(_ configuration: ReceiverConfiguration, clock: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.clock = clock
    }

    /// Returns the fingerprint of the signed set, which devices with the root key use; without a signed set that of the
    /// unsigned one. nil if there are no keys.
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
