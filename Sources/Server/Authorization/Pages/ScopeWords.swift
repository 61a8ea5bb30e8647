import AccessPolicy
import Core
import Foundation

/// Descriptions of scopes for people who do not know the term.
package struct ScopeWords {
    let isParticipant: Bool
    let ends: ConsentPage.Ends

    /// Returns what a scope lets an app do, with a detail if there is more to know.
    func words(of scope: AccessScope) -> (text: String, detail: String?) {
        switch scope.kind {
        case .resource(let resource): return words(of: resource)
        case .confidentiality(let level):
            return (
                level == .veryRestricted ? "Records that are very restricted" : "Records that are restricted",
                "These are shared with few people only."
            )
        case .sensitivity(let code):
            return ("Records about " + Self.matter(of: code), nil)
        case .everySensitivity:
            return (
                "All records that are marked as sensitive",
                "Such as those about mental health, addiction, HIV or violence."
            )
        case .launch, .launchPatient:
            return (isParticipant ? "Know which record is yours" : "Know which patient you choose", nil)
        case .openID: return ("Recognise you when you come back", "It gets a number of your account, not your name.")
        case .fhirUser, .profile: return ("Know which entry in the records is you", nil)
        case .offlineAccess:
            return ("Keep access while you are away", "Until \(Self.day(ends.offline)), without asking you again.")
        case .onlineAccess:
            return ("Keep access while you are signed in", "Until \(Self.day(ends.online)) at the latest.")
        case .unrecognized: return (scope.text, nil)
        }
    }

    private func words(of scope: ResourceScope) -> (text: String, detail: String?) {
        var verbs: [String] = []
        if !scope.permissions.isDisjoint(with: [.read, .search]) { verbs.append("See") }
        if scope.permissions.contains(.create) { verbs.append("add") }
        if scope.permissions.contains(.update) { verbs.append("change") }
        if scope.permissions.contains(.delete) { verbs.append("delete") }
        let deed =
            verbs.count < 2 ? verbs.joined() : verbs.dropLast().joined(separator: ", ") + " and " + (verbs.last ?? "")
        let kind = scope.type.map(Self.kind) ?? "health records"
        let every = scope.type == nil ? "all " : ""
        let what =
            if isParticipant {
                "\(every)your \(kind)"
            } else {
                "\(every)\(kind) of \(scope.context == .patient ? "the patient" : "everybody whom you may see")"
            }
        let limits = scope.query.map { query in
            "Only where " + query.parameters.map { "\($0.name) is \($0.value)" }.joined(separator: " and ") + "."
        }
        return (deed.prefix(1).uppercased() + deed.dropFirst() + " " + what, limits)
    }

    /// Returns what scopes of a participant's app permit: a sentence for each.
    package static func sentences(ofOwn scopes: AccessScopes) -> [String] {
        let words = ScopeWords(
            isParticipant: true,
            ends: ConsentPage.Ends(brief: .distantPast, online: .distantPast, offline: .distantPast))
        return scopes.scopes.filter { scope in
            if case .confidentiality(let level) = scope.kind { level > .assumed } else { true }
        }.map { words.words(of: $0).text + "." }
    }

    /// Returns what a resource type contains, in words for people.
    package static func kind(of type: String) -> String { types[type] ?? "entries of the kind \(type)" }

    /// Returns what records with a sensitivity code are about, in words for people.
    package static func matter(of code: String) -> String { sensitivities[code] ?? "what is marked \(code)" }

    /// Returns a date and time in words: `25 November 2026, 16:40 UTC`.
    package static func day(_ date: Date) -> String {
        let time = DateTime(date, milliseconds: false)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let month = months.indices.contains(time.month - 1) ? months[time.month - 1] : ""
        return "\(time.day) \(month) \(time.year), \(two(time.hour)):\(two(time.minute)) UTC"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    private static let types = [
        "AllergyIntolerance": "allergies", "CarePlan": "care plans", "CareTeam": "who takes care",
        "Condition": "diagnoses and health problems", "Consent": "what was agreed to", "Contract": "signed consents",
        "Device": "devices", "DiagnosticReport": "reports of tests", "DocumentReference": "documents",
        "Encounter": "visits", "FamilyMemberHistory": "illnesses in the family", "Goal": "goals",
        "Immunization": "vaccinations", "MedicationAdministration": "medicines that were given",
        "MedicationRequest": "prescriptions", "MedicationStatement": "medicines that are taken",
        "Observation": "measurements and findings", "Patient": "personal details",
        "Procedure": "operations and treatments", "QuestionnaireResponse": "answers to questionnaires",
        "ServiceRequest": "orders",
    ]

    private static let sensitivities = [
        "BH": "behavioural and mental health", "ETH": "alcohol and drugs", "ETHUD": "alcohol use",
        "GDIS": "genetic illness",
        "HIV": "HIV and AIDS", "MH": "mental health", "OPIOIDUD": "opioid use", "PSY": "psychiatry",
        "PSYTHPN": "notes of psychotherapy", "SCA": "sickle cell anaemia",
        "SDV": "sexual assault and domestic violence",
        "SEX": "sexuality and reproduction", "SOC": "social services", "STD": "sexually transmitted illness",
        "SUD": "addiction", "TBOO": "what you would rather not talk about", "VIO": "violence",
    ]
}
