import Core
import FHIR
import Foundation
import HealthData
import InformedConsent

extension StudyCheck {
    /// Returns findings about the versions of the consent, their content and their conflicts.
    func consentFindings(_ study: StudyConfiguration) -> [StudyFinding] {
        var (files, findings) = files(in: folder.consentURL, ofTypes: [Contract.resourceType])
        let markdown = markdownFiles(&findings)
        // A Markdown file and its Contract are one version.
        files += markdown.filter { one in !files.contains { folder.isOneVersion($0.published, one.published) } }
        findings += builtFindings(markdown, files)
        let validator = Self.validator()
        var templates: [(file: File, template: ConsentTemplate)] = []
        for file in files {
            findings += validity(of: file, validator)
            do throws(ConsentError) {
                let template = try folder.consent(file.published, ofStudy: study.id)
                findings += self.findings(of: template, in: file)
                templates.append((file, template))
            } catch {
                findings.append(StudyFinding(.error, code: error.code, file: file.name, message: error.message))
            }
        }
        findings += versions(templates)
        findings += strayFindings(
            in: folder.consentURL, named: Set(templates.flatMap { $0.template.sections.compactMap(\.htmlContentFile) }))
        if !isReadable(folder.consentURL) {
            // Reported by ``accessFindings()``.
        } else if templates.isEmpty, !study.c3pro.acceptsContractsWithoutTerms {
            findings.append(
                StudyFinding(
                    .warning, code: "consent-missing", file: "consent/",
                    message: "There is no consent to sign: every submission will wait."))
        } else if !templates.isEmpty, !templates.contains(where: { $0.template.status == .current }) {
            findings.append(
                StudyFinding(
                    .error, code: "consent-not-current", file: "consent/",
                    message:
                        "No version of the consent is current; give one the status (\(ConsentVocabulary.status)) current."
                ))
        }
        return findings
    }

    /// Reads the consents in Markdown.
    private func markdownFiles(_ findings: inout [StudyFinding]) -> [File] {
        ConsentMarkdownFiles(folder: folder.consentURL).files().compactMap { file in
            let name = "\(folder.consentURL.lastPathComponent)/\(file.url.lastPathComponent)"
            switch file.result {
            case .success(let published): return File(name: name, published: published)
            case .failure(let error):
                findings.append(StudyFinding(.error, code: error.code, file: name, message: error.message))
                return nil
            }
        }
    }

    /// Returns findings about Markdown files whose Contract, built before, has a newer version or another text.
    private func builtFindings(_ markdown: [File], _ files: [File]) -> [StudyFinding] {
        markdown.compactMap { file in
            let stem = file.published.file.deletingPathExtension().lastPathComponent
            let built = files.first { $0.name == "\(folder.consentURL.lastPathComponent)/\(stem).json" }
            guard let built, built.published.version != nil,
                built.resource["url"]?.string == file.resource["url"]?.string,
                BusinessVersion(file.published.version) < BusinessVersion(built.published.version)
            else { return nil }
            return StudyFinding(
                .error, code: "consent-version-backwards", file: file.name, path: "version",
                message:
                    "\(built.name) has the newer version \(built.published.version ?? ""): give the text a version after it, or rename the file."
            )
        }
    }

    private func findings(of template: ConsentTemplate, in file: File) -> [StudyFinding] {
        func finding(
            _ severity: StudyFinding.Severity, code: String, path: String, message: String
        ) -> StudyFinding { StudyFinding(severity, code: code, file: file.name, path: path, message: message) }
        var findings = template.warnings.map { finding(.warning, code: "consent-part-unread", path: "", message: $0) }
        let known = HealthSelection.Inclusion.allCases.filter(\.needsConsent).map(\.rawValue)
        for name in template.includedHealthData.sorted() where !known.contains(name) {
            findings.append(
                finding(
                    .error, code: "consent-inclusion-unknown", path: ConsentVocabulary.includesHealthData,
                    message: "It names unknown health data; use \(known.joined(separator: ", "))."))
        }
        if !template.includedHealthData.isEmpty {
            findings.append(
                finding(
                    .information, code: "consent-inclusions", path: ConsentVocabulary.includesHealthData,
                    message:
                        "It includes of health data: \(template.includedHealthData.sorted().joined(separator: ", "))."))
        }
        func code(_ url: String, _ codes: [String]) {
            let stated = template.contract.extension.filter { $0.url == url }
            guard stated.count > 1 || stated.contains(where: { !codes.contains($0.value?.json.string ?? "") }) else {
                return
            }
            findings.append(
                finding(
                    .error, code: "consent-code-unknown", path: url,
                    message: "It has one valueCode, and that is one of \(codes.joined(separator: ", "))."))
        }
        code(ConsentVocabulary.status, ConsentTemplate.Status.allCases.map(\.rawValue))
        code(ConsentVocabulary.change, ConsentTemplate.Change.allCases.map(\.rawValue))
        for name in template.sections.compactMap(\.htmlContentFile) where template.htmlFiles[name] == nil {
            findings.append(
                finding(
                    .warning, code: "consent-file-missing", path: "term",
                    message:
                        "The file \(name) that a section names is not in consent/, so people sign without its text."))
        }
        if file.resource.object["url"] == nil, let url = template.url {
            findings.append(
                finding(
                    .information, code: "consent-without-url", path: "url",
                    message: "It is known as \(url): give later versions that url, and a version each."))
        }
        return findings
    }

    /// Returns findings about versions that conflict.
    private func versions(_ templates: [(file: File, template: ConsentTemplate)]) -> [StudyFinding] {
        var seen: [[String?]: String] = [:]
        var findings: [StudyFinding] = []
        for (file, template) in templates {
            guard let url = template.url else { continue }
            // Another release of the same text is no conflict.
            let key = [url, template.version, template.contract.language, file.releases]
            if let earlier = seen[key] {
                findings.append(
                    StudyFinding(
                        .error, code: "consent-version-repeated", file: file.name, path: "version",
                        message:
                            "\(earlier) has the same url, version and language; give each text a version of its own."))
            } else {
                seen[key] = file.name
            }
            let isNewest = !templates.contains {
                $0.template.url == url
                    && BusinessVersion($0.template.version) > BusinessVersion(template.version)
            }
            if template.status == .current, !isNewest {
                findings.append(
                    StudyFinding(
                        .warning, code: "consent-version-older", file: file.name, path: ConsentVocabulary.status,
                        message: "There is a newer version; say accepted or retired (\(ConsentVocabulary.status))."))
            }
        }
        return findings
    }
}
