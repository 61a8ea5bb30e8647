import InformedConsent
import Outbox

/// Signs the consent on a new phone for the participant of the old one.
func moveToThisPhone(typed: String, consent: ConsentSession, name: String, store: DeviceStore) throws -> SignedConsent {
    guard let code = ParticipantMoveCode(text: typed) else { throw ConsentError.moveCodeInvalid }
    return try store.sign(consent, as: name) { $0.moveCode = code }
}
