import DeviceSystem
import Foundation

/// The secrets of a device: those of a ``DeviceSystem/SecretStore``, with the outbox's errors.
struct OutboxSecrets: Sendable {
    private let system: any SecretStore

    init(_ system: any SecretStore) { self.system = system }

    /// Returns the secret of this name; nil if there is none.
    func secret(named name: String) throws(OutboxError) -> Data? {
        do { return try system.secret(named: name) } catch { throw OutboxError(error) }
    }

    func save(_ secret: Data, named name: String) throws(OutboxError) {
        do { try system.save(secret, named: name) } catch { throw OutboxError(error) }
    }

    func removeSecret(named name: String) throws(OutboxError) {
        do { try system.removeSecret(named: name) } catch { throw OutboxError(error) }
    }
}
