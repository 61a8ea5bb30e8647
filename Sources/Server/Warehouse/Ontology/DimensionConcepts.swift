import Foundation
import HealthData

/// The ontology's concepts of patients and visits, which i2b2 finds in its dimensions rather than in facts. They
/// contain no free text of participants.
enum DimensionConcepts {
    private static func path(_ parent: String, _ segment: String) -> String {
        ConceptPath.child(of: parent, ConceptPath.segment(segment))
    }

    private static func concept(_ path: String, _ name: String, _ selection: DimensionSelection) -> Concept {
        Concept(path: path, code: nil, name: name, kind: .dimension(selection))
    }

    // MARK: Demographics

    private static let demographics = path(ConceptPath.root, "Demographics")
    private static let birthYear = path(demographics, "Birth year")
    private static let sex = path(demographics, "Sex")
    private static let state = path(demographics, "State")
    private static let area = path(demographics, "ZIP code area")

    static let sexes = [("F", "Female"), ("M", "Male"), ("O", "Other"), ("U", "Not known")]

    private static func born(_ first: Int, _ last: Int) -> DimensionSelection {
        .between(
            .patients, "birth_date", "\(PatientRow.padded(first))-01-01 00:00:00",
            "\(PatientRow.padded(last))-12-31 23:59:59")
    }

    /// The folders, and the concepts that do not depend on participants.
    static let foundation: [Concept] =
        [
            concept(demographics, "Demographics", .between(.patients, "patient_num", 0...Int(Int32.max))),
            concept(birthYear, "Birth year", born(1, 9998)),
            concept(
                path(birthYear, "90 and older"), "90 years and older",
                .between(.patients, "age_in_years_num", PatientRow.oldestAge...PatientRow.oldestAge)),
            concept(sex, "Sex", .among(.patients, "sex_cd", sexes.map(\.0))),
            concept(state, "State", .below(.patients, "statecityzip_path", PatientRow.statesPath)),
            concept(area, "ZIP code area", .between(.patients, "zip_cd", "000", "999")),
        ]
        + sexes.map { concept(path(sex, $0.1), $0.1, .text(.patients, "sex_cd", $0.0)) }
        + consents + sources

    /// Returns the concepts that a participant's row adds: the year of birth, the state if it is one of the United
    /// States, and the area of three digits.
    static func concepts(of row: PatientRow) -> [Concept] {
        var concepts: [Concept] = []
        if let year = row.birthYear {
            let decade = year / 10 * 10
            let folder = path(birthYear, "\(PatientRow.padded(decade))s")
            concepts.append(concept(folder, "\(decade) to \(decade + 9)", born(decade, decade + 9)))
            concepts.append(concept(path(folder, PatientRow.padded(year)), "\(year)", born(year, year)))
        }
        if let name = row.state {
            concepts.append(
                concept(
                    path(state, name), name,
                    .below(.patients, "statecityzip_path", PatientRow.statesPath + ConceptPath.segment(name) + "\\")))
        }
        if let zip = row.zip, zip.utf8.count == 3, zip.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            concepts.append(concept(path(area, zip), zip, .text(.patients, "zip_cd", zip)))
        }
        return concepts
    }

    // MARK: Consent

    private static let consent = path(ConceptPath.root, "Consent")
    private static let versions = path(consent, "Version")

    private static let consents: [Concept] = {
        let sharing = path(consent, "Sharing")
        typealias Standing = PatientConsent.Standing
        return [
            concept(
                consent, "Consent", .among(.consents, "standing_cd", Standing.allCases.map(\.rawValue))),
            concept(
                path(consent, "In force"), "In force",
                .text(.consents, "standing_cd", Standing.consented.rawValue)),
            concept(
                path(consent, "Withdrawn"), "Withdrawn",
                .text(.consents, "standing_cd", Standing.withdrawn.rawValue)),
            concept(
                sharing, "Sharing with other researchers",
                .among(.consents, "sharing_cd", [PatientConsent.shares, PatientConsent.sharesNot])),
            concept(
                path(sharing, "Permitted"), "Permitted", .text(.consents, "sharing_cd", PatientConsent.shares)),
            concept(
                path(sharing, "Not permitted"), "Not permitted",
                .text(.consents, "sharing_cd", PatientConsent.sharesNot)),
            // Any version: the condition of an i2b2 folder applies to the folder itself, not to the concepts below it.
            concept(
                versions, "Version", .among(.consents, "standing_cd", Standing.allCases.map(\.rawValue))),
        ]
    }()

    /// Returns the concepts of the versions of the study's published consent.
    static func concepts(ofVersions published: [String]) -> [Concept] {
        published.map { concept(path(versions, $0), $0, .text(.consents, "template_version", $0)) }
    }

    // MARK: Source

    private static let source = path(ConceptPath.root, "Source")

    private static let sources: [Concept] =
        [concept(source, "Source", .among(.visits, FactSource.column, FactSource.allCases.map(\.rawValue)))]
        + FactSource.allCases.map {
            concept(path(source, $0.title), $0.title, .text(.visits, FactSource.column, $0.rawValue))
        }
}
