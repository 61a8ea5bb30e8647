import FHIR
import FHIRPath

/// Reads a StructureDefinition into the tree of its elements and slices.
///
/// 1. Each ElementDefinition becomes a node; its id (or path and slice name) determines its location in the tree.
/// 2. Contradictions are reported as problems of the profile.
struct ProfileReader {
    private var problems: [ValidationIssue] = []
    private let url: String
    private let type: String

    static func read(_ definition: JSONObject) -> Profile {
        let url = definition["url"]?.string ?? ""
        var reader = ProfileReader(url: url, type: definition["type"]?.string ?? "")
        return reader.profile(definition)
    }

    private init(url: String, type: String) {
        self.url = url
        self.type = type
    }

    private mutating func profile(_ definition: JSONObject) -> Profile {
        if definition["resourceType"]?.string != "StructureDefinition" {
            problem("", "A profile is a StructureDefinition: supply one.")
        }
        if url.isEmpty { problem("", "The profile has no url, by which it is named: add it.") }
        if type.isEmpty || TypeModel.r4.type(type) == nil {
            problem("", "The type of the profile is not a type of R4: correct it.")
        }
        let snapshot = definition["snapshot"]?["element"]?.array
        let rows = snapshot ?? definition["differential"]?["element"]?.array ?? []
        if rows.isEmpty { problem("", "The profile has neither snapshot nor differential: add one.") }
        var root = ProfileNode(id: type, name: type, sliceName: nil)
        var lastSlices: [String: String] = [:]
        for (index, row) in rows.enumerated() {
            guard let row = row.object, let path = row["path"]?.string else {
                problem("element[\(index)]", "An element of the profile has no path: add it.")
                continue
            }
            guard index < 20_000 else {
                problem("", "The profile has too many elements.")
                break
            }
            let segments = ProfileReader.segments(row, path: path, lastSlices: &lastSlices)
            guard segments.first?.name == type || segments.count == 1 else {
                problem(path, "A path begins with the type that the profile constrains: correct it.")
                continue
            }
            guard segments.count <= 32 else {
                problem(path, "The path is too deep.")
                continue
            }
            insert(row, at: segments[1...], into: &root)
        }
        check(root)
        return Profile(
            url: url, version: definition["version"]?.string, type: type,
            base: definition["baseDefinition"]?.string ?? "", hasSnapshot: snapshot != nil,
            root: root, contexts: ProfileReader.contexts(definition), problems: problems)
    }

    private static func contexts(_ definition: JSONObject) -> Set<String> {
        let rows = definition["context"]?.array ?? []
        guard rows.allSatisfy({ $0["type"]?.string == "element" }) else { return [] }
        return Set(rows.compactMap { $0["expression"]?.string })
    }

    private mutating func problem(_ id: String, _ message: String) {
        guard problems.count < 50 else { return }
        let location = id.isEmpty ? url : url + " at " + id
        problems.append(
            ValidationIssue(
                .error, .invalid, code: "invalid-profile", expression: "",
                message: "The profile \(location): \(message)"))
    }

    // MARK: 1. Nodes

    struct Segment {
        let name: String
        let slice: String?
    }

    /// Returns the path to an element with its slices. They are in the id; without ids, a slice extends until its path
    /// occurs again.
    private static func segments(
        _ row: JSONObject, path: String, lastSlices: inout [String: String]
    ) -> [Segment] {
        let names = path.split(separator: ".").map(String.init)
        if let id = row["id"]?.string, id.split(separator: ".").count == names.count {
            return zip(id.split(separator: "."), names).map { part, name in
                let pieces = part.split(separator: ":", maxSplits: 1)
                return Segment(name: plain(name), slice: pieces.count == 2 ? String(pieces[1]) : nil)
            }
        }
        // A path that occurs again ends the slices below it.
        for key in lastSlices.keys where key == path || key.hasPrefix(path + ".") { lastSlices[key] = nil }
        if let name = row["sliceName"]?.string { lastSlices[path] = name }
        var prefix = ""
        return names.map { name in
            prefix += prefix.isEmpty ? name : "." + name
            return Segment(name: plain(name), slice: lastSlices[prefix])
        }
    }

    private static func plain(_ name: String) -> String {
        name.hasSuffix("[x]") ? String(name.dropLast(3)) : name
    }

    private mutating func insert(_ row: JSONObject, at segments: ArraySlice<Segment>, into node: inout ProfileNode) {
        guard let segment = segments.first else {
            fill(&node, row)
            return
        }
        let rest = segments.dropFirst()
        var name = segment.name
        var slice = segment.slice
        // The name of a choice may include its type: `valueQuantity` is the slice of `value[x]` with this type.
        if slice == nil, let choice = ProfileReader.choice(name) {
            slice = name
            name = choice
        }
        let child: Int
        if let found = node.children.firstIndex(where: { $0.name == name }) {
            child = found
        } else {
            node.children.append(ProfileNode(id: node.id + "." + name, name: name, sliceName: nil))
            child = node.children.count - 1
        }
        guard let slice else {
            insert(row, at: rest, into: &node.children[child])
            return
        }
        let index: Int
        if let found = node.children[child].slices.firstIndex(where: { $0.sliceName == slice }) {
            index = found
        } else {
            let id = node.children[child].id + ":" + slice
            var made = ProfileNode(id: id, name: name, sliceName: slice)
            if let type = ProfileReader.choiceType(slice, name) {
                made.types = [ProfileNode.TypeRule(code: type, profiles: [], targetProfiles: [])]
            }
            node.children[child].slices.append(made)
            index = node.children[child].slices.count - 1
        }
        insert(row, at: rest, into: &node.children[child].slices[index])
    }

