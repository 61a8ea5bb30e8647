import FHIR
import Foundation

/// Removes from a Patient, a RelatedPerson or a Person the identifying data that ``Pseudonymization`` would not
/// include.
struct IdentifyingPerson {
    let today: DateTime
    let pseudonymization: Pseudonymization

    /// The types of resources that represent a participant or a related person.
    static let types: Set<String> = ["Patient", "RelatedPerson", "Person"]

    /// Elements that contain a name or a contact, or free text with either.
    private static let direct = ["name", "telecom", "photo", "contact", "text"]
    /// The permitted parts of an address: no area smaller than a state, except the area of a postal code.
    private static let knownOfAddress: Set<String> = [
        "id", "use", "_use", "type", "_type", "state", "_state", "country", "_country", "postalCode", "period",
    ]
    private static let extensions: Set<String> = [
        "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName",
        "http://hl7.org/fhir/StructureDefinition/patient-birthPlace",
        "http://hl7.org/fhir/StructureDefinition/patient-birthTime",
        "http://hl7.org/fhir/StructureDefinition/geolocation",
    ]

    /// Reduces the person.
    ///
    /// - Returns: the elements that were removed or made less precise.
    func reduce(_ person: inout JSONObject) -> [String] {
        var found: [String] = []
        // 1. Names, contacts, pictures, free text.
        for name in Self.direct where person[name] != nil || person["_" + name] != nil {
            person[name] = nil
            person["_" + name] = nil
            found.append(name)
        }
        // 2. Identifying identifiers, and extensions.
        if remove(from: &person, "identifier", where: { IdentifyingText.isIdentifying(identifier: $0) }) {
            found.append("identifier")
        }
        if remove(from: &person, "extension", where: Self.isIdentifying) { found.append("extension") }
        // 3. Dates and ages.
        if reduceBirth(&person) { found.append("birthDate") }
        if let death = person["deceasedDateTime"]?.string, death.count > 4 {
            person["deceasedDateTime"] = DateTime(death).map { .string(String($0.dateText.prefix(4))) }
            person["_deceasedDateTime"] = nil
            found.append("deceasedDateTime")
        }
        // 4. Addresses.
        if let addresses = person["address"] {
            var elements: [String] = []
            let reduced = (addresses.array ?? [addresses]).map { reduce(address: $0, &elements) }
            if !elements.isEmpty {
                let kept = reduced.filter { $0.object?.isEmpty == false }
                person["address"] = kept.isEmpty ? nil : .array(kept)
                for element in elements where !found.contains(element) { found.append(element) }
            }
        }
        return found
    }

    private func reduceBirth(_ person: inout JSONObject) -> Bool {
        guard let written = person["birthDate"] else {
            // An extension can contain the time of birth although there is no date.
            guard let birthExtensions = person["_birthDate"]?["extension"]?.array,
                birthExtensions.contains(where: Self.isIdentifying)
            else { return false }
            let kept = birthExtensions.filter { !Self.isIdentifying($0) }
            person["_birthDate"] = kept.isEmpty ? nil : ["extension": .array(kept)]
            return true
        }
        guard written.string.flatMap({ DateTime($0) }) != nil else {
            person["birthDate"] = nil
            person["_birthDate"] = nil
            return true
        }
        let aggregated = pseudonymization.aggregatingAge(of: Patient(person), today: today).object
        guard aggregated != person else { return false }
        person = aggregated
        return true
    }

    private func reduce(address: JSON, _ elements: inout [String]) -> JSON {
        guard var object = address.object else {
            elements.append("address")
            return .null
        }
        for name in object.keys where !Self.knownOfAddress.contains(name) {
            object[name] = nil
            let element = name.hasPrefix("_") ? String(name.dropFirst()) : name
            elements.append(
                ["text", "line", "city", "district", "extension"].contains(element) ? "address.\(element)" : "address")
        }
        if let code = object["postalCode"] {
            let area = pseudonymization.area(ofPostalCode: code.string ?? "", country: object["country"]?.string)
            if area != code.string {
                object["postalCode"] = area.map { .string($0) }
                elements.append("address.postalCode")
            }
        }
        return .object(object)
    }

    private func remove(from person: inout JSONObject, _ name: String, where isFound: (JSON) -> Bool) -> Bool {
        guard let value = person[name] else { return false }
        let entries = value.array ?? [value]
        let kept = entries.filter { !isFound($0) }
        guard kept.count < entries.count else { return false }
        person[name] = kept.isEmpty ? nil : .array(kept)
        return true
    }

    /// Whether an extension, or one nested in it, contains a name, a contact or an address.
    private static func isIdentifying(_ extension: JSON) -> Bool {
        if let url = `extension`["url"]?.string, extensions.contains(url) { return true }
        for name in ["valueHumanName", "valueContactPoint", "valueAddress"] where `extension`[name] != nil {
            return true
        }
        if let identifier = `extension`["valueIdentifier"], IdentifyingText.isIdentifying(identifier: identifier) {
            return true
        }
        return `extension`["extension"]?.array?.contains(where: isIdentifying) ?? false
    }
}
