import FHIR
import FHIRPath
import Foundation

/// The rules of SDC for sub-forms (<https://hl7.org/fhir/uv/sdc/modular.html#modular>).
extension AssemblyRun {
    // MARK: Scope

    /// Adds the names that extensions define, and the value of `linkIdPrefix`.
    mutating func enter(_ extensions: [Extension], _ scope: inout Scope, at location: String, linkID: String? = nil) {
        for source in extensions {
            if source.url == OperationExtension.launchContext {
                if let name = source.part("name")?.json["code"]?.string { scope.names.insert(name) }
                continue
            }
            guard let value = source.value?.json, let name = value["name"]?.string else { continue }
            scope.names.insert(name)
            guard source.url == OperationExtension.variable, name == "linkIdPrefix" else { continue }
            guard let text = value["expression"]?.string, let prefix = Self.prefix(text, outer: scope.prefix) else {
                log.report(
                    "link-id-prefix", at: location, linkID: linkID,
                    "The variable linkIdPrefix must be a text, without other variables than the one outside.")
                continue
            }
            scope.prefix = prefix
        }
    }

    private static func prefix(_ text: String, outer: String?) -> String? {
        guard let expression = try? FHIRPathExpression(text) else { return nil }
        var context = FHIRPathContext(now: Date(timeIntervalSince1970: 0))
        context.limits.steps = 10_000
        context.limits.characters = 1_000
        if let outer { context.variables["linkIdPrefix"] = [.string(outer)] }
        guard let found = try? expression.evaluate(on: [], in: context), found.count == 1,
            case .string(let prefix) = found[0], prefix.utf8.count <= 1_000
        else { return nil }
        return prefix
    }

    // MARK: Agreement

    /// Checks that a sub-form fits the whole form and its location in it.
    mutating func check(
        _ form: Questionnaire, named name: CanonicalURL, at location: String, linkID: String?, in scope: Scope
    ) {
        for (element, own, whole) in Self.agreeing(form, root) where !own.isSubset(of: whole) {
            log.report(
                "sub-questionnaire-disagrees", at: location, linkID: linkID,
                "The sub-form \(name.text) has another \(element) than the form.")
        }
        for source in form.extension {
            guard let url = source.url, OperationExtension.forbiddenInParts.contains(url) else { continue }
            log.report(
                "sub-questionnaire-extension", at: location, linkID: linkID,
                "The root of the sub-form \(name.text) has \(source.shortName); set it on a group inside.")
        }
        if form.object["modifierExtension"] != nil {
            log.report(
                "sub-questionnaire-extension", at: location, linkID: linkID,
                "The sub-form \(name.text) has a modifier extension.")
        }
        for needed in form.extensions(OperationExtension.assembleContext).compactMap({ $0.value?.json.string })
        where !scope.names.contains(needed) {
            log.report(
                "assemble-context-missing", at: location, linkID: linkID,
                "The sub-form \(name.text) needs the variable \(needed), which is not in scope.")
        }
        if form.extension(OperationExtension.assembleExpectation)?.value?.json.string == "assemble-root" {
            log.report(
                "assemble-expectation", severity: .warning, at: location, linkID: linkID,
                "The form \(name.text) is not intended as a sub-form.")
        }
    }

    /// Returns the elements that must agree: of the sub-form, and of the whole form.
    private static func agreeing(
        _ form: Questionnaire, _ root: Questionnaire
    ) -> [(element: String, own: Set<JSON>, whole: Set<JSON>)] {
        var output: [(String, Set<JSON>, Set<JSON>)] = [
            ("security label", labels(form), labels(root)),
            ("implicitRules", values("implicitRules", form), values("implicitRules", root)),
            ("language", values("language", form), values("language", root)),
        ]
        for url in OperationExtension.agreeing {
            let own = Set(form.extensions(url).compactMap { $0.value?.json })
            guard !own.isEmpty else { continue }
            let name = url.split(separator: "/").last.map(String.init) ?? url
            output.append((name, own, Set(root.extensions(url).compactMap { $0.value?.json })))
        }
        return output
    }

    private static func values(_ name: String, _ form: Questionnaire) -> Set<JSON> {
        Set([form.object[name]].compactMap { $0 })
    }

    /// Returns the security labels by system and code.
    private static func labels(_ form: Questionnaire) -> Set<JSON> {
        Set(
            (form.object["meta"]?["security"]?.array ?? []).map { label in
                ["system": label["system"] ?? .null, "code": label["code"] ?? .null]
            })
    }

