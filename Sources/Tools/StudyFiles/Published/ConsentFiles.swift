import FHIR
import Foundation
import InformedConsent

/// The full texts that the sections of a Contract refer to, in files next to it.
package struct ConsentFiles: Sendable {
    /// The folder of the Contract.
    package let folder: URL

    package init(folder: URL) { self.folder = folder }

    /// The folders of these files: the Contract's own, and that of C3-PRO's apps.
    package var folders: [URL] { [folder, folder.appendingPathComponent("HTMLContent", isDirectory: true)] }

    /// Reads a Contract with the texts that its sections name: the file with that name, or with `.html` added. A file
    /// that is missing, larger than a megabyte or not UTF-8 is left out.
    package func template(_ contract: Resource) throws(ConsentError) -> ConsentTemplate {
        let bare = try ConsentTemplate(contract)
        var texts: [String: String] = [:]
        for name in Set(bare.sections.compactMap(\.htmlContentFile)) where Self.isFileName(name) {
            let candidates = folders.flatMap {
                [$0.appendingPathComponent(name), $0.appendingPathComponent(name + ".html")]
            }
            texts[name] = candidates.lazy.compactMap(text).first
        }
        return texts.isEmpty ? bare : try ConsentTemplate(contract, htmlFiles: texts)
    }

    /// Whether a name is that of a file in the same folder, without a path.
    private static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0")
    }

    private func text(of file: URL) -> String? {
        guard let data = FileManager.default.contents(atPath: file.path), data.count <= 1 << 20 else { return nil }
        return String(validUTF8: data)
    }
}
