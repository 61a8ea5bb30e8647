import FHIR
import Foundation
import InformedConsent

/// The row of `patient_dimension` for a participant, computed from the pseudonymous Patient. Pure.
struct PatientRow: Sendable, Hashable {
    /// January 1st of the birth year; nil if the year is unknown or would reveal an age over 89.
    let birthDate: Date?
    /// Age in whole years at loading; 90 means 90 or more.
    let age: Int?
    /// i2b2's two letters: the first is the vital status (`U`, unknown), the second the precision of the birth date
    /// (`F`, the year; `L`, no date).
    let vitalStatus: String
    let sex: String
    let zip: String?
    let statePath: String?

    /// The year of birth, if it may be stored.
    let birthYear: Int?
    /// The state, if it is one of the United States. Any other state is the participant's free text.
    let state: String?

    /// The common prefix of the paths of all states.
    static let statesPath = "Zip codes\\"
    static let oldestAge = 90
    static let nothingKnown = "UL"

    init(_ patient: Patient, at loadedAt: Date) {
        let now = DateTime(loadedAt)
        let year = patient.birthDate?.year
        let age = year.map { now.year - $0 }
        let isOldest = Pseudonymization.isNinetyOrOlder(patient) || (age ?? 0) >= Self.oldestAge
        self.age = isOldest ? Self.oldestAge : age.map { max(0, $0) }
        birthYear = isOldest ? nil : year
        birthDate = isOldest ? nil : year.flatMap { DateTime("\(Self.padded($0))-01-01")?.start() }
        vitalStatus = birthDate == nil ? Self.nothingKnown : "UF"
        sex =
            switch patient.gender {
            case .male: "M"
            case .female: "F"
            case .other: "O"
            default: "U"
            }
        let address = patient.address.first
        // Independent of the records, patients are counted by area.
        let zip = address?.postalCode.flatMap { Pseudonymization().area(ofPostalCode: $0, country: address?.country) }
        self.zip = zip
        // The same two letters mean something else in other countries.
        let isUnitedStates = address?.country.map(Pseudonymization.isUnitedStates) ?? true
        state = isUnitedStates ? address?.state.flatMap { USState.known($0) } : nil
        statePath = address?.state.map { state in
            let name = (isUnitedStates ? USState.name(state) : nil) ?? state
            let segments = ["Zip codes", name] + [zip].compactMap { $0 }
            return segments.map { ConceptPath.segment($0) }.joined(separator: "\\") + "\\"
        }
    }

    static func padded(_ year: Int) -> String {
        String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
    }
}

/// The states and territories of the United States by their postal codes.
enum USState {
    static func name(_ code: String) -> String? { names[code.uppercased()] }

    /// Returns the name of a state from its code or name; nil for any other text.
    static func known(_ text: String) -> String? { name(text) ?? (all.contains(text) ? text : nil) }

    private static let all = Set(names.values)

    private static let names: [String: String] = [
        "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
        "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
        "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas",
        "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts",
        "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi", "MO": "Missouri", "MT": "Montana",
        "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico",
        "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma",
        "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "RI": "Rhode Island", "SC": "South Carolina",
        "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont",
        "VI": "Virgin Islands", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin",
        "WY": "Wyoming", "GU": "Guam", "AS": "American Samoa", "MP": "Northern Mariana Islands",
    ]
}