    // MARK: Extensions

    /// Returns the extensions of a sub-form's root that go to the item around it, and adds those that go to the root of
    /// the form, each once.
    mutating func propagated(_ form: Questionnaire) -> [JSON] {
        var lifted: [JSON] = []
        for source in form.extension {
            switch source.url {
            case OperationExtension.variable, OperationExtension.targetConstraint: lifted.append(source.json)
            case OperationExtension.library, OperationExtension.launchContext:
                let key = Self.key(source)
                let known = root.extension + rootExtensions.compactMap { Extension(json: $0) }
                if !known.contains(where: { $0.url == source.url && Self.key($0) == key }) {
                    rootExtensions.append(source.json)
                }
            default: break
            }
        }
        return lifted
    }

    /// Returns the value by which two extensions are the same: the code of a launch context, the URL of a library.
    private static func key(_ source: Extension) -> JSON? {
        source.url == OperationExtension.launchContext
            ? source.part("name")?.json["code"] : source.value?.json
    }

    /// Adds extensions of sub-forms to the item around them. A variable must have a name of its own.
    mutating func lift(_ lifted: [JSON], to extensions: inout [JSON], at location: String, linkID: String?) {
        var names = Set(extensions.compactMap(Self.variableName))
        for source in lifted {
            if let name = Self.variableName(source), !names.insert(name).inserted {
                log.report(
                    "variable-repeated", at: location, linkID: linkID,
                    "Two variables of the item have the name \(name), one of them from a sub-form.")
                continue
            }
            if source["url"]?.string == OperationExtension.targetConstraint, extensions.contains(source) { continue }
            extensions.append(source)
        }
    }

    private static func variableName(_ source: JSON) -> String? {
        guard source["url"]?.string == OperationExtension.variable else { return nil }
        return source["valueExpression"]?["name"]?.string
    }

    // MARK: Names

    /// Adds the prefix of its form to the names of an item.
    func rename(_ item: inout JSONObject, of part: Part) {
        guard !part.prefix.isEmpty else { return }
        if let linkID = item["linkId"]?.string { item["linkId"] = .string(part.prefix + linkID) }
        if let conditions = item["enableWhen"]?.array {
            item["enableWhen"] = .array(
                conditions.map { condition in
                    guard let question = condition["question"]?.string else { return condition }
                    var condition = condition
                    condition["question"] = .string(part.prefix + question)
                    return condition
                })
        }
        // The items below are renamed on their own.
        let items = item["item"]
        item["item"] = nil
        item = FormReferences.prefixed(item, prefix: part.prefix, ids: part.contained)
        item["item"] = items
    }

    func renameContained(_ resource: inout JSONObject, of part: Part) {
        guard !part.prefix.isEmpty else { return }
        resource = FormReferences.prefixed(resource, prefix: part.prefix, ids: part.contained)
        if let id = resource["id"]?.string { resource["id"] = .string(part.prefix + id) }
    }

    /// Adds a contained resource once. Two resources with the same id must be equal.
    mutating func add(contained resource: JSON, at location: String) {
        guard let id = resource["id"]?.string else { return }
        guard let index = containedIndex[id] else {
            containedIndex[id] = contained.count
            contained.append(resource)
            return
        }
        // The order of members does not matter.
        if contained[index] != resource, contained[index].canonicalData() != resource.canonicalData() {
            log.report(
                "contained-repeated", at: location,
                "Two forms contain different resources with the id \(id); a linkIdPrefix makes the ids different.")
        }
    }

    /// Checks that linkIds are unique, and that conditions name items of the form.
    mutating func checkLinkIDs(_ items: [JSON]) {
        var seen: Set<String> = []
        var questions: [(question: String, linkID: String?)] = []
        var waiting = Array(items.reversed())
        while let item = waiting.popLast() {
            let linkID = item["linkId"]?.string
            if let linkID, !seen.insert(linkID).inserted {
                log.report(
                    "link-id-repeated", at: "Questionnaire", linkID: linkID,
                    "Two items of the assembled form have the linkId \(linkID).")
            }
            for condition in item["enableWhen"]?.array ?? [] {
                if let question = condition["question"]?.string { questions.append((question, linkID)) }
            }
            waiting += (item["item"]?.array ?? []).reversed()
        }
        for (question, linkID) in questions where seen.insert(question).inserted {
            log.report(
                "enable-when-unknown", severity: .warning, at: "Questionnaire", linkID: linkID,
                "A condition names the item \(question), which the assembled form does not have.")
        }
    }
}
