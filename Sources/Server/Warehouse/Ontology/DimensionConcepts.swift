import Foundation
import HealthData

/// The ontology's concepts of patients and visits, which i2b2 finds in its dimensions rather than in facts. They
/// contain no free text of participants.
enum DimensionConcepts {
    private static func path(_ parent: String, _ segment: String) -> String {
        ConceptPath.child(of: parent, ConceptPath.segment(segment))
    }

    private static func concept(_ path: String, name: String, selection: DimensionSelection) -> Concept {
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
            .patients, column: "birth_date", from: "\(PatientRow.padded(first))-01-01 00:00:00",
            to: "\(PatientRow.padded(last))-12-31 23:59:59")
    }

    /// The folders, and the concepts that do not depend on participants.
    static let foundation: [Concept] =
        [
            concept(
                demographics, name: "Demographics",
                selection: .between(.patients, column: "patient_num", range: 0...Int(Int32.max))),
            concept(birthYear, name: "Birth year", selection: born(1, 9998)),
            concept(
                path(birthYear, "90 and older"), name: "90 years and older",
                selection: .between(
                    .patients, column: "age_in_years_num", range: PatientRow.oldestAge...PatientRow.oldestAge)),
            concept(sex, name: "Sex", selection: .among(.patients, column: "sex_cd", codes: sexes.map(\.0))),
            concept(
                state, name: "State",
                selection: .below(.patients, column: "statecityzip_path", path: PatientRow.statesPath)),
            concept(
                area, name: "ZIP code area",
                selection: .between(.patients, column: "zip_cd", from: "000", to: "999")),
        ]
        + sexes.map {
            concept(
                path(sex, $0.1), name: $0.1, selection: .text(.patients, column: "sex_cd", equals: $0.0))
        }
        + consents + sources

    /// Returns the concepts that a participant's row adds: the year of birth, the state if it is one of the United
    /// States, and the area of three digits.
    static func concepts(of row: PatientRow) -> [Concept] {
        var concepts: [Concept] = []
        if let year = row.birthYear {
            let decade = year / 10 * 10
            let folder = path(birthYear, "\(PatientRow.padded(decade))s")
            concepts.append(
                concept(folder, name: "\(decade) to \(decade + 9)", selection: born(decade, decade + 9)))
            concepts.append(
                concept(path(folder, PatientRow.padded(year)), name: "\(year)", selection: born(year, year)))
        }
        if let name = row.state {
            concepts.append(
                concept(
                    path(state, name), name: name,
                    selection: .below(
                        .patients, column: "statecityzip_path",
                        path: PatientRow.statesPath + ConceptPath.segment(name) + "\\")))
        }
        if let zip = row.zip, zip.utf8.count == 3, zip.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            concepts.append(
                concept(path(area, zip), name: zip, selection: .text(.patients, column: "zip_cd", equals: zip)))
        }
        return concepts
    }

    // MARK: Consent

    private static let consent = path(ConceptPath.root, "Consent")
    private static let versions = path(consent, "Version")

    private static let consents: [Concept] = {
        let sharing = path(consent, "Sharing")
        typealias Status = PatientConsent.Status
        return [
            concept(
                consent, name: "Consent",
                selection: .among(.consents, column: "standing_cd", codes: Status.allCases.map(\.rawValue))),
            concept(
                path(consent, "In force"), name: "In force",
                selection: .text(.consents, column: "standing_cd", equals: Status.consented.rawValue)),
            concept(
                path(consent, "Withdrawn"), name: "Withdrawn",
                selection: .text(.consents, column: "standing_cd", equals: Status.withdrawn.rawValue)),
            concept(
                sharing, name: "Sharing with other researchers",
                selection: .among(
                    .consents, column: "sharing_cd", codes: [PatientConsent.shares, PatientConsent.sharesNot])),
            concept(
                path(sharing, "Permitted"), name: "Permitted",
                selection: .text(.consents, column: "sharing_cd", equals: PatientConsent.shares)),
            concept(
                path(sharing, "Not permitted"), name: "Not permitted",
                selection: .text(.consents, column: "sharing_cd", equals: PatientConsent.sharesNot)),
            // Any version: the condition of an i2b2 folder applies to the folder itself, not to the concepts below it.
            concept(
                versions, name: "Version",
                selection: .among(.consents, column: "standing_cd", codes: Status.allCases.map(\.rawValue))),
        ]
    }()

    /// Returns the concepts of the versions of the study's published consent.
    static func concepts(ofVersions published: [String]) -> [Concept] {
        published.map {
            concept(
                path(versions, $0), name: $0, selection: .text(.consents, column: "template_version", equals: $0))
        }
    }

    // MARK: Source

    private static let source = path(ConceptPath.root, "Source")

    private static let sources: [Concept] =
        [
            concept(
                source, name: "Source",
                selection: .among(.visits, column: FactSource.column, codes: FactSource.allCases.map(\.rawValue)))
        ]
        + FactSource.allCases.map {
            concept(
                path(source, $0.title), name: $0.title,
                selection: .text(.visits, column: FactSource.column, equals: $0.rawValue))
        }
}
