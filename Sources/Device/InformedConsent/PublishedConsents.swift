import FHIR
import Foundation

/// The published versions of a study's consent. It finds the version of a signed Contract, and decides whether the
/// signer has to sign again. It has no side effects.
public struct PublishedConsents: Sendable {
    /// The result of comparing a Contract with the templates.
    public enum Match: Sendable, Hashable {
        /// The Contract contains the text of a template that may be signed.
        case template(ConsentTemplate)
        /// The Contract contains the text of a template that must not be signed any more.
        case retired
        /// The Contract contains another text, or none.
        case none
    }

    /// The templates, in the order of their files.
    public let templates: [ConsentTemplate]
    private let documents: [Document]

    /// A template in the forms that phones can have.
    private struct Document: Sendable {
        let template: ConsentTemplate
        let texts: [(terms: ConsentTerms, rest: Data)]
        let digests: Set<String>

        init(_ template: ConsentTemplate) {
            self.template = template
            // A phone has the full texts in the Contract, in separate files, or (in C3-PRO's apps) in the app: then the
            // Contract contains the files' names.
            texts = Set([template, template.withFilesInside, template.withoutFiles]).map { ($0.terms, $0.rest) }
            digests = Set(texts.map(\.terms.digest))
        }
    }

    /// Creates published consents from templates.
    public init(_ templates: [ConsentTemplate]) {
        self.templates = templates
        documents = templates.map { Document($0) }
    }

    /// Reads the versions that a study publishes (``bundle``); Contracts that cannot be read are ignored.
    public init(_ bundle: FHIR.Bundle) {
        self.init(bundle.entry.compactMap { entry in entry.resource.flatMap { try? ConsentTemplate($0) } })
    }

    /// Returns the version to show for signing: the newest current one, in the first of the languages in which it
    /// exists, or in any language.
    public func current(languages: [String] = []) -> ConsentTemplate? {
        let current = templates.filter { $0.status == .current }
        let newest = current.map(\.rank).max()
        let shown = current.filter { $0.rank == newest }
        return languages.lazy.compactMap { language in shown.first { $0.contract.language == language } }.first
            ?? shown.first
    }

    /// Finds the template of a Contract that was signed in R4.
    ///
    /// The Contract must contain the complete text of the template and no other text. The contained text decides, and
    /// the digest, the URL and the version in the Contract must be those of the same template.
    public func match(_ contract: Contract) -> Match {
        guard let text = try? ConsentTemplate(contract.resource) else { return .none }
        let terms = text.terms
        let digests = contract.extension.filter { $0.url == ConsentVocabulary.digest }.map {
            $0.value?.json.string ?? ""
        }
        let canonical = SignedContractReader.template(of: contract)
        let rest = text.rest
        return match { document in
            let template = document.template
            return document.texts.contains { $0.terms == terms && $0.rest == rest }
                && digests.allSatisfy(document.digests.contains) && template.coversMembers(of: contract)
                && canonical.map { $0.url == template.url && $0.version == template.version } ?? true
                && template.takesSharing(SignedContractReader.sharing(in: contract))
        }
    }

    /// Finds the template of a Contract that one of C3-PRO's apps signed, in its original release: by its wording,
    /// because these Contracts refer to no template.
    public func matchOfC3PRO(_ contract: Contract) -> Match {
        guard let text = try? ConsentTemplate(contract.resource) else { return .none }
        let wording = text.terms.wording
        return match { document in document.texts.contains { $0.terms.wording == wording } }
    }

    private func match(_ isSame: (Document) -> Bool) -> Match {
        let found = documents.filter(isSame).map(\.template)
        guard let signable = found.first(where: { $0.status != .retired }) else {
            return found.isEmpty ? .none : .retired
        }
        return .template(signable)
    }

    /// The versions that may be signed, with their complete text, in the form that devices fetch: the newest first. Of
    /// several FHIR releases with the same text, only the first is included.
    public var bundle: FHIR.Bundle {
        var bundle = FHIR.Bundle(type: .collection)
        var seen: Set<[Data]> = []
        bundle.entry = templates.filter { $0.status != .retired }
            .filter { template in
                let names = [template.url, template.version, template.contract.language]
                return seen.insert(names.map { Data(($0 ?? "").utf8) } + [template.terms.wording]).inserted
            }
            .sorted { $0.rank != $1.rank ? $0.rank > $1.rank : $0.status == .current && $1.status != .current }
            .map { template in
                var entry = FHIR.Bundle.Entry()
                entry.resource = template.withFilesInside.contract.resource
                return entry
            }
        return bundle
    }

