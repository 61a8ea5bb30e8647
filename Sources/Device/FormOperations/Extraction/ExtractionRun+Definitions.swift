import FHIR
import FHIRPath

/// The extraction by definition (<https://hl7.org/fhir/uv/sdc/extraction.html#definition-extract>).
extension ExtractionRun {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"

    /// Opens a resource for each `definitionExtract`, and for the older `itemExtractionContext`.
    ///
    /// - Parameters:
    ///   - items: the items whose definitions name elements of the resource.
    ///   - isRoot: whether the extensions are those of the form itself.
    /// - Returns: the resources, which ``closeDefinitions(_:)`` completes.
    mutating func openDefinitions(
        _ extensions: [Extension], at frame: inout Frame, below items: [Questionnaire.Item], isRoot: Bool
    ) -> [DefinitionScope] {
        var opened: [DefinitionScope] = []
        for source in extensions {
            let text: String?
            switch source.url {
            case OperationExtension.definitionExtract: text = source.part("definition")?.json.string
            case OperationExtension.extractionContext: text = contextType(source, frame.scope).map { Self.core + $0 }
            default: continue
            }
            guard let text else {
                log.report(
                    "definition-missing", at: frame.scope.location, linkID: frame.scope.linkID,
                    "\(source.shortName) names no resource type or profile.")
                continue
            }
            let canonical = CanonicalURL(text)
            guard !frame.definitions.contains(where: { $0.canonical.url == canonical.url }) else {
                log.report(
                    "definition-repeated", at: frame.scope.location, linkID: frame.scope.linkID,
                    "A resource of the same definition is already extracted here; it must be unique.")
                continue
            }
            let profile = self.profile(canonical)
            guard let type = profile?.type ?? Self.type(of: canonical, in: items, root: questionnaire),
                let typeID = TypeModel.r4.type(type), TypeModel.r4.kind(of: typeID) == .resource,
                !TypeModel.r4.isAbstract(typeID)
            else {
                log.report(
                    "definition-unknown", at: frame.scope.location, linkID: frame.scope.linkID,
                    "The type of the definition is not known.")
                continue
            }
            if profile == nil, canonical.url != Self.core + type {
                log.report(
                    "profile-unknown", severity: .warning, at: frame.scope.location, linkID: frame.scope.linkID,
                    "The profile is not available; its fixed values are not added.")
            }
            let parts = source.url == OperationExtension.definitionExtract ? source : nil
            let entry = self.parts(of: parts, in: frame.scope)
            guard
                append(
                    ExtractedEntry(
                        fullURL: entry.fullURL ?? newURN(), conditions: entry.conditions,
                        location: frame.scope.location, linkID: frame.scope.linkID))
            else { continue }
            let draft = ElementDraft(type: typeID)
            let scope = DefinitionScope(
                canonical: canonical, typeName: type, root: draft, profile: profile?.elements,
                entry: entries.count - 1, positions: [DefinitionScope.Position(path: [], draft: draft)])
            frame.definitions.append(scope)
            opened.append(scope)
        }
        return opened
    }

    /// Completes the resources: it adds fixed values of their profiles.
    mutating func closeDefinitions(_ opened: [DefinitionScope]) {
        for scope in opened {
            scope.profile?.complete(scope.root, root: scope.typeName, budget: runner.budget)
            var resource = JSONObject(resourceType: scope.typeName)
            for member in scope.root.json?.object?.members ?? [] { resource[member.key] = member.value }
            if let profile = scope.profile?.canonical
                ?? (scope.canonical.url == Self.core + scope.typeName ? nil : scope.canonical)
            {
                var meta = Meta(resource["meta"]?.object ?? JSONObject())
                if !meta.profile.contains(where: { CanonicalURL($0).url == profile.url }) {
                    meta.profile.append(profile.text)
                }
                resource["meta"] = meta.json
            }
            removeExtensionsWithoutURL(&resource, scope)
            entries[scope.entry].resource = resource
        }
    }

    /// An extension needs a URL. One that got none is removed and reported.
    private mutating func removeExtensionsWithoutURL(_ resource: inout JSONObject, _ scope: DefinitionScope) {
        guard var extensions = resource["extension"]?.array else { return }
        let before = extensions.count
        extensions.removeAll { $0["url"] == nil }
        guard extensions.count < before else { return }
        resource["extension"] = extensions.isEmpty ? nil : .array(extensions)
        log.report(
            "extension-without-url", at: entries[scope.entry].location, linkID: entries[scope.entry].linkID,
            "An extracted extension has no url; set it by definitionExtractValue.")
    }

    // MARK: Types

    private mutating func contextType(_ source: Extension, _ scope: ExtractionScope) -> String? {
        if let type = source.value?.json.string { return type }
        guard let query = source.value?.json["expression"]?.string else { return nil }
        log.report(
            "extraction-context-query", severity: .warning, at: scope.location, linkID: scope.linkID,
            "A query of itemExtractionContext is not executed; a new resource of its type is extracted.")
        return String(query.prefix { $0 != "?" && $0 != "/" })
    }

