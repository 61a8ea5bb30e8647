import Foundation

/// A store on the device for the few bytes that nobody else may have: the credentials of its enrolment.
///
/// A secret is saved whole or not at all, and what is saved is there after a restart.
public protocol SecretStore: Sendable {
    /// The secret of this name; `nil` if there is none. Throws ``OutboxError`` if it cannot be told.
    func secret(named name: String) throws(OutboxError) -> Data?

    /// Keeps a secret, in the place of an earlier one of this name. Throws ``OutboxError``.
    func save(_ secret: Data, named name: String) throws(OutboxError)

    /// Forgets a secret; one that is not there is no error. Throws ``OutboxError``.
    func removeSecret(named name: String) throws(OutboxError)
}
