import FHIR
import FHIRPath

/// One assembly of a form.
struct AssemblyRun {
    /// The form whose items are copied.
    struct Part {
        let questionnaire: Questionnaire
        /// The text before its linkIds and the ids of its contained resources.
        let prefix: String
        /// The ids of its contained resources.
        let contained: Set<String>
        /// The location of its items.
        var location: String
    }

    /// The names that are known where an item is.
    struct Scope {
        var names: Set<String> = []
        /// The value of the variable `linkIdPrefix`.
        var prefix: String?
        /// The canonical URLs of the forms around the item.
        var forms: [String] = []
        var depth = 0
    }

    /// The items of one list, and the extensions that the sub-forms in it give to the item that contains the list.
    struct Assembled {
        var items: [JSON] = []
        var lifted: [JSON] = []
    }

    let root: Questionnaire
    let limits: OperationLimits
    let library: (CanonicalURL) -> Questionnaire?
    var log = ProblemLog()
    /// The contained resources of the result.
    var contained: [JSON] = []
    var containedIndex: [String: Int] = [:]
    /// The extensions that sub-forms give to the root.
    var rootExtensions: [JSON] = []
    /// The sub-forms, each with its version.
    private(set) var sources: [String] = []
    private var itemCount = 0
    private var formCount = 0
    private var byteCount = 0
    private var isStopped = false

    init(
        _ root: Questionnaire, limits: OperationLimits, library: @escaping (CanonicalURL) -> Questionnaire?
    ) {
        self.root = root
        self.limits = limits
        self.library = library
    }

    mutating func assembled() -> Questionnaire {
        var scope = Scope(forms: [root.url ?? ""])
        enter(root.extension, &scope, at: "Questionnaire")
        let part = Part(questionnaire: root, prefix: "", contained: [], location: "Questionnaire")
        for resource in root.object["contained"]?.array ?? [] { add(contained: resource, at: "Questionnaire") }
        let result = assembled(root.object["item"]?.array ?? [], of: part, in: scope)
        var object = root.object
        if !contained.isEmpty { object["contained"] = .array(contained) }
        var extensions = adjusted(root.object["extension"]?.array ?? [])
        lift(result.lifted, to: &extensions, at: "Questionnaire", linkID: nil)
        extensions += rootExtensions
        let known = Set(root.extensions(OperationExtension.assembledFrom).compactMap { $0.value?.json.string })
        for source in sources where !known.contains(source) {
            extensions.append(["url": .string(OperationExtension.assembledFrom), "valueCanonical": .string(source)])
        }
        object["extension"] = extensions.isEmpty ? nil : .array(extensions)
        if !result.items.isEmpty { object["item"] = .array(result.items) }
        if !isStopped { checkLinkIDs(result.items) }
        return Questionnaire(object)
    }

    /// Returns the root's extensions with the expectation of an assembled form.
    private func adjusted(_ extensions: [JSON]) -> [JSON] {
        extensions.compactMap { source in
            guard source["url"]?.string == OperationExtension.assembleExpectation,
                let code = source["valueCode"]?.string, code.hasPrefix("assemble-")
            else { return source }
            guard code != "assemble-root" else { return nil }
            var source = source
            source["valueCode"] = .string("independent-" + code.dropFirst("assemble-".count))
            return source
        }
    }

    // MARK: Items

    mutating func assembled(_ items: [JSON], of part: Part, in scope: Scope) -> Assembled {
        var output = Assembled()
        guard !isStopped else { return output }
        guard scope.depth < limits.depth else {
            stop("too-deep", at: part.location, "Items are nested deeper than \(limits.depth) levels.")
            return output
        }
        for (index, item) in items.enumerated() {
            guard let object = item.object, !isStopped else { continue }
            var part = part
            part.location += ".item[\(index)]"
            let result = assembled(object, of: part, in: scope)
            output.items += result.items
            output.lifted += result.lifted
        }
        return output
    }

    private mutating func assembled(_ item: JSONObject, of part: Part, in scope: Scope) -> Assembled {
        itemCount += 1
        guard itemCount <= limits.items else {
            stop("too-large", at: part.location, "The assembled form would have more than \(limits.items) items.")
            return Assembled()
        }
        var item = item
        var scope = scope
        scope.depth += 1
        let view = Questionnaire.Item(item)
        enter(view.extension, &scope, at: part.location, linkID: view.linkId)
        if let source = view.extension(OperationExtension.subQuestionnaire) {
            guard let name = source.value?.json.string else {
                log.report(
                    "sub-questionnaire-missing", at: part.location, linkID: view.linkId,
                    "subQuestionnaire names no form.")
                return Assembled()
            }
            return substituted(CanonicalURL(name), item: view, of: part, in: scope)
        }
        if let (merged, name) = fromLibrary(view, at: part.location, in: scope) {
            item = merged
            scope.forms.append(name)
        }
        rename(&item, of: part)
        if let items = item["item"]?.array {
            let result = assembled(items, of: part, in: scope)
            item["item"] = result.items.isEmpty ? nil : .array(result.items)
            if !result.lifted.isEmpty {
                var extensions = item["extension"]?.array ?? []
                lift(result.lifted, to: &extensions, at: part.location, linkID: view.linkId)
                item["extension"] = .array(extensions)
            }
        }
        return Assembled(items: [.object(item)])
    }

