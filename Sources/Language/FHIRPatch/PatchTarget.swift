import Core
import FHIR
import FHIRPath
import Foundation

/// A path to elements of a resource, in the subset of FHIRPath for patches (<https://hl7.org/fhir/R4/fhirpatch.html>):
/// names, indices, `where`, `extension`, `first`, `last`, `tail`, `skip`, `take`, `single`, `ofType`, `as`, and
/// parentheses. It finds the locations of the elements in the JSON, and not only their values.
package struct PatchTarget: Sendable {
    private enum Step: Sendable {
        case name(String)
        case index(Int)
        case condition(FHIRPathExpression)
        case last
        case skip(Int)
        case take(Int)
        case type(String)
        /// The extensions with a URL.
        case `extension`(String)
    }

    /// An element found by the path.
    struct Found {
        let pointer: JSONPointer
        let value: JSON
        let type: TypeModel.TypeID

        /// The object with the id and the extensions of a primitive (<https://hl7.org/fhir/R4/json.html#primitive>);
        /// nil for the resource itself.
        var sibling: JSONPointer? {
            var tokens = pointer.tokens
            guard let last = tokens.popLast() else { return nil }
            if Int(last) != nil, let list = tokens.popLast() {
                return JSONPointer(tokens: tokens + ["_" + list, last])
            }
            return JSONPointer(tokens: tokens + ["_" + last])
        }
    }

    private let steps: [Step]

    private static let maximumBytes = 2_000

    /// Reads a path; nil where it is not in the subset.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, var steps = Self.allSteps(of: text[...], depth: 0),
            steps.count < JSONPointer.maximumTokens
        else { return nil }
        switch steps.first {
        case .name: break
        // An extension of the resource itself.
        case .extension: steps.insert(.name("Resource"), at: 0)
        default: return nil
        }
        self.steps = steps
    }

    private static func allSteps(of text: Substring, depth: Int) -> [Step]? {
        guard depth < 16, let parts = parts(of: text) else { return nil }
        var steps: [Step] = []
        for part in parts {
            guard let read = Self.steps(of: part, isFirst: steps.isEmpty, depth: depth) else { return nil }
            steps += read
        }
        return steps
    }

    private init(steps: [Step]) { self.steps = steps }

    /// The element that contains a list, and the list's name; nil where the path does not end with a name.
    var list: (owner: PatchTarget, name: String)? {
        guard steps.count > 1, case .name(let name)? = steps.last else { return nil }
        return (PatchTarget(steps: steps.dropLast()), name)
    }

    /// Splits a path at dots outside of parentheses and string literals.
    private static func parts(of text: Substring) -> [String]? {
        var parts = [""]
        var depth = 0
        var quote: Character?
        var isEscaped = false
        for character in text {
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == open {
                    quote = nil
                }
            } else {
                switch character {
                case "'", "`", "\"": quote = character
                case "(": depth += 1
                case ")": depth -= 1
                case "." where depth == 0:
                    parts.append("")
                    continue
                default: break
                }
                guard depth >= 0 else { return nil }
            }
            parts[parts.count - 1].append(character)
        }
        return depth == 0 && quote == nil && !parts.contains("") ? parts : nil
    }

    /// Reads the steps of `name`, `name[1]`, `where(...)[0]`.
    private static func steps(of part: String, isFirst: Bool, depth: Int) -> [Step]? {
        var rest = part.trimmingPrefix { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        var indexes: [Step] = []
        while rest.last == "]" {
            guard let open = rest.lastIndex(of: "["), let index = Int(rest[rest.index(after: open)...].dropLast()),
                index >= 0
            else { return nil }
            indexes.insert(.index(index), at: 0)
            rest = rest[..<open]
        }
        if rest.last == ")", let open = rest.firstIndex(of: "(") {
            let argument = String(rest[rest.index(after: open)...].dropLast())
            switch (rest[..<open], argument) {
            case ("", _):
                // A path in parentheses, optionally with the type of its elements.
                guard isFirst else { return nil }
                let (path, type) = cast(argument[...])
                guard let inner = allSteps(of: path, depth: depth + 1) else { return nil }
                return inner + (type.map { [.type($0)] } ?? []) + indexes
            case ("first", ""): return [.index(0)] + indexes
            case ("last", ""): return [.last] + indexes
            case ("tail", ""): return [.skip(1)] + indexes
            // A patch requires exactly one element in any case.
            case ("single", ""): return indexes
            case ("skip", _): return Int(argument).map { [.skip(max(0, $0))] + indexes }
            case ("take", _): return Int(argument).map { [.take(max(0, $0))] + indexes }
            case ("extension", _):
                guard let literal = try? FHIRPathExpression(argument).evaluate(on: []), literal.count == 1,
                    case .string(let url) = literal[0]
                else { return nil }
                return [.extension(url)] + indexes
            case ("ofType", _), ("as", _): return argument.isEmpty ? nil : [.type(argument)] + indexes
            case ("where", _):
                guard let condition = try? FHIRPathExpression(argument) else { return nil }
                return [.condition(condition)] + indexes
            default: return nil
            }
        }
        if isFirst, indexes.isEmpty, ["%resource", "%context", "$this"].contains(rest) { return [.name("Resource")] }
        let name = rest.first == "`" && rest.last == "`" && rest.count > 2 ? rest.dropFirst().dropLast() : rest
        let isName =
            !name.isEmpty
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        return isName ? [.name(String(name))] + indexes : nil
    }

    /// Splits `path as Type` into the path and the type.
    private static func cast(_ text: Substring) -> (path: Substring, type: String?) {
        let words = text.split(separator: " ")
        guard words.count > 2, words[words.count - 2] == "as", let type = words.last,
            let mark = text.range(of: " as ", options: .backwards), !type.contains(where: { "'()".contains($0) })
        else { return (text, nil) }
        return (text[..<mark.lowerBound], String(type))
    }

    /// Returns the elements of the path; nil where a condition cannot be evaluated or the budget is used up.
    func find(in resource: JSONObject, _ budget: StepBudget) -> [Found]? {
        let root = Found(
            pointer: JSONPointer(tokens: []), value: .object(resource), type: TypedElement.resourceType(of: resource))
        var found = [root]
        for (stepIndex, step) in steps.enumerated() {
            if stepIndex == 0, case .name(let name) = step {
                if ["Resource", "DomainResource"].contains(name) || resource["resourceType"]?.string == name {
                    continue
                }
                // A path may also begin with an element of the resource.
                guard name.first?.isLowercase == true else { return [] }
            }
            guard budget.spend(found.count + 1) else { return nil }
            switch step {
            case .name(let name):
                guard let children = found.children(name, in: resource, budget) else { return nil }
                found = children
            case .extension(let url):
                guard let children = found.children("extension", in: resource, budget) else { return nil }
                found = children.filter { $0.value["url"]?.string == url }
            case .skip(let count): found = Array(found.dropFirst(count))
            case .take(let count): found = Array(found.prefix(count))
            case .index(let index): found = found.indices.contains(index) ? [found[index]] : []
            case .last: found = found.suffix(1)
            case .type(let type):
                found = found.filter {
                    TypeModel.r4.name(of: $0.type).lowercased() == type.split(separator: ".").last?.lowercased()
                }
            case .condition(let condition):
                var kept: [Found] = []
                for element in found {
                    let typed = TypedElement(element.value, type: element.type)
                    guard
                        let holds = try? condition.evaluateBoolean(typed, in: FHIRPathContext(), budget: budget)
                            ?? false
                    else { return nil }
                    if holds { kept.append(element) }
                }
                found = kept
            }
        }
        return found
    }
}

