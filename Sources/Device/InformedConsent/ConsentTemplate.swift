import FHIR

/// A study's consent before signing, read from a FHIR Contract.
///
/// The Contracts of C3-PRO's apps (DSTU2 and STU3) and of R4 are supported; they agree in the elements that are read.
public struct ConsentTemplate: Sendable, Hashable {
    /// The original Contract.
    public let contract: Contract
    /// The title: `Contract.title`, or its name, the text of its type or the heading of the overview; "Consent" if
    /// there is none of these (<https://hl7.org/fhir/R4/contract-definitions.html#Contract.title>).
    public let title: String
    /// The name of the research team, from the contained Organization that is the contract's authority.
    public let teamName: String?
    /// The questions that decide about eligibility, from the contained Group that is the contract's first subject
    /// (<https://hl7.org/fhir/R4/group-definitions.html#Group.characteristic>).
    public let eligibility: Eligibility
    /// The readable sections, in their order.
    public let sections: [ConsentSection]
    /// Whether the person is asked about sharing with other researchers. True if the Contract does not specify it.
    public let asksForSharing: Bool
    /// Whether signing requires an answer about sharing: the Contract itself specifies that the person is asked.
    public let requiresSharingAnswer: Bool
    /// The kinds of health data that the consent includes, among those that require inclusion
    /// (``ConsentVocabulary/includesHealthData``).
    public let includedHealthData: Set<String>
    /// The canonical URL of the template (R4 only).
    public let url: String?
    /// The version of the template (R4 only).
    public let version: String?
    /// The files with full texts, by the names that sections use.
    public let htmlFiles: [String: String]
    /// The sections and criteria that cannot be read and are ignored, with the reason.
    public let warnings: [String]

    /// Reads a Contract.
    ///
    /// - Parameter htmlFiles: the contents of files that sections refer to as their full text.
    /// - Throws: ``ConsentError/notAContract``, ``ConsentError/noSections``.
    public init(_ resource: Resource, htmlFiles: [String: String] = [:]) throws(ConsentError) {
        guard let contract: Contract = resource.as() else { throw ConsentError.notAContract }
        var warnings: [String] = []
        sections = ConsentTemplate.sections(of: contract, &warnings)
        guard !sections.isEmpty else { throw ConsentError.noSections }
        eligibility = Eligibility(criteria: ConsentTemplate.criteria(of: contract, &warnings))
        teamName = ConsentTemplate.teamName(of: contract)
        title =
            contract.title ?? contract.name ?? contract.type?.text
            ?? sections.first { $0.kind == .overview && !$0.title.isEmpty }?.title ?? "Consent"
        let asks = contract.extension(ConsentVocabulary.asksForSharing)?.value?.json.bool
        asksForSharing = asks ?? true
        requiresSharingAnswer = asks ?? false
        includedHealthData = contract.includedHealthData
        url = contract.url
        version = contract.version
        // Only files that a section refers to: the equality of templates depends on their own content alone.
        let names = Set(sections.compactMap(\.htmlContentFile))
        self.htmlFiles = htmlFiles.filter { names.contains($0.key) }
        self.contract = contract
        self.warnings = warnings
    }

    /// `url|version`, the canonical name of the template; nil if the Contract has no URL.
    public var canonical: String? { url.map { CanonicalURL(url: $0, version: version).text } }

    /// The sections that are shown on screens before the document.
    public var screenSections: [ConsentSection] { sections.filter { $0.kind != .onlyInDocument } }
}

extension Contract {
    /// The kinds of health data that this consent, signed or not, includes, among those that require inclusion.
    public var includedHealthData: Set<String> {
        Set(
            self.extension.filter { $0.url == ConsentVocabulary.includesHealthData }.compactMap {
                $0.value?.json.string
            })
    }
}
