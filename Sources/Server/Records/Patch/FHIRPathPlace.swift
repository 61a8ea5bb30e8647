import Core
import FHIR
import FHIRPath

/// A path to elements of a resource, of the FHIRPath that a patch may have: names, indexes, `where`, `first`, `last`,
/// `ofType` and `as` (<https://hl7.org/fhir/R4/fhirpatch.html>). It tells where they stand, and not only what they are.
struct FHIRPathPlace: Sendable {
    private enum Step: Sendable {
        case name(String)
        case index(Int)
        case condition(FHIRPathExpression)
        case last
        case type(String)
    }

    /// An element that was found.
    struct Found {
        let pointer: JSONPointer
        let value: JSON
        let type: TypeModel.TypeID
    }

    private let steps: [Step]

    private static let mostBytes = 2_000

    /// Reads a path; nil for one that a patch may not have.
    init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes, let parts = Self.parts(of: text) else { return nil }
        var steps: [Step] = []
        for part in parts {
            guard let read = Self.steps(of: part) else { return nil }
            steps += read
        }
        guard case .name? = steps.first, steps.count <= JSONPointer.mostTokens else { return nil }
        self.steps = steps
    }

    private init(steps: [Step]) { self.steps = steps }

    /// The element that has a list, and the list's name; nil where the path ends otherwise.
    var list: (owner: FHIRPathPlace, name: String)? {
        guard steps.count > 1, case .name(let name)? = steps.last else { return nil }
        return (FHIRPathPlace(steps: steps.dropLast()), name)
    }

    /// The parts between dots, outside of parentheses and texts.
    private static func parts(of text: String) -> [String]? {
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

    /// The steps of `name`, `name[1]`, `where(...)[0]`.
    private static func steps(of part: String) -> [Step]? {
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
            case ("first", ""): return [.index(0)] + indexes
            case ("last", ""): return [.last] + indexes
            case ("ofType", _), ("as", _): return argument.isEmpty ? nil : [.type(argument)] + indexes
            case ("where", _):
                guard let condition = try? FHIRPathExpression(argument) else { return nil }
                return [.condition(condition)] + indexes
            default: return nil
            }
        }
        let name = rest.first == "`" && rest.last == "`" && rest.count > 2 ? rest.dropFirst().dropLast() : rest
        let isName =
            !name.isEmpty
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        return isName ? [.name(String(name))] + indexes : nil
    }

    /// The elements that the path finds; nil where a condition cannot be evaluated or the budget is used up.
    func find(in resource: JSONObject, _ budget: StepBudget) -> [Found]? {
        let root = Found(
            pointer: JSONPointer(tokens: []), value: .object(resource), type: TypedElement.resourceType(of: resource))
        var found = [root]
        for (place, step) in steps.enumerated() {
            if place == 0, case .name(let name) = step {
                guard ["Resource", "DomainResource"].contains(name) || resource["resourceType"]?.string == name else {
                    return []
                }
                continue
            }
            guard budget.spend(found.count + 1) else { return nil }
            switch step {
            case .name(let name):
                found = found.flatMap { $0.children(name) }
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

extension FHIRPathPlace.Found {
    /// The elements of a name, each of a list by itself; of a choice whichever is there.
    fileprivate func children(_ name: String) -> [FHIRPathPlace.Found] {
        guard case .object(let object) = value else { return [] }
        guard let key = key(of: name, in: object), let child = object[key] else { return [] }
        let inner = TypeModel.r4.member(key, of: type)?.type ?? .unknown
        let tokens = pointer.tokens + [key]
        guard case .array(let elements) = child else {
            return [found(child, tokens, inner)]
        }
        return elements.enumerated().map { found($0.element, tokens + [String($0.offset)], inner) }
    }

    private func found(_ value: JSON, _ tokens: [String], _ type: TypeModel.TypeID) -> FHIRPathPlace.Found {
        // What is contained is of the type that it names.
        let own = value.object.map { TypedElement.resourceType(of: $0) } ?? .unknown
        return .init(pointer: JSONPointer(tokens: tokens), value: value, type: own.isKnown ? own : type)
    }

    private func key(of name: String, in object: JSONObject) -> String? {
        if object[name] != nil { return name }
        return object.keys.first { key in
            key.hasPrefix(name) && key.count > name.count && key.dropFirst(name.count).first?.isUppercase == true
                && TypeModel.r4.member(key, of: type)?.element.name == name
        }
    }

    /// The member that an element is, and whether it is a list.
    func member(_ name: String, _ value: FHIRPathPatchValue) -> (key: String, isList: Bool) {
        let model = TypeModel.r4
        if let declared = model.member(name, of: type) { return (name, declared.element.isRepeated) }
        if let type = value.type, let declared = model.member(name + type, of: self.type) {
            return (name + type, declared.element.isRepeated)
        }
        return (name, false)
    }
}
