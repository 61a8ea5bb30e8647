import Core
import Foundation

extension DeviceStore {
    /// Signs a consent with the public key of this device in it, so that the study accepts later submissions only from
    /// this device.
    ///
    /// ```swift
    /// let signed = try store.sign(consent, as: name)
    /// try store.queue(signed)
    /// ```
    /// Further facts of the signing are set in the closure:
    ///
    /// ```swift
    /// let signed = try store.sign(consent, as: name) { $0.moveCode = code }
    /// ```
    /// - Parameters:
    ///   - consent: the session in which the person answered, such as a `ConsentSession`.
    ///   - name: the name of the signer.
    ///   - time: the time of signing; by default now, with the offset of the device's time zone.
    ///   - change: changes the facts of the signing.
    /// - Throws: errors of the consent, such as `ConsentError`; as for ``deviceKey()``. Then nothing was signed.
    public func sign<Consent: SignableConsent>(
        _ consent: Consent, as name: String, at time: DateTime = .now(),
        changing change: (inout Consent.Signing) throws -> Void = { _ in }
    ) throws -> Consent.Signed {
        var signing = consent.signing(as: name, at: time, deviceKey: try deviceKey())
        try change(&signing)
        return try consent.signed(signing)
    }
}
