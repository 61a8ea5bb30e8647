import Foundation

/// A consent that a person signs on a device, for code that has the device's key and does not read the consent.
///
/// `ConsentSession` of `InformedConsent` conforms; `DeviceStore` of `Outbox` signs it:
///
/// ```swift
/// let signed = try store.sign(consent, as: name)
/// ```
public protocol SignableConsent: Sendable {
    /// The facts of the signing.
    associatedtype Signing
    /// The signed consent.
    associatedtype Signed

    /// Returns the facts of a signing now, by a new participant.
    ///
    /// - Parameters:
    ///   - name: the name of the signer.
    ///   - time: the time, with the offset of the person's time zone.
    ///   - deviceKey: the public key of the device's signatures, a JWK; nil if the device does not sign.
    func signing(as name: String, at time: DateTime, deviceKey: String?) -> Signing

    /// Signs the consent.
    ///
    /// - Throws: if the person is not eligible or an answer is missing; then nothing is created.
    func signed(_ signing: Signing) throws -> Signed
}