extension PatchTarget.Found {
    /// Returns the elements with a name, each item of a list separately; for a choice, the element of any type.
    fileprivate func children(_ name: String, in resource: JSONObject) -> [PatchTarget.Found] {
        guard case .object(let object) = value else {
            guard let sibling, let object = sibling.value(in: .object(resource))?.object else { return [] }
            let own = PatchTarget.Found(
                pointer: sibling, value: .object(object), type: TypeModel.r4.elementType)
            return own.children(name, in: resource)
        }
        guard let key = key(of: name, in: object), let child = object[key] else { return [] }
        let inner = TypeModel.r4.member(key, of: type)?.type ?? .unknown
        let tokens = pointer.tokens + [key]
        guard case .array(let elements) = child else {
            return [found(child, at: tokens, type: inner)]
        }
        return elements.enumerated().map { found($0.element, at: tokens + [String($0.offset)], type: inner) }
    }

    private func found(_ value: JSON, at tokens: [String], type: TypeModel.TypeID) -> PatchTarget.Found {
        // A contained resource has the type in its `resourceType`.
        let own = value.object.map { TypedElement.resourceType(of: $0) } ?? .unknown
        return .init(pointer: JSONPointer(tokens: tokens), value: value, type: own.isKnown ? own : type)
    }

    private func key(of name: String, in object: JSONObject) -> String? {
        if object[name] != nil { return name }
        // The name and a type name; no type name is longer.
        let length = name.utf8.count
        return object.members.first { member in
            let key = member.key.utf8
            return key.count > length && key.count < length + 40 && key.starts(with: name.utf8)
                && (0x41...0x5A).contains(key[key.index(key.startIndex, offsetBy: length)])
                && TypeModel.r4.member(member.key, of: type)?.element.name == name
        }?.key
    }

    /// Returns the number of steps for the elements with a name, each of which is stored with its path.
    fileprivate func cost(of name: String) -> Int {
        guard case .object(let object) = value else { return 1 }
        guard case .array(let elements)? = object[name] else { return 1 + object.count / 8 }
        return 1 + 2 * elements.count
    }
}

extension [PatchTarget.Found] {
    /// Returns the elements with a name; nil where the budget is used up.
    fileprivate func children(_ name: String, in resource: JSONObject, _ budget: StepBudget) -> [Element]? {
        var children: [Element] = []
        for element in self {
            guard budget.spend(element.cost(of: name)) else { return nil }
            children += element.children(name, in: resource)
        }
        return children
    }
}
