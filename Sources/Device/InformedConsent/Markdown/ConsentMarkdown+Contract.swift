import FHIR

extension ConsentMarkdown {
    /// The consent as an R4 Contract. It has the same text as the file.
    public var contract: Contract {
        var contract = Contract(id: id)
        contract.language = language
        contract.contained = contained
        contract.extension = extensions
        contract.url = url
        contract.version = version
        contract.status = .executable
        contract.object["issued"] = issued.map { .string($0) }
        if !eligibility.isEmpty { contract.subject = [Reference("#eligibility")] }
        if team != nil { contract.authority = [Reference("#team")] }
        contract.name = name
        contract.title = title
        let type = Coding(
            system: "http://terminology.hl7.org/CodeSystem/contract-type", code: "consent", display: "Consent")
        contract.object["type"] = ["coding": .array([type.json])]
        contract.term = sections.map(Self.term)
        return contract
    }

    private var contained: [Resource] {
        var contained: [Resource] = []
        if let team {
            var organization = Organization(id: "team")
            organization.name = team
            organization.telecom = contact.compactMap { ContactPoint(consentContact: $0) }
            contained.append(organization.resource)
        }
        if !eligibility.isEmpty {
            var group = Group(id: "eligibility", type: .person, actual: false)
            group.object["characteristic"] = .array(
                eligibility.map { criterion in
                    [
                        "code": ["text": .string(criterion.text)], "valueBoolean": true,
                        "exclude": .bool(!criterion.mustBeMet),
                    ]
                })
            contained.append(group.resource)
        }
        return contained
    }

    private var extensions: [Extension] {
        var extensions: [Extension] = []
        if let asksForSharing {
            extensions.append(Extension(url: ConsentVocabulary.asksForSharing, value: .boolean(asksForSharing)))
        }
        extensions += healthData.map { Extension(url: ConsentVocabulary.includesHealthData, value: .code($0)) }
        if let status { extensions.append(Extension(url: ConsentVocabulary.status, value: .code(status.rawValue))) }
        if let change { extensions.append(Extension(url: ConsentVocabulary.change, value: .code(change.rawValue))) }
        return extensions
    }

    private static func term(_ section: ConsentSection) -> Contract.Term {
        var parts: [Extension] = []
        func add(_ name: String, _ value: String?) {
            if let value { parts.append(Extension(url: name, value: .string(value))) }
        }
        // A reader uses the title of the type where there is none.
        add("title", section.title.isEmpty && section.kind.title.isEmpty ? nil : section.title)
        add("htmlContent", section.htmlContent)
        add("htmlContentFile", section.htmlContentFile)
        add("image", section.image)
        add("animation", section.animation)
        var term = Contract.Term(JSONObject())
        if !parts.isEmpty {
            var details = Extension(url: ConsentVocabulary.section)
            details.extension = parts
            term.extension = [details]
        }
        let type = Coding(system: ConsentVocabulary.sectionType, code: section.kind.rawValue)
        term.object["type"] = ["coding": .array([type.json])]
        // R4 requires an offer; the apps of C3-PRO read the text.
        var offer = Contract.Term.Offer()
        offer.text = section.summary
        if section.summary == nil { offer.extension = [.dataAbsent("unknown")] }
        term.offer = offer
        term.text = section.summary
        return term
    }
}

extension ConsentMarkdown {
    /// Converts a consent to Markdown.
    ///
    /// Texts in separate files remain there: the section names the file. The result is read again, so that it has the
    /// same digest as the template.
    ///
    /// - Throws: ``ConsentMarkdownError`` of the kind `notRepresentable`, such as for two sections with one title.
    public init(_ template: ConsentTemplate) throws(ConsentMarkdownError) {
        let source = ConsentMarkdown(copying: template)
        do throws(ConsentMarkdownError) {
            self = try ConsentMarkdown(source.text.utf8)
        } catch {
            throw ConsentMarkdownError(
                .notRepresentable, "The Contract cannot be written as Markdown. \(error.message) (\(error.code))")
        }
        // The comparison is of the same files.
        guard let built = try? ConsentTemplate(contract.resource, htmlFiles: template.htmlFiles),
            built.terms == template.terms
        else {
            throw ConsentMarkdownError(
                .notRepresentable, "The Contract cannot be written as Markdown: its text would change.")
        }
    }

    private init(copying template: ConsentTemplate) {
        let contract = template.contract
        title = template.title
        version = template.version
        language = contract.language
        url = template.url
        id = contract.id.flatMap { Resource.isID($0) ? $0 : nil }
        name = contract.name
        issued = contract.object["issued"]?.string
        team = template.teamName
        let organization = contract.authority.first.flatMap { contract.containedResource($0.reference) }
        let telecom = organization.map { Organization($0.object).telecom } ?? []
        contact =
            template.teamName == nil
            ? [] : telecom.compactMap(\.value).filter { ContactPoint(consentContact: $0) != nil }
        status = contract.extension(ConsentVocabulary.status) == nil ? nil : template.status
        change = contract.extension(ConsentVocabulary.change) == nil ? nil : template.change
        asksForSharing = template.requiresSharingAnswer ? true : template.asksForSharing ? nil : false
        var seen: Set<String> = []
        healthData = contract.extension.filter { $0.url == ConsentVocabulary.includesHealthData }
            .compactMap { $0.value?.json.string }.filter { seen.insert($0).inserted }
        eligibility = template.eligibility.criteria
        sections = template.sections
    }

    /// Returns the elements of a Contract that this consent does not contain, such as `identifier`. They are not part
    /// of the text to which people agree.
    public func elementsLeftOut(of original: Contract) -> [String] {
        let built = contract
        // Elements of older releases of FHIR, or of a signature, have no meaning in a template.
        let ignored: Set<String> = [
            "resourceType", "text", "meta", "applies", "contained", "term", "subject", "authority",
        ]
        var names = original.object.members.filter { member in
            !ignored.contains(member.key) && built.object[member.key] != member.value
        }.map(\.key)
        for term in original.term {
            names += term.object.keys.filter { !["extension", "type", "text", "offer"].contains($0) }.map {
                "term." + $0
            }
        }
        let known: [String: Set<String>] = [
            "Organization": ["resourceType", "id", "name", "telecom"],
            "Group": ["resourceType", "id", "type", "actual", "characteristic"],
        ]
        for resource in original.contained {
            guard let elements = known[resource.resourceType] else {
                names.append(resource.resourceType)
                continue
            }
            names += resource.object.keys.filter { !elements.contains($0) }.map { "\(resource.resourceType).\($0)" }
        }
        return Set(names).sorted()
    }
}
