import Core
import FHIR
import FHIRValidation
import FHIRVersions
import Foundation

/// Checks every file of a study's folder as the server reads it.
package struct StudyCheck {
    let folder: StudyFolder

    package init(_ folder: StudyFolder) { self.folder = folder }

    /// Returns all findings: those of study.json first, then file by file.
    package func findings() -> [StudyFinding] {
        let (configuration, findings) = contents()
        // Without study.json, the other files cannot be checked.
        guard let configuration else { return findings }
        return findings + keyFindings() + linkFindings() + auditFindings() + peopleFindings(configuration)
            + receiptFindings(configuration)
    }

    /// Checks that the study's contents can be served. Throws ``ServerError`` `study-check-failed`, which names the
    /// first error. Keys and receipts may change at any time, so they are checked while the server runs.
    package func requireContents() throws(ServerError) {
        let errors = contents().findings.filter { $0.severity == .error }
        guard let first = errors.first else { return }
        let location = first.path.isEmpty ? first.file : "\(first.file), \(first.path)"
        throw ServerError(
            code: "study-check-failed",
            message:
                "\(location): \(first.message) (\(first.code)) `tributary study check` lists all that is wrong.")
    }

    /// Returns the findings about the study's contents: study.json, consents, forms, profiles, its own health types.
    private func contents() -> (configuration: StudyConfiguration?, findings: [StudyFinding]) {
        let (configuration, findings) = configurationFindings()
        guard let configuration else { return (nil, findings) }
        return (
            configuration,
            findings + accessFindings() + consentFindings(configuration) + formFindings() + profileFindings()
                + healthTypeFindings()
                + healthSyncFindings()
                + deviceTemplateFindings()
        )
    }

    /// A resource of one of the study's folders.
    struct File {
        /// The path in the study's folder.
        let name: String
        /// The file as it is published.
        let published: PublishedFile

        var bytes: Data { published.data }
        var resource: Resource { published.resource }
        /// The possible releases of the file, as a text for comparison.
        var releases: String { published.releases.sorted().map(\.number).joined(separator: " ") }
    }

    /// Reads the resources of a folder.
    ///
    /// - Parameter types: the types that belong in the folder.
    /// - Returns: the readable resources, and a finding for each other file.
    func files(in url: URL, ofTypes types: [String]) -> (files: [File], findings: [StudyFinding]) {
        let folder = url.lastPathComponent
        var files: [File] = []
        var findings: [StudyFinding] = []
        for file in StudyFolder.jsonFiles(in: url) {
            let name = "\(folder)/\(file.lastPathComponent)"
            // An unreadable file is reported by ``accessFindings()``.
            guard let bytes = FileManager.default.contents(atPath: file.path) else { continue }
            let resource: Resource
            do throws(ResourceError) {
                resource = try Resource(bytes)
            } catch {
                findings.append(
                    StudyFinding(
                        .error, code: "file-unreadable", file: name,
                        message: "It contains no FHIR resource. \(error.message)"))
                continue
            }
            guard types.contains(resource.resourceType) else {
                findings.append(
                    StudyFinding(
                        .error, code: "resource-type-unexpected", file: name,
                        message: "\(folder)/ is for resources of the type \(types.joined(separator: " or "))."))
                continue
            }
            files.append(
                File(name: name, published: PublishedFile(file: file, data: bytes, resource: resource)))
        }
        return (files, findings)
    }

    /// Returns FHIR's validation findings for a file. A file of an older release is validated in the form that the
    /// server reads.
    func validity(of file: File, _ validator: FHIRValidator) -> [StudyFinding] {
        let version = file.published.release
        let label = releaseFindings(of: file)
        if let newer = NewerRelease(of: file.resource) {
            return label + [StudyFinding(.error, code: "release-unsupported", file: file.name, message: newer.message)]
        }
        guard version == .r4 else {
            guard file.published.inR4 != nil else {
                return label + [
                    StudyFinding(
                        .error, code: "conversion-failed", file: file.name,
                        message: "It is written in FHIR \(version.number) and cannot be made R4.")
                ]
            }
            return label + [
                StudyFinding(
                    .information, code: "older-release", file: file.name,
                    message: "It is written in FHIR \(version.number); the server reads it as R4.")
            ]
        }
        return label
            + validator.validate(file.bytes).issues.filter { $0.severity >= .warning }.map { issue in
                StudyFinding(
                    issue.severity >= .error ? .error : .warning, code: issue.code, file: file.name,
                    path: issue.line.map { "\(issue.expression) (line \($0))" } ?? issue.expression,
                    message: issue.message)
            }
    }

    static func validator(profiles: [JSONObject] = []) -> FHIRValidator {
        var options = FHIRValidator.Options()
        options.reportsMissingNarrative = false
        options.maximumIssues = 100
        return FHIRValidator(profiles: profiles, options: options)
    }
}
