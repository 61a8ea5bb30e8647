import FHIR

extension ConsentTemplate {
    /// Returns the R4 Contract that a participant signed: the template's content and the signature, without a name.
    func signed(
        id: String, participant: String, sharing: Bool?, moveCode: ParticipantMoveCode? = nil,
        invitation: InvitationCode? = nil, deviceKey: String? = nil, now: DateTime
    ) -> Contract {
        var signed = Contract(id: id)
        for member in contract.object.members where ConsentTemplate.keptMembers.contains(member.key) {
            switch member.key {
            // In R4 the identifier is a list; in older releases it is a single value.
            case "identifier":
                signed.object["identifier"] = member.value.array == nil ? .array([member.value]) : member.value
            case "contained": signed.contained = contract.contained.map(ConsentTemplate.contained)
            case "term": signed.term = contract.term.map(ConsentTemplate.term)
            default: signed.object[member.key] = member.value
            }
        }
        // A code belongs to one person and a key to one device: a template's values of these extensions are invalid.
        if signed.extension.contains(where: { ConsentTemplate.signedExtensions.contains($0.url) }) {
            signed.extension = signed.extension.filter { !ConsentTemplate.signedExtensions.contains($0.url) }
        }
        for (url, text) in [
            (ConsentVocabulary.digest, terms.digest), (ConsentVocabulary.moveCode, moveCode?.text),
            (ConsentVocabulary.invitation, invitation?.secret), (ConsentVocabulary.deviceKey, deviceKey),
        ] {
            if let text { signed.extension += [Extension(url: url, value: .string(text))] }
        }
        // The URL identifies the template; the signed contract refers to it.
        signed.instantiatesUri = canonical
        signed.status = .executed
        var period = Period()
        period.start = now
        signed.applies = period
        let person = Reference("Patient/" + participant)
        let purpose = Coding(
            system: ConsentVocabulary.signatureType, code: ConsentVocabulary.consentSignature,
            display: "Consent Signature")
        let signature = Signature(type: [purpose], when: now, who: person)
        var signer = Contract.Signer(JSONObject())
        if let sharing {
            signer.extension = [Extension(url: ConsentVocabulary.sharing, value: .boolean(sharing))]
        }
        signer.type = Coding(system: ConsentVocabulary.signerType, code: "CONSENTER", display: "Consenter")
        signer.party = person
        signer.signature = [signature]
        signed.signer = [signer]
        return signed
    }

    /// The extensions that signing adds, and those of the template that it removes: a template's status is not part of
    /// the signed contract.
    static let signedExtensions: Set<String?> = [
        ConsentVocabulary.moveCode, ConsentVocabulary.invitation, ConsentVocabulary.deviceKey, ConsentVocabulary.digest,
        ConsentVocabulary.status, ConsentVocabulary.change,
    ]

    /// The members of a template that are copied to the signed Contract. Members that R4 does not have, or that belong
    /// only to the template (its URL and version, its narrative), are not copied.
    static let keptMembers: Set<String> = [
        "language", "contained", "extension", "identifier", "legalState", "issued", "expirationType", "subject",
        "authority", "domain", "site", "name", "title", "subtitle", "alias", "author", "scope", "topicCodeableConcept",
        "topicReference", "type", "subType", "term", "supportingInfo", "friendly", "legal", "rule",
    ]

    private static func contained(_ resource: Resource) -> Resource {
        var resource = resource
        if resource.resourceType == "Organization", let type = resource["type"], type.array == nil {
            resource["type"] = .array([type])
        }
        if var group: Group = resource.as() {
            group.characteristic = group.characteristic.map { characteristic in
                guard characteristic.value == nil else { return characteristic }
                var characteristic = characteristic
                characteristic.value = .boolean(true)
                return characteristic
            }
            return group.resource
        }
        return resource
    }

    /// The members of a term that are copied to the signed Contract.
    static let keptTermMembers = [
        "id", "extension", "identifier", "issued", "applies", "type", "subType", "text", "offer",
    ]

    /// Returns a term with the offer that R4 requires.
    private static func term(_ term: Contract.Term) -> Contract.Term {
        var result = Contract.Term(JSONObject())
        for key in keptTermMembers { result[key] = term[key] }
        if result["offer"] == nil {
            var offer = Contract.Term.Offer()
            offer.text = term.text
            if term.text == nil { offer.extension = [.dataAbsent("unknown")] }
            result.offer = offer
        }
        for key in ["asset", "group"] where term["offer"] != nil { result[key] = term[key] }
        return result
    }
}
