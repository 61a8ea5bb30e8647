import FHIR
import Foundation

/// The versions of a study's consent that are published: which of them a signed Contract says, and whether who signed it is to
/// sign again. Pure.
public struct PublishedConsents: Sendable {
    /// What a study has to do with a Contract that says a template's text, or none.
    public enum Match: Sendable, Hashable {
        /// The text of a template that may be signed.
        case template(ConsentTemplate)
        /// The text of a template that nobody may sign any more.
        case retired
        /// Another text, or none.
        case none
    }

    /// The templates, in the order of their files.
    public let templates: [ConsentTemplate]
    private let documents: [Document]

    /// A template, as phones may have it.
    private struct Document: Sendable {
        let template: ConsentTemplate
        let texts: [(terms: ConsentTerms, rest: Data)]
        let digests: Set<String>

        init(_ template: ConsentTemplate) {
            self.template = template
            // A phone has the full texts in the Contract, beside it, or (as C3-PRO's apps) in the app: then the Contract says
            // the files' names.
            texts = Set([template, template.withFilesInside, template.withoutFiles]).map { ($0.terms, $0.rest) }
            digests = Set(texts.map(\.terms.digest))
        }
    }

    /// Takes templates that were read.
    public init(_ templates: [ConsentTemplate]) {
        self.templates = templates
        documents = templates.map { Document($0) }
    }

    /// Reads the versions that a study publishes (``bundle``); Contracts that cannot be read are passed over.
    public init(_ bundle: FHIR.Bundle) {
        self.init(bundle.entry.compactMap { entry in entry.resource.flatMap { try? ConsentTemplate($0) } })
    }

    /// The version that a person who signs now is shown: the newest that is current, in one of the languages where there is
    /// one, by their order.
    public func current(languages: [String] = []) -> ConsentTemplate? {
        let current = templates.filter { $0.status == .current }
        let newest = current.map(\.rank).max()
        let shown = current.filter { $0.rank == newest }
        return languages.lazy.compactMap { language in shown.first { $0.contract.language == language } }.first
            ?? shown.first
    }

    /// Finds the template of a Contract that was signed in R4.
    ///
    /// The Contract must say the template's text, all of it and nothing else: the text that it carries counts, and the
    /// digest, the url and the version that it bears must be those of the same template.
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
                && digests.allSatisfy(document.digests.contains) && template.hasAllBeside(contract)
                && canonical.map { $0.url == template.url && $0.version == template.version } ?? true
                && template.takesSharing(SignedContractReader.sharing(in: contract))
        }
    }

    /// Finds the template of a Contract that one of C3-PRO's apps signed, as it came: by its wording, for those Contracts name
    /// no template.
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

    /// The versions that may be signed, with all of their text, as a device fetches them: the newest first. Of releases of FHIR
    /// that say the same the first is there alone.
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

    /// What a participant who signed a Contract has to hear of the versions since.
    ///
    /// - Returns: the greatest change of the versions that come after the one that was signed; nil where there is none, or
    ///   the Contract names no template.
    public func change(since signed: SignedContract) -> ConsentTemplate.Change? {
        signed.templateURL.flatMap { change(since: CanonicalURL(url: $0, version: signed.templateVersion)) }
    }

    /// The same for a template by its name.
    public func change(since template: CanonicalURL) -> ConsentTemplate.Change? {
        let url = template.url
        let rank = BusinessVersion(template.version)
        let changes = templates.filter { $0.url == url && $0.rank > rank }.map(\.change)
        return [.major, .minor, .editorial].first(where: changes.contains)
    }
}

extension ConsentTemplate {
    /// The template with the full texts of the files beside it in its sections, as it is served: whoever has it has all of the
    /// text.
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

    /// The text of the file that a section names and does not hold itself.
    private func missingHTML(in details: Extension) -> String? {
        func detail(_ name: String) -> String? { ConsentTemplate.detail(name, of: details) }
        guard detail("htmlContent") == nil else { return nil }
        return detail("htmlContentFile").flatMap { htmlFiles[$0] }
    }

    /// The template as who does not have the files beside it reads it.
    fileprivate var withoutFiles: ConsentTemplate {
        (try? ConsentTemplate(contract.resource)) ?? self
    }

    fileprivate static let anyTime = DateTime("2000-01-01") ?? DateTime(.distantPast)

    /// All that a Contract says beside its terms and who signed them, in one form for a template and what was signed of it.
    fileprivate var rest: Data {
        var rest = signed(id: "c", participant: "p", sharing: nil, now: ConsentTemplate.anyTime).object
        for name in ConsentTemplate.membersOfSigning { rest[name] = nil }
        // The order of extensions says nothing.
        let kept = contract.extension.filter { !ConsentTemplate.signedExtensions.contains($0.url) }
            .map { String(decoding: JSON.object($0.object).canonicalData(), as: UTF8.self) }
        rest["extension"] = kept.isEmpty ? nil : .array(kept.sorted().map { .string($0) })
        return JSON.object(rest).canonicalData()
    }

    /// Whether a signed Contract has, of the members that do not go into it from a template, those of signing and the
    /// template's own alone.
    fileprivate func hasAllBeside(_ signed: Contract) -> Bool {
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

    /// Whether a choice about sharing is there where the template wants one, and is not where it asks for none.
    fileprivate func takesSharing(_ choice: Bool?) -> Bool {
        choice == nil ? !requiresSharingAnswer : asksForSharing
    }
}
