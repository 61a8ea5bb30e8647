import InformedConsent
import Outbox

/// Signs the consent and queues it, before any other data.
func signConsent(
    _ template: ConsentTemplate, answers: ConsentAnswers, name: String, store: DeviceStore
) throws -> SignedConsent {
    let consent = ConsentSession(template: template, answers: answers)
    let signed = try store.sign(consent, as: name)
    // The name is in neither of the two queued resources; signed.document is for the person alone.
    try store.queue(signed)
    return signed
}
