import FHIR

extension FHIRVersion {
    /// Returns the release in which a resource is written. The content of the resource has precedence over its label,
    /// because apps send one release under the name of another.
    ///
    /// - Parameters:
    /// - resource: the original resource.
    /// - label: the sender's name of the release, if any.
    /// - fallback: the result if neither the resource nor the label determines the release.
    public static func of(_ resource: Resource, label: String? = nil, fallback: FHIRVersion = .r4) -> FHIRVersion {
        let possible = candidates(of: resource)
        if let label, let labelled = FHIRVersion(label: label), possible.contains(labelled) { return labelled }
        if possible.count == allCases.count { return label.flatMap(FHIRVersion.init(label:)) ?? fallback }
        return possible.contains(fallback) ? fallback : possible.min() ?? fallback
    }

    /// Returns the releases whose readers can read a published resource unchanged: the release of its label if the
    /// resource can be written in it, otherwise all possible releases.
    public static func readers(of resource: Resource, label: FHIRVersion? = nil) -> Set<FHIRVersion> {
        let possible = candidates(of: resource)
        if let label, possible.contains(label) { return [label] }
        return possible
    }

    /// Returns the releases in which the resource can be written, according to its elements.
    public static func candidates(of resource: Resource) -> Set<FHIRVersion> {
        var possible = Set(allCases)
        for evidence in evidence(in: resource) {
            let rest = possible.intersection(evidence)
            // Contradicting evidence is ignored; earlier evidence is stronger.
            if !rest.isEmpty { possible = rest }
        }
        return possible
    }

    private static func evidence(in resource: Resource) -> [Set<FHIRVersion>] {
        let object = resource.object
        var found: [Set<FHIRVersion>] = []
        func has(_ key: String, _ versions: Set<FHIRVersion>) {
            if object[key] != nil { found.append(versions) }
        }
        switch resource.resourceType {
        case "QuestionnaireAnswers": found.append([.dstu2])
        case "QuestionnaireResponse":
            has("group", [.dstu2])
            has("item", [.stu3, .r4])
            has("context", [.stu3])
            has("parent", [.stu3])
            has("partOf", [.r4])
            if let questionnaire = object["questionnaire"] {
                found.append(questionnaire.string == nil ? [.dstu2, .stu3] : [.r4])
            }
        case "Questionnaire":
            has("group", [.dstu2])
            has("telecom", [.dstu2])
            has("item", [.stu3, .r4])
            has("derivedFrom", [.r4])
            if let item = object["item"] {
                found += evidence(inItems: item)
                // Last, because it is the weakest evidence: these extensions are DSTU2's, but forms of STU3 still have
                // them.
                if hasExtensionsOfDSTU2(item) { found.append([.stu3]) }
            }
        case "Contract": found += evidence(inContract: object)
        case "Observation":
            has("comments", [.dstu2])
            has("context", [.stu3])
            has("comment", [.stu3])
            has("related", [.dstu2, .stu3])
            has("hasMember", [.r4])
            has("derivedFrom", [.r4])
            has("focus", [.r4])
            has("note", [.r4])
            has("encounter", [.dstu2, .r4])
            if let category = object["category"] {
                found.append(category.array == nil ? [.dstu2] : [.stu3, .r4])
            }
            if let interpretation = object["interpretation"] {
                found.append(interpretation.array == nil ? [.dstu2, .stu3] : [.r4])
            }
            if object["valueQuantity"]?["units"] != nil { found.append([.dstu2]) }
        case "Encounter":
            has("patient", [.dstu2])
            has("indication", [.dstu2])
            has("reason", [.dstu2, .stu3])
            has("incomingReferral", [.dstu2, .stu3])
            has("reasonCode", [.r4])
            if let kind = object["class"] { found.append(kind.string == nil ? [.stu3, .r4] : [.dstu2]) }
        case "ValueSet":
            has("codeSystem", [.dstu2])
            has("lockedDate", [.dstu2])
            has("requirements", [.dstu2])
            if object["compose"]?["import"] != nil { found.append([.dstu2]) }
        case "Patient":
            has("careProvider", [.dstu2])
            has("animal", [.dstu2, .stu3])
            has("generalPractitioner", [.stu3, .r4])
            if let family = object["name"]?[0]?["family"] {
                found.append(family.array == nil ? [.stu3, .r4] : [.dstu2])
            }
        case "Device":
            has("udiCarrier", [.r4])
            has("deviceName", [.r4])
            has("expiry", [.dstu2])
            has("model", [.dstu2, .stu3])
            if let udi = object["udi"] { found.append(udi.string == nil ? [.stu3] : [.dstu2]) }
            if let version = object["version"] { found.append(version.array == nil ? [.dstu2, .stu3] : [.r4]) }
        case "Bundle":
            for entry in object["entry"]?.array ?? [] {
                if let inner = entry["resource"]?.object { found += evidence(in: Resource(inner)) }
            }
        case "Organization":
            if let type = object["type"] { found.append(type.array == nil ? [.dstu2] : [.stu3, .r4]) }
        default: break
        }
        for contained in resource.contained {
            found += evidence(in: contained)
        }
        return found
    }