    /// Returns `value` for `valueQuantity`, if no element has the longer name.
    private static func choice(_ name: String) -> String? {
        for prefix in choicePrefixes where name.hasPrefix(prefix) {
            if choiceType(name, prefix) != nil { return prefix }
        }
        return nil
    }

    private static func choiceType(_ name: String, _ prefix: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        let suffix = name.dropFirst(prefix.count)
        guard let first = suffix.first, first.isUppercase else { return nil }
        let lowered = first.lowercased() + suffix.dropFirst()
        let model = TypeModel.r4
        if let type = model.type(lowered), model.isPrimitive(type) { return lowered }
        if let type = model.type(String(suffix)), model.kind(of: type) == .complex { return String(suffix) }
        return nil
    }

    /// The names of all choices of R4, the longest first.
    private static let choicePrefixes: [String] = {
        let model = TypeModel.r4
        let names = (0..<Int32(model.elementCount)).map(model.declaration).filter(\.isChoice).map(\.name)
        return Set(names).sorted { ($0.count, $0) > ($1.count, $1) }
    }()

    private mutating func fill(_ node: inout ProfileNode, _ row: JSONObject) {
        node.min = row["min"]?.integer ?? node.min
        if let text = row["max"]?.string { node.max = text == "*" ? .max : Int(text) ?? node.max }
        node.maxLength = row["maxLength"]?.integer
        for member in row.members {
            if member.key.hasPrefix("fixed"), member.key.count > 5 { node.fixed = member.value }
            if member.key.hasPrefix("pattern"), member.key.count > 7 { node.pattern = member.value }
            if member.key.hasPrefix("minValue") { node.minValue = member.value }
            if member.key.hasPrefix("maxValue") { node.maxValue = member.value }
        }
        let types = (row["type"]?.array ?? []).compactMap(\.object).compactMap { type -> ProfileNode.TypeRule? in
            guard let code = type["code"]?.string else { return nil }
            return ProfileNode.TypeRule(
                code: code.hasPrefix("http://hl7.org/fhirpath/System.") ? "" : code,
                profiles: (type["profile"]?.array ?? []).compactMap(\.string),
                targetProfiles: (type["targetProfile"]?.array ?? []).compactMap(\.string))
        }
        if !types.isEmpty { node.types = types.contains { $0.code.isEmpty } ? [] : types }
        if let binding = row["binding"], let valueSet = binding["valueSet"]?.string {
            node.binding = (binding["strength"]?.string == "required", valueSet)
        }
        if let slicing = row["slicing"]?.object { node.slicing = self.slicing(slicing) }
        for constraint in row["constraint"]?.array ?? [] { self.constraint(constraint, &node) }
    }

    private func slicing(_ object: JSONObject) -> ProfileNode.Slicing {
        let discriminators = (object["discriminator"]?.array ?? []).compactMap {
            item -> ProfileNode.Slicing.Discriminator? in
            guard let kind = item["type"]?.string.flatMap(ProfileNode.Slicing.Kind.init(rawValue:)),
                let path = item["path"]?.string
            else { return nil }
            return ProfileNode.Slicing.Discriminator(kind: kind, path: path, compiled: try? FHIRPathExpression(path))
        }
        return ProfileNode.Slicing(
            discriminators: discriminators,
            rules: object["rules"]?.string.flatMap(ProfileNode.Slicing.Rules.init(rawValue:)) ?? .open,
            isOrdered: object["ordered"]?.bool ?? false)
    }

    private mutating func constraint(_ item: JSON, _ node: inout ProfileNode) {
        guard let key = item["key"]?.string, let expression = item["expression"]?.string,
            !InvariantTable.r4.states(key)
        else { return }
        do {
            node.constraints.append(
                ProfileNode.Constraint(
                    key: key, isError: item["severity"]?.string != "warning",
                    sentence: item["human"]?.string ?? "a constraint of the profile is not met",
                    compiled: try FHIRPathExpression(expression)))
        } catch {
            problem(node.id, "The expression of the constraint \(key) cannot be read: \(error.message)")
        }
    }

    // MARK: 2. Contradictions

    private mutating func check(_ node: ProfileNode) {
        if let min = node.min, let max = node.max, min > max {
            problem(node.id, "The minimum \(min) is greater than the maximum \(max): nothing can conform.")
        }
        if let min = node.min, min < 0 { problem(node.id, "The minimum is below 0.") }
        if let fixed = node.fixed, let pattern = node.pattern, !PatternMatch.matches(fixed, pattern) {
            problem(node.id, "The fixed value does not match the pattern: nothing can conform.")
        }
        let needed = node.slices.reduce(0) { $0 + Swift.max($1.min ?? 0, 0) }
        if let max = node.max, needed > max {
            problem(node.id, "The slices need \(needed) elements, but only \(max) are allowed here.")
        }
        if let slicing = node.slicing, slicing.discriminators.isEmpty, !node.slices.isEmpty, node.name != "extension",
            node.name != "modifierExtension", !ProfileReader.isChoice(node.name)
        {
            problem(node.id, "The slicing has no discriminator: the slices cannot be distinguished.")
        }
        if let slicing = node.slicing {
            for discriminator in slicing.discriminators where discriminator.compiled == nil {
                problem(node.id, "The path of a discriminator cannot be read.")
            }
        }
        for child in node.children { check(child) }
        for slice in node.slices { check(slice) }
    }

    private static func isChoice(_ name: String) -> Bool { choicePrefixes.contains(name) }
}
