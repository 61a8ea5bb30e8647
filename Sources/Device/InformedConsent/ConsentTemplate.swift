import FHIR

/// A study's consent before anybody signs it, read from a FHIR Contract.
///
/// Read are the Contracts of C3-PRO's apps (DSTU2 and STU3) and R4's; they agree in what matters here.
public struct ConsentTemplate: Sendable, Hashable {
    /// The Contract as it came.
    public let contract: Contract
    /// The title: `Contract.title`, else its name, the text of its type or the heading of the overview; "Consent" where
    /// it has none of these (<https://hl7.org/fhir/R4/contract-definitions.html#Contract.title>).
    public let title: String
    /// The name of the research team, from the contained Organization that is the contract's authority.
    public let teamName: String?
    /// The questions that decide who can take part, from the contained Group that is the contract's first subject
    /// (<https://hl7.org/fhir/R4/group-definitions.html#Group.characteristic>).
    public let eligibility: Eligibility
    /// The sections that can be read, in their order.
    public let sections: [ConsentSection]
    /// Whether the person is asked about sharing with other researchers. A Contract that does not say asks.
    public let asksForSharing: Bool
    /// Whether the Contract says so itself; then nobody can sign without an answer.
    public let requiresSharingAnswer: Bool
    /// The kinds of health data that the consent names, of those that are released only where they are named
    /// (``ConsentVocabulary/includesHealthData``).
    public let includedHealthData: Set<String>
    /// The canonical URL of the template (R4 only).
    public let url: String?
    /// The version of the template (R4 only).
    public let version: String?
    /// The full texts beside the Contract, by the names under which sections name them.
    public let htmlFiles: [String: String]
    /// The sections and criteria that were passed over as they cannot be read, with the reason.
    public let warnings: [String]

    /// Reads a Contract.
    ///
    /// - Parameter htmlFiles: the contents of files that sections name as their full text.
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
        // Only those that are named: a template is equal to another one by what belongs to it.
        let names = Set(sections.compactMap(\.htmlContentFile))
        self.htmlFiles = htmlFiles.filter { names.contains($0.key) }
        self.contract = contract
        self.warnings = warnings
    }

    /// `url|version`, the canonical name of the template; nil where the Contract has no URL.
    public var canonical: String? { url.map { CanonicalURL(url: $0, version: version).text } }

    /// The sections that are shown on screens before the document.
    public var screenSections: [ConsentSection] { sections.filter { $0.kind != .onlyInDocument } }
}

extension Contract {
    /// The kinds of health data that this consent names, signed or not, of those that are released only where they are
    /// named.
    public var includedHealthData: Set<String> {
        Set(
            self.extension.filter { $0.url == ConsentVocabulary.includesHealthData }.compactMap {
                $0.value?.json.string
            })
    }
}
