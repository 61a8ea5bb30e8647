import FHIR
import Foundation
import InformedConsent

/// The full texts that lie beside a Contract and that its sections name.
public struct ConsentFiles: Sendable {
    /// The folder of the Contract.
    public let folder: URL

    public init(folder: URL) { self.folder = folder }

    /// The folders in which they lie: the Contract's, and the one in which C3-PRO's apps have them.
    var folders: [URL] { [folder, folder.appendingPathComponent("HTMLContent", isDirectory: true)] }

    /// Reads a Contract with the texts that its sections name: the file of that name, also with `.html` behind it. One that is
    /// missing, larger than a megabyte or no UTF-8 is left out.
    public func template(_ contract: Resource) throws(ConsentError) -> ConsentTemplate {
        let bare = try ConsentTemplate(contract)
        var texts: [String: String] = [:]
        for name in Set(bare.sections.compactMap(\.htmlContentFile)) where Self.isFileName(name) {
            let places = folders.flatMap {
                [$0.appendingPathComponent(name), $0.appendingPathComponent(name + ".html")]
            }
            texts[name] = places.lazy.compactMap(text).first
        }
        return texts.isEmpty ? bare : try ConsentTemplate(contract, htmlFiles: texts)
    }

    /// Whether a name is that of a file beside the Contract and leads nowhere else.
    private static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0")
    }

    private func text(of file: URL) -> String? {
        guard let data = FileManager.default.contents(atPath: file.path), data.count <= 1 << 20 else { return nil }
        return String(validUTF8: data)
    }
}
