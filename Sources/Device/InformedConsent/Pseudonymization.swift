import FHIR
import Foundation

/// The rules that decide which of a person's facts may leave the device, based on the list of 45 CFR 164.514(b)(2).
///
/// The result is pseudonymous, and must not be called de-identified: the random id links all of a participant's data,
/// and answers and readings keep their exact dates.
public struct Pseudonymization: Sendable, Hashable {
    /// The 17 three-digit areas with 20,000 people or fewer.
    public static let restrictedPrefixes: Set<String> = [
        "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890",
        "893",
    ]

    /// Three-digit areas that are replaced by `000`. They depend on the census: a study can use a newer list.
    public var restrictedPrefixes: Set<String>

    /// Creates rules. By default they restrict the 17 areas of the static list.
    public init(restrictedPrefixes: Set<String> = Pseudonymization.restrictedPrefixes) {
        self.restrictedPrefixes = restrictedPrefixes
    }

    /// Returns the Patient that represents a participant: a random id, gender, year of birth, state, and for the United
    /// States the area of the postal code.
    ///
    /// - Parameters:
    ///   - id: the participant's id, a UUID.
    ///   - today: the reference day for computing the age.
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

    /// Returns the Patient with the birth date reduced to the year, and without a birth date if the age can be over 89.
    /// Because people grow older, this is repeated whenever a Patient is loaded.
    public func aggregatingAge(of patient: Patient, today: DateTime) -> Patient {
        var patient = patient
        guard let birth = patient.birthDate else { return patient }
        // Only the year is kept, so a person who turns 90 during this year is treated as 90.
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

    /// Whether the Patient states that the person is 90 or older instead of a year of birth, by the extension at the
    /// Patient or at the missing birth date. An extension without a value means yes.
    public static func isNinetyOrOlder(_ patient: Patient) -> Bool {
        (patient.extension + (patient.birthDateElement?.extension ?? [])).contains { mark in
            mark.url == ConsentVocabulary.ninetyOrOlder && mark.value?.json.bool ?? true
        }
    }

    /// Returns the area of a United States postal code: its first three digits, `000` for a restricted area; nil if
    /// there are fewer than three digits.
    public func area(ofPostalCode code: String) -> String? {
        let digits = code.drop { $0.isWhitespace }.prefix { $0.isASCII && $0.isNumber }
        guard digits.count >= 3 else { return nil }
        let prefix = String(digits.prefix(3))
        return restrictedPrefixes.contains(prefix) ? "000" : prefix
    }

    /// Returns the permitted part of a postal code: in the United States its area, elsewhere nothing, because it can
    /// identify a street.
    ///
    /// - Parameter country: the country's code or name; an address without a country is treated as one of the United
    ///   States.
    public func area(ofPostalCode code: String, country: String?) -> String? {
        country.map(Pseudonymization.isUnitedStates) ?? true ? area(ofPostalCode: code) : nil
    }

    /// Returns whether a country's code or name means the United States.
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
        // Elsewhere a postal code can identify a street, so it stays on the device.
        if isUnitedStates { address.postalCode = facts.postalCode.flatMap(area) }
        address.country = isUnitedStates ? "US" : country
        return address.object.isEmpty ? nil : address
    }
}