    /// Returns the items of a sub-form.
    private mutating func substituted(
        _ name: CanonicalURL, item: Questionnaire.Item, of part: Part, in scope: Scope
    ) -> Assembled {
        let location = part.location
        guard !scope.forms.contains(name.url) else {
            log.report(
                "sub-questionnaire-circle", at: location, linkID: item.linkId,
                "The form contains itself: " + (scope.forms + [name.url]).joined(separator: " > "))
            return Assembled()
        }
        guard let form = library(name) else {
            log.report(
                "sub-questionnaire-missing", at: location, linkID: item.linkId,
                "The sub-form \(name.text) is not available.")
            return Assembled()
        }
        guard count(form, at: location) else { return Assembled() }
        if item.type != .display {
            log.report(
                "sub-questionnaire-item", severity: .warning, at: location, linkID: item.linkId,
                "Only a display item names a sub-form; the item is replaced.")
        }
        check(form, named: name, at: location, linkID: item.linkId, in: scope)
        var inner = scope
        inner.forms.append(name.url)
        let prefix = scope.prefix ?? ""
        enter(form.extension, &inner, at: location, linkID: item.linkId)
        let ids = Set(form.contained.compactMap(\.id))
        let child = Part(
            questionnaire: form, prefix: prefix, contained: ids, location: "\(location).resolve()")
        for resource in form.object["contained"]?.array ?? [] {
            guard var object = resource.object else { continue }
            renameContained(&object, of: child)
            add(contained: .object(object), at: location)
        }
        var result = assembled(form.object["item"]?.array ?? [], of: child, in: inner)
        result.lifted = propagated(form) + result.lifted
        return result
    }

    /// Counts a sub-form; false if there are too many.
    private mutating func count(_ form: Questionnaire, at location: String) -> Bool {
        formCount += 1
        byteCount += form.json.byteCount(upTo: limits.bytes) ?? limits.bytes
        guard formCount <= limits.forms, byteCount <= limits.bytes else {
            stop(
                "too-large", at: location,
                "The assembled form would have more than \(limits.forms) sub-forms or \(limits.bytes) bytes.")
            return false
        }
        if let url = form.url {
            let source = CanonicalURL(url: url, version: form.version).text
            if !sources.contains(source) { sources.append(source) }
        }
        return true
    }

    private mutating func stop(_ code: String, at location: String, _ message: String) {
        log.report(code, at: location, message)
        isStopped = true
    }

    // MARK: Library of items

    /// Returns the item with the elements of the item that its definition names, and that name; nil if it names none.
    private mutating func fromLibrary(
        _ item: Questionnaire.Item, at location: String, in scope: Scope
    ) -> (JSONObject, String)? {
        guard let definition = item.definition, let hash = definition.firstIndex(of: "#") else { return nil }
        let name = CanonicalURL(String(definition[..<hash]))
        let linkID = String(definition[definition.index(after: hash)...])
        guard !linkID.isEmpty, name.url.contains("/Questionnaire/") else { return nil }
        guard !scope.forms.contains(definition) else {
            log.report(
                "sub-questionnaire-circle", at: location, linkID: item.linkId,
                "The item contains itself: " + (scope.forms + [definition]).joined(separator: " > "))
            return nil
        }
        guard let form = library(name), let found = Self.item(linkID, in: form) else {
            log.report(
                "definition-unresolved", severity: item.text == nil ? .error : .warning, at: location,
                linkID: item.linkId,
                "The item \(definition) is not available.")
            return nil
        }
        guard count(form, at: location) else { return nil }
        var merged = item.object
        for member in found.members where merged[member.key] == nil { merged[member.key] = member.value }
        let own = item.extension
        let added = Questionnaire.Item(found).extension.filter { extra in
            !own.contains { $0.url == extra.url && $0.value?.json["name"] == extra.value?.json["name"] }
        }
        if !own.isEmpty, !added.isEmpty { merged["extension"] = .array((own + added).map(\.json)) }
        let needed = FormReferences.contained(in: .object(found))
        for resource in form.contained where resource.id.map(needed.contains) ?? false {
            add(contained: resource.json, at: location)
        }
        return (merged, definition)
    }

    private static func item(_ linkID: String, in form: Questionnaire) -> JSONObject? {
        var waiting = form.object["item"]?.array ?? []
        while let next = waiting.popLast() {
            if next["linkId"]?.string == linkID { return next.object }
            waiting += next["item"]?.array ?? []
        }
        return nil
    }
}