    private mutating func profile(_ canonical: CanonicalURL) -> (type: String, elements: ProfileElements)? {
        if !canonical.url.hasPrefix(Self.core)
            || TypeModel.r4.type(String(canonical.url.dropFirst(Self.core.count))) == nil,
            let found = definition(canonical), let type = found.object["type"]?.string
        {
            if let elements = profiles[canonical.text] { return (type, elements) }
            let elements = ProfileElements(found, canonical: canonical)
            profiles[canonical.text] = elements
            return (type, elements)
        }
        return nil
    }

    /// Returns the type of R4's own definition, or the type that the definitions of items name.
    private static func type(
        of canonical: CanonicalURL, in items: [Questionnaire.Item], root: Questionnaire
    ) -> String? {
        let name = canonical.url.hasPrefix(core) ? String(canonical.url.dropFirst(core.count)) : ""
        if TypeModel.r4.type(name) != nil { return name }
        var waiting = items
        var extensions = root.extension
        var steps = 10_000
        while steps > 0 {
            steps -= 1
            for source in extensions where source.url == OperationExtension.definitionValue {
                if let path = source.part("definition")?.json.string.flatMap({ DefinitionPath($0) }),
                    path.canonical.url == canonical.url
                {
                    return path.root
                }
            }
            guard let item = waiting.popLast() else { return nil }
            if let path = item.definition.flatMap({ DefinitionPath($0) }), path.canonical.url == canonical.url {
                return path.root
            }
            extensions = item.extension
            waiting += item.item
        }
        return nil
    }

    // MARK: Values

    /// Writes an item to the element that its definition names: a group creates the element, answers set it.
    ///
    /// - Returns: for each answer, by its index, the elements that items below it write to, by the number of the
    ///   resource.
    mutating func writeDefinition(
        _ item: Questionnaire.Item, _ node: QuestionnaireResponse.Item, at frame: inout Frame
    ) -> [Int: [Int: [DefinitionScope.Position]]] {
        guard !frame.definitions.isEmpty else { return [:] }
        for number in frame.definitions.indices {
            frame.definitions[number].outer = frame.definitions[number].positions.count
        }
        var ofAnswers: [Int: [Int: [DefinitionScope.Position]]] = [:]
        let unit = item.extension(OperationExtension.unit)?.value.flatMap { Coding(json: $0.json) }
        if let path = item.definition.flatMap({ DefinitionPath($0) }), let number = number(of: path, in: frame) {
            let writer = DefinitionWriter(scope: frame.definitions[number], unit: unit)
            do throws(DefinitionFault) {
                if item.type == .group {
                    frame.definitions[number].positions += try writer.group(path)
                } else {
                    let answers = node.answer.enumerated().compactMap { index, answer in
                        FHIRPathValue(answer.value).map { (index, $0) }
                    }
                    if !answers.isEmpty {
                        let (above, values) = try writer.write(answers.map(\.1), path)
                        frame.definitions[number].positions += above
                        for (answer, position) in zip(answers, values) { ofAnswers[answer.0] = [number: [position]] }
                        if values.count == 1 { frame.definitions[number].positions += values }
                    }
                }
            } catch {
                log.report(error.code, at: frame.scope.location, linkID: frame.scope.linkID, error.message)
            }
        }
        writeDefinitionValues(item.extension, at: &frame, unit: unit)
        return ofAnswers
    }

    /// Writes the fixed and calculated values of `definitionExtractValue`.
    mutating func writeDefinitionValues(_ extensions: [Extension], at frame: inout Frame, unit: Coding? = nil) {
        for source in extensions where source.url == OperationExtension.definitionValue {
            guard let path = source.part("definition")?.json.string.flatMap({ DefinitionPath($0) }) else {
                log.report(
                    "definition-missing", at: frame.scope.location, linkID: frame.scope.linkID,
                    "definitionExtractValue names no element of a resource.")
                continue
            }
            guard let number = number(of: path, in: frame) else {
                log.report(
                    "definition-not-open", severity: .warning, at: frame.scope.location, linkID: frame.scope.linkID,
                    "definitionExtractValue names a definition for which no resource is extracted here.")
                continue
            }
            guard let values = values(of: source, in: frame.scope), !values.isEmpty else { continue }
            let writer = DefinitionWriter(scope: frame.definitions[number], unit: unit)
            do throws(DefinitionFault) {
                let (above, written) = try writer.write(values, path)
                frame.definitions[number].positions += above
                if written.count == 1 { frame.definitions[number].positions += written }
            } catch {
                log.report(error.code, at: frame.scope.location, linkID: frame.scope.linkID, error.message)
            }
        }
    }

    private func number(of path: DefinitionPath, in frame: Frame) -> Int? {
        frame.definitions.lastIndex { $0.isNamed(by: path.canonical) && $0.typeName == path.root }
    }

    private mutating func values(of source: Extension, in scope: ExtractionScope) -> [FHIRPathValue]? {
        if let fixed = source.extension("fixed-value") {
            return FHIRPathValue(fixed.value, sibling: fixed.valueElement).map { [$0] }
        }
        guard let value = source.part("expression"), let text = Extension.fhirPath(value) else {
            log.report(
                "expression-language", at: scope.location, linkID: scope.linkID,
                "definitionExtractValue needs a fixed value or an expression in FHIRPath.")
            return nil
        }
        return evaluate(text, source.shortName, in: scope)
    }
}