    /// Returns the effect of later versions on a participant who signed a Contract.
    ///
    /// - Returns: the greatest change of the versions after the signed one; nil if there are none, or if the Contract
    ///   refers to no template.
    public func change(since signed: SignedContract) -> ConsentTemplate.Change? {
        signed.templateURL.flatMap { change(since: CanonicalURL(url: $0, version: signed.templateVersion)) }
    }

    /// Returns the effect of versions later than a template.
    public func change(since template: CanonicalURL) -> ConsentTemplate.Change? {
        let url = template.url
        let rank = BusinessVersion(template.version)
        let changes = templates.filter { $0.url == url && $0.rank > rank }.map(\.change)
        return [.major, .minor, .editorial].first(where: changes.contains)
    }
}

extension ConsentTemplate {
    /// The template with the full texts of separate files included in its sections. It is served in this form, so that
    /// its recipients have the complete text.
    public var withFilesInside: ConsentTemplate {
        guard !htmlFiles.isEmpty else { return self }
        var contract = contract
        contract.term = contract.term.map { term in
            guard var details = term.extension(ConsentVocabulary.section), let html = missingHTML(in: details) else {
                return term
            }
            details.extension += [Extension(url: "htmlContent", value: .string(html))]
            var term = term
            term.extension = term.extension.map { $0.url == ConsentVocabulary.section ? details : $0 }
            return term
        }
        return (try? ConsentTemplate(contract.resource)) ?? self
    }

    /// Returns the text of the file that a section refers to, if the section does not contain it.
    private func missingHTML(in details: Extension) -> String? {
        func detail(_ name: String) -> String? { ConsentTemplate.detail(name, of: details) }
        guard detail("htmlContent") == nil else { return nil }
        return detail("htmlContentFile").flatMap { htmlFiles[$0] }
    }

    /// The template as it is read without its separate files.
    fileprivate var withoutFiles: ConsentTemplate {
        (try? ConsentTemplate(contract.resource)) ?? self
    }

    fileprivate static let anyTime: DateTime = "2000-01-01"

    /// All content of a Contract except its terms and signers, in a form that is equal for a template and a signed copy
    /// of it.
    fileprivate var rest: Data {
        var rest = signed(id: "c", participant: "p", sharing: nil, now: ConsentTemplate.anyTime).object
        for name in ConsentTemplate.membersOfSigning { rest[name] = nil }
        // The order of extensions is ignored.
        let kept = contract.extension.filter { !ConsentTemplate.signedExtensions.contains($0.url) }
            .map { String(decoding: JSON.object($0.object).canonicalData(), as: UTF8.self) }
        rest["extension"] = kept.isEmpty ? nil : .array(kept.sorted().map { .string($0) })
        return JSON.object(rest).canonicalData()
    }

    /// Whether all members of a signed Contract that are not copied from a template are members of signing, or equal to
    /// the template's own.
    fileprivate func coversMembers(of signed: Contract) -> Bool {
        let isKnown = signed.object.members.allSatisfy { member in
            ConsentTemplate.keptMembers.contains(member.key) || ConsentTemplate.membersOfSigning.contains(member.key)
                || contract.object[member.key] == member.value
        }
        let terms = contract.term
        return isKnown
            && signed.term.enumerated().allSatisfy { index, term in
                term.object.members.allSatisfy { member in
                    ConsentTemplate.keptTermMembers.contains(member.key)
                        || (terms.indices.contains(index) && terms[index].object[member.key] == member.value)
                }
            }
    }

    private static let membersOfSigning: Set<String> = [
        "resourceType", "id", "meta", "status", "applies", "signer", "instantiatesUri", "instantiatesCanonical",
    ]

    /// Whether a choice about sharing is present if the template requires one, and absent if the template does not ask.
    fileprivate func takesSharing(_ choice: Bool?) -> Bool {
        choice == nil ? !requiresSharingAnswer : asksForSharing
    }
}