    private static func evidence(inContract object: JSONObject) -> [Set<FHIRVersion>] {
        var found: [Set<FHIRVersion>] = []
        for signer in object["signer"]?.array ?? [] {
            guard let signature = signer["signature"] else { continue }
            if signature.string != nil { found.append([.dstu2]) }
            for one in signature.array ?? [] {
                if one["who"] != nil { found.append([.r4]) }
                if one["whoReference"] != nil || one["whoUri"] != nil { found.append([.stu3]) }
            }
        }
        for key in ["instantiatesUri", "instantiatesCanonical", "url", "version", "title", "legalState", "scope"]
        where object[key] != nil { found.append([.r4]) }
        if object["actor"] != nil { found.append([.dstu2]) }
        if object["agent"] != nil { found.append([.stu3]) }
        if object["status"] != nil { found.append([.stu3, .r4]) }
        if object["identifier"]?.object != nil { found.append([.dstu2, .stu3]) }
        for term in object["term"]?.array ?? [] {
            if term["offer"] != nil { found.append([.r4]) }
            // All terms of R4 have an offer. For a signed contract, the signature and the label decide.
            if term["offer"] == nil, object["signer"] == nil { found.append([.dstu2, .stu3]) }
        }
        return found
    }

    /// Extensions of questions that HL7 defined for DSTU2 and did not define for R4.
    private static let extensionsOfDSTU2 = ["questionnaire-instruction", "questionnaire-defaultValue"].map {
        "http://hl7.org/fhir/StructureDefinition/" + $0
    }

    private static func hasExtensionsOfDSTU2(_ items: JSON) -> Bool {
        (items.array ?? []).contains { item in
            let urls = (item["extension"]?.array ?? []).compactMap { $0["url"]?.string }
            return urls.contains(where: extensionsOfDSTU2.contains) || item["item"].map(hasExtensionsOfDSTU2) ?? false
        }
    }

    private static func evidence(inItems items: JSON) -> [Set<FHIRVersion>] {
        var found: [Set<FHIRVersion>] = []
        for item in items.array ?? [] {
            if item["answerOption"] != nil || item["answerValueSet"] != nil { found.append([.r4]) }
            if item["option"] != nil || item["options"] != nil { found.append([.stu3]) }
            if let initial = item.object?.choice("initial"), !initial.type.isEmpty {
                found.append([.stu3])
            }
            for condition in item["enableWhen"]?.array ?? [] {
                found.append(condition["operator"] == nil ? [.stu3] : [.r4])
            }
            if let children = item["item"] { found += evidence(inItems: children) }
        }
        return found
    }
}
