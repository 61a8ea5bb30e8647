import FHIR
import Foundation

extension ConsentSession: SignableConsent {
    /// Returns the facts of a signing by a new participant.
    ///
    /// ```swift
    /// let signing = consent.signing(as: name, at: .now(), deviceKey: try store.deviceKey())
    /// ```
    public func signing(as name: String, at time: DateTime, deviceKey: String?) -> Signing {
        Signing(name: name, now: time.start(), offsetMinutes: time.offsetMinutes ?? 0, deviceKey: deviceKey)
    }

    /// Signs the consent, as ``sign(_:)`` does.
    ///
    /// ```swift
    /// let signed = try consent.signed(consent.signing(as: name, at: .now(), deviceKey: key))
    /// ```
    /// - Throws: ``ConsentError``. Nothing is created then.
    public func signed(_ signing: Signing) throws -> SignedConsent { try sign(signing) }
}

extension SignedConsent: OrderedResources {
    /// The Contract, then the Patient: the study takes data only after the consent that covers them.
    ///
    /// ```swift
    /// try store.queue(signed)
    /// ```
    public var orderedResources: [any ResourceContent] { [contract, patient] }
}
