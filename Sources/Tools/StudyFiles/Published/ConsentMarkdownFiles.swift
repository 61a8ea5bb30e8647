import FHIR
import Foundation
import InformedConsent
import Storage

/// The consents of a folder that are written in Markdown (`NAME.md`), as Contracts.
package struct ConsentMarkdownFiles {
    /// The folder of the files.
    package let folder: URL

    package init(folder: URL) { self.folder = folder }

    /// A Markdown file of a consent with its Contract, or with the reason why it has none.
    package struct File {
        /// The location of the file.
        package let url: URL
        /// The Contract of the file, or the error of the file.
        package let result: Result<PublishedFile, ConsentMarkdownError>
    }

    /// Reads the Markdown files of the folder, in the order of their names. A file that cannot be opened is left out.
    package func files() -> [File] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter(ConsentMarkdown.isFileName).sorted().compactMap { name in
            let url = folder.appendingPathComponent(name)
            return Self.contents(url).map { data in File(url: url, result: Self.contract(url, data)) }
        }
    }

    /// Returns the bytes of a file, of a file that is too large one more than the reader accepts.
    private static func contents(_ url: URL) -> Data? {
        guard let handle = FileHandle(forReadingAtPath: url.path) else { return nil }
        defer { try? handle.close() }
        // An empty file is at its end at once.
        return try? handle.read(upToCount: ConsentMarkdown.maximumBytes + 1) ?? Data()
    }

    /// Returns the Contract of a Markdown file as a published file.
    package static func contract(_ url: URL, _ data: Data) -> Result<PublishedFile, ConsentMarkdownError> {
        do throws(ConsentMarkdownError) {
            let contract = try ConsentMarkdown(data).contract.resource
            return .success(PublishedFile(file: url, data: ConsentFiles.bytes(contract), resource: contract))
        } catch {
            return .failure(error)
        }
    }
}

extension ConsentFiles {
    /// The bytes of a Contract's file, as `tributary consent build` writes it.
    package static func bytes(_ contract: Resource) -> Data { Data((contract.json.text(.pretty) + "\n").utf8) }

    /// Reads a consent from the bytes of a file: a Contract, or Markdown if the file's name ends with `.md`, and the
    /// texts in the files that its sections name.
    ///
    /// - Throws: ``InformedConsent/ConsentMarkdownError``, ``FHIR/ResourceError``, ``InformedConsent/ConsentError``.
    package static func template(file: URL, data: Data) throws -> ConsentTemplate {
        let files = ConsentFiles(folder: file.deletingLastPathComponent())
        guard file.pathExtension == "md" || file.lastPathComponent.hasSuffix(".md.draft") else {
            return try files.template(try Resource(data))
        }
        return try files.template(try ConsentMarkdown(data).contract.resource)
    }
}

extension StudyFolder {
    /// Returns the published Contracts (`consent/`): those in JSON files, then those of Markdown files. A Markdown file
    /// and a Contract with the same url, version, language and text are one version: of the two, only the Contract is
    /// returned. Files that cannot be read are left out.
    package func contracts() -> [PublishedFile] {
        let files = resources(in: consentURL, ofType: Contract.resourceType)
        let written = ConsentMarkdownFiles(folder: consentURL).files().compactMap { try? $0.result.get() }
        return files + written.filter { one in !files.contains { isOneVersion($0, one) } }
    }

    /// Whether two files of a consent have the same url (or name), version, language and text.
    func isOneVersion(_ one: PublishedFile, _ other: PublishedFile) -> Bool {
        func names(_ file: PublishedFile) -> [String?] {
            let object = file.resource.object
            return [object["url"]?.string ?? file.name, object["version"]?.string, object["language"]?.string]
        }
        guard names(one) == names(other), let first = try? consentFiles.template(one.resource),
            let second = try? consentFiles.template(other.resource)
        else { return false }
        return first.terms == second.terms
    }
}
