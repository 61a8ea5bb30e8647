import Crypto
import FHIR
import Foundation

/// The text that a person agrees to by signing a consent, independent of the FHIR release of the Contract: its title,
/// team and language, its sections with their full text, the eligibility criteria, whether the person is asked about
/// sharing, and the included health data.
public struct ConsentTerms: Sendable, Hashable {
    /// The canonical form: JSON by RFC 8785, equal for equal texts (<https://www.rfc-editor.org/rfc/rfc8785>).
    public let canonicalForm: Data
    /// The text without title and language, which the Contracts of C3-PRO's apps do not contain.
    let wording: Data

    /// Creates the terms of a template or of a signed Contract.
    ///
    /// A section's full text is its HTML, or the separate file that it refers to. If the file is not available, its
    /// name is used.
    init(_ template: ConsentTemplate) {
        var wording = JSONObject()
        wording["criteria"] = .array(
            template.eligibility.criteria.map { ["mustBeMet": .bool($0.mustBeMet), "text": .string($0.text)] })
        wording["inclusions"] = .array(template.includedHealthData.sorted().map { .string($0) })
        wording["sections"] = .array(template.sections.map { ConsentTerms.section($0, files: template.htmlFiles) })
        wording["sharing"] =
            template.requiresSharingAnswer ? "required" : template.asksForSharing ? "asked" : "not-asked"
        wording["team"] = template.teamName.map { .string($0) }
        self.wording = JSON.object(wording).canonicalData()
        var all = wording
        all["language"] = template.contract.language.map { .string($0) }
        all["title"] = .string(template.title)
        canonicalForm = JSON.object(all).canonicalData()
    }

    /// The SHA-256 of the canonical form, 64 hexadecimal digits in lower case.
    public var digest: String { Hexadecimal.text(SHA256.hash(data: canonicalForm)) }

    private static func section(_ section: ConsentSection, files: [String: String]) -> JSON {
        var object = JSONObject()
        object["kind"] = .string(section.kind.rawValue)
        object["title"] = .string(section.title)
        object["summary"] = section.summary.map { .string($0) }
        object["image"] = section.image.map { .string($0) }
        object["animation"] = section.animation.map { .string($0) }
        if let html = section.htmlContent ?? section.htmlContentFile.flatMap({ files[$0] }) {
            object["html"] = .string(html)
        } else if let name = section.htmlContentFile {
            object["htmlFile"] = .string(name)
        }
        return .object(object)
    }
}

extension ConsentTemplate {
    /// The text to which a signer agrees.
    public var terms: ConsentTerms { ConsentTerms(self) }
}
