import FHIR
import Foundation

/// The rules that say which of a person's facts may leave the device, after the list of 45 CFR 164.514(b)(2).
///
/// The result is pseudonymous, and never to be called de-identified: the random id ties all of a participant's data
/// together, and answers and readings keep their exact dates.
public struct Pseudonymization: Sendable, Hashable {
    /// The 17 three-digit areas with 20,000 people or fewer.
    public static let restrictedPrefixes: Set<String> = [
        "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890",
        "893",
    ]

    /// Three-digit areas that are told as `000`. They follow the census: a study may have a newer list.
    public var restrictedPrefixes: Set<String>

    /// Makes rules; without an argument they restrict the 17 areas of the static list.
    public init(restrictedPrefixes: Set<String> = Pseudonymization.restrictedPrefixes) {
        self.restrictedPrefixes = restrictedPrefixes
    }

    /// The Patient that represents a participant: a random id, gender, year of birth, state, and for the United States
    /// the area of the postal code.
    ///
    /// - Parameters:
    ///   - id: the participant's id, a UUID.
    ///   - today: the day by which age is counted.
    public func patient(id: String, facts: PersonFacts, today: DateTime) -> Patient {
        var patient = Patient(id: id)
        var meta = Meta()
        meta.security = [
            Coding(
                system: "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", code: "PSEUDED",
                display: "pseudonymized")
        ]
        patient.meta = meta
        patient.gender = facts.gender.flatMap {
            PersonFacts.genders.contains($0) ? AdministrativeGender(rawValue: $0) : nil
        }
        patient.birthDate = facts.birthDate
        patient = aggregatingAge(of: patient, today: today)
        if let address = address(facts) { patient.address = [address] }
        return patient
    }

    /// The Patient as it may be known today: no birth date finer than the year, and none at all more than 89 years
    /// back. Age grows, so this is done again whenever a Patient is loaded.
    public func aggregatingAge(of patient: Patient, today: DateTime) -> Patient {
        var patient = patient
        guard let birth = patient.birthDate else { return patient }
        // Only the year is kept, so who may turn 90 in this year counts as 90.
        guard today.year - birth.year > 89 else {
            patient.birthDate = DateTime(String(birth.dateText.prefix(4)))
            patient.birthDateElement = nil
            return patient
        }
        patient.birthDate = nil
        patient.birthDateElement = PrimitiveElement(extension: [.dataAbsent("masked")])
        var extensions = patient.extension.filter { $0.url != ConsentVocabulary.ninetyOrOlder }
        extensions.append(Extension(url: ConsentVocabulary.ninetyOrOlder, value: .boolean(true)))
        patient.extension = extensions
        return patient
    }

    /// Whether the Patient says that the person is 90 or older instead of giving a year of birth: by the extension, at
    /// the Patient or at the birth date that it does not tell. One without a value says yes.
    public static func isNinetyOrOlder(_ patient: Patient) -> Bool {
        (patient.extension + (patient.birthDateElement?.extension ?? [])).contains { mark in
            mark.url == ConsentVocabulary.ninetyOrOlder && mark.value?.json.bool ?? true
        }
    }

    /// The area of a United States postal code: its first three digits, `000` for a restricted one; nil where there are
    /// fewer than three digits.
    public func area(ofPostalCode code: String) -> String? {
        let digits = code.drop { $0.isWhitespace }.prefix { $0.isASCII && $0.isNumber }
        guard digits.count >= 3 else { return nil }
        let prefix = String(digits.prefix(3))
        return restrictedPrefixes.contains(prefix) ? "000" : prefix
    }

    /// What may be known of a postal code: in the United States its area, elsewhere nothing, as there it may name a street.
    ///
    /// - Parameter country: its code or name; an address without one is taken as one of the United States.
    public func area(ofPostalCode code: String, country: String?) -> String? {
        country.map(Pseudonymization.isUnitedStates) ?? true ? area(ofPostalCode: code) : nil
    }

    /// Whether a country's code or name means the United States.
    public static func isUnitedStates(_ country: String) -> Bool {
        let words = country.lowercased().filter { $0 != "." }
            .split { $0.isWhitespace || $0 == "-" || $0 == "_" }.filter { $0 != "the" }
        return ["us", "usa", "united states", "united states of america", "u s", "u s a", "840"]
            .contains(words.joined(separator: " "))
    }

    private func address(_ facts: PersonFacts) -> Address? {
        func trimmed(_ text: String?) -> String? {
            let text = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            return text.isEmpty ? nil : text
        }
        var address = Address()
        let country = trimmed(facts.country)
        let isUnitedStates = country.map(Pseudonymization.isUnitedStates) ?? false
        address.state = trimmed(facts.state)
        // Elsewhere a postal code may name a street: it stays here.
        if isUnitedStates { address.postalCode = facts.postalCode.flatMap(area) }
        address.country = isUnitedStates ? "US" : country
        return address.object.isEmpty ? nil : address
    }
}
