import Foundation

/// A store on the device for its secrets: the credentials of its enrolment and its signing key.
///
/// A save is atomic, and a saved secret survives a restart.
public protocol SecretStore: Sendable {
    /// Returns the secret of this name; `nil` if there is none. Throws ``DeviceStorageError`` if that cannot be determined.
    func secret(named name: String) throws(DeviceStorageError) -> Data?

    /// Saves a secret, which replaces an earlier one of this name. Throws ``DeviceStorageError``.
    func save(_ secret: Data, named name: String) throws(DeviceStorageError)

    /// Removes a secret; an absent one is no error. Throws ``DeviceStorageError``.
    func removeSecret(named name: String) throws(DeviceStorageError)
}
