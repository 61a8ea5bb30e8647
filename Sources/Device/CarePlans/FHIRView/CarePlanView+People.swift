import FHIR
import Foundation

extension CarePlanView {
    private static let accountSystem = "urn:tributary:account"

    /// Adds the Patient, with the identifier of the account; further patients of the plan are Patients without it.
    mutating func addPatients(_ people: [CareEntity]) {
        var account: JSON = ["system": .string(Self.accountSystem)]
        account.set("value", FHIRText.string(.string(patient)).map { .string($0) })
        guard !people.isEmpty else {
            add(subject, ["resourceType": "Patient", "identifier": [account]])
            return
        }
        for (index, person) in people.enumerated() {
            let sex = person.object["sex"]
            let isBinary = sex?.string == "male" || sex?.string == "female"
            var resource = resource(
                "Patient", of: person, extensions: [isBinary ? JSON?.none : CareExtension.text("sex", sex)])
            resource["identifier"] = .array((index == 0 ? [account] : []) + [Self.identifier(person)])
            resource.set("name", elements: Self.names(person.object["name"]))
            if FHIRText.string(sex) != nil { resource["gender"] = isBinary ? sex : "other" }
            if let birthday = Date(careSeconds: person.object["birthday"]) {
                resource["birthDate"] = .string(DateTime(birthday, in: zone(of: person)).dateText)
            }
            add(person.uuid, resource)
            addAllergies(of: person)
        }
    }

    private mutating func addAllergies(of person: CareEntity) {
        for (index, allergy) in (person.object["allergies"]?.array ?? []).enumerated() {
            guard let text = FHIRText.string(allergy) else { continue }
            add(
                CareViewIdentity.derived(from: person.uuid, "allergy", index: index),
                [
                    "resourceType": "AllergyIntolerance",
                    "clinicalStatus": [
                        "coding": [
                            [
                                "system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical",
                                "code": "active",
                            ]
                        ]
                    ],
                    "code": ["text": .string(text)], "patient": CareViewIdentity.reference(person.uuid),
                ])
        }
    }

    /// Adds the contacts.
    ///
    /// - Returns: the members of care teams: the version of the contact, and the identity of its resource.
    mutating func addContacts(_ contacts: [CareEntity]) -> [(contact: CareEntity, resource: UUID)] {
        contacts.map { contact in
            let object = contact.object
            let telecom = Self.telecom(object)
            if object["category"]?.string == "friendsAndFamily" {
                var person = resource(
                    "RelatedPerson", of: contact,
                    extensions: ["organization", "title"].map { CareExtension.text($0, object[$0]) })
                person["identifier"] = [Self.identifier(contact)]
                person["patient"] = CareViewIdentity.reference(subject)
                person.set("relationship", elements: [Self.concept(object["role"])])
                person.set("name", elements: Self.names(object["name"]))
                person.set("telecom", elements: telecom)
                person.set("address", elements: [Self.address(object["address"])])
                add(contact.uuid, person)
                return (contact, contact.uuid)
            }
            let practitioner = CareViewIdentity.derived(from: contact.uuid, "practitioner")
            var person: JSON = ["resourceType": "Practitioner"]
            person.set("extension", elements: [CareExtension.text("title", object["title"])])
            person.set("name", elements: Self.names(object["name"]))
            person.set("telecom", elements: telecom)
            person.set("address", elements: [Self.address(object["address"])])
            add(practitioner, person)
            var role = resource("PractitionerRole", of: contact)
            role["identifier"] = [Self.identifier(contact)]
            role["active"] = true
            role["practitioner"] = CareViewIdentity.reference(practitioner)
            role.set("organization", FHIRText.string(object["organization"]).map { ["display": .string($0)] })
            role.set("code", elements: [Self.concept(object["role"])])
            add(contact.uuid, role)
            return (contact, contact.uuid)
        }
    }

    /// A CodeableConcept with a text; nil for an empty one.
    static func concept(_ json: JSON?) -> JSON? { FHIRText.string(json).map { ["text": .string($0)] } }

    /// The names of a person: the full one, and the nickname.
    private static func names(_ json: JSON?) -> [JSON?] {
        func part(_ name: String) -> JSON? { FHIRText.string(json?[name]).map { .string($0) } }
        let phonetic = json?["phoneticRepresentation"]
        var name: JSON = [:]
        name.set(
            "extension",
            elements: [
                CareExtension.group(
                    "phoneticRepresentation",
                    ["namePrefix", "givenName", "middleName", "familyName", "nameSuffix", "nickname"].map {
                        CareExtension.text($0, phonetic?[$0])
                    })
            ])
        name.set("family", part("familyName"))
        name.set("given", elements: [part("givenName"), part("middleName")])
        name.set("prefix", elements: [part("namePrefix")])
        name.set("suffix", elements: [part("nameSuffix")])
        let nickname = part("nickname").map { ["use": "nickname", "text": $0] as JSON }
        return [name.object?.isEmpty == false ? name : JSON?.none, nickname]
    }

    private static func telecom(_ object: JSON) -> [JSON?] {
        let systems = [
            ("phoneNumbers", "phone"), ("messagingNumbers", "sms"), ("emailAddresses", "email"),
            ("otherContactInfo", "other"),
        ]
        return systems.flatMap { member, system in
            (object[member]?.array ?? []).map { labelled -> JSON? in
                guard let value = FHIRText.string(labelled["value"]) else { return nil }
                var point: JSON = [:]
                point.set("extension", elements: [CareExtension.text("label", labelled["label"])])
                point["system"] = .string(system)
                point["value"] = .string(value)
                return point
            }
        }
    }

    private static func address(_ json: JSON?) -> JSON? {
        func part(_ name: String) -> JSON? { FHIRText.string(json?[name]).map { .string($0) } }
        var address: JSON = [:]
        address.set(
            "extension", elements: ["isoCountryCode", "subLocality"].map { CareExtension.text($0, json?[$0]) })
        address.set("line", elements: [part("street")])
        address.set("city", part("city"))
        address.set("district", part("subAdministrativeArea"))
        address.set("state", part("state"))
        address.set("postalCode", part("postalCode"))
        address.set("country", part("country"))
        return address.object?.isEmpty == false ? address : JSON?.none
    }
}
