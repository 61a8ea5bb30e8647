import FHIR
import Foundation

extension Evaluator {
    /// Evaluates the functions that FHIR adds (<https://hl7.org/fhir/R4/fhirpath.html#functions>).
    mutating func fhir(
        _ function: FHIRPathFunction, on input: Items, arguments: [ExpressionNode], in scope: Scope,
        at location: SourceLocation
    ) throws(FHIRPathError) -> Items {
        switch function {
        case .extension:
            guard let url = try string(try argument(arguments[0], scope), "extension()") else {
                return .empty
            }
            var output = Items.empty
            for item in try members(Evaluator.extensionName, of: input).array {
                if case .element(let element) = item, element.value["url"]?.string == url {
                    output.append(item)
                }
            }
            return output
        case .hasValue:
            guard case .one(let value) = input else { return .truth(false) }
            return .truth(Evaluator.holdsValue(value))
        case .getValue:
            guard case .one(let value) = input, Evaluator.holdsValue(value) else { return .empty }
            return .one(value.system)
        case .resolve: return Items(try resolved(input.array))
        case .conformsTo:
            guard let url = try string(try argument(arguments[0], scope), "conformsTo()") else {
                return .empty
            }
            guard let item = try one(input, "conformsTo()") else { return .empty }
            return .one(.boolean(try conforms(item, url)))
        case .memberOf:
            guard let url = try string(try argument(arguments[0], scope), "memberOf()"),
                let item = try one(input, "memberOf()")
            else { return .empty }
            let element = item.element ?? TypedElement(item.value.json, type: "code")
            return context.terminology?.memberOf(element, valueSet: url).map { .one(.boolean($0)) }
                ?? .empty
        case .subsumes, .subsumedBy:
            guard let item = try one(input, function.rawValue + "()"),
                let other = try one(try argument(arguments[0], scope), function.rawValue + "()"),
                let a = item.element, let b = other.element
            else { return .empty }
            let answer =
                function == .subsumes
                ? context.terminology?.subsumes(a, b) : context.terminology?.subsumes(b, a)
            return answer.map { .one(.boolean($0)) } ?? .empty
        case .htmlChecks:
            guard let text = try string(input, "htmlChecks()") else { return .empty }
            return .one(.boolean(NarrativeCheck.problem(in: text) == nil))
        case .checkModifiers:
            var allowed: Set<String> = []
            for node in arguments {
                if let url = try string(try argument(node, scope), "checkModifiers()") {
                    allowed.insert(url)
                }
            }
            for item in try members(Evaluator.modifierName, of: input).array {
                guard case .element(let element) = item, let url = element.value["url"]?.string,
                    allowed.contains(url)
                else {
                    throw .execution(
                        "unknown-modifier", "A modifier extension is not one of the given URLs.")
                }
            }
            return input
        case .weight, .ordinal: return Items(weights(input.array))
        case .elementDefinition, .slice:
            throw FHIRPathError(
                .execution, code: "no-definition",
                message:
                    "\(function.rawValue)() needs the profile of the element, which is not known here.",
                at: location)
        default:
            throw FHIRPathError(
                .semantic, code: "unknown-function",
                message: "There is no function \(function.rawValue)() here.",
                at: location)
        }
    }

    private static let extensionName = MemberName("extension", SourceLocation(line: 1, column: 1))
    private static let modifierName = MemberName(
        "modifierExtension", SourceLocation(line: 1, column: 1))

    private struct Item {
        let value: FHIRPathValue
        let element: TypedElement?
    }

    private func one(_ input: Items, _ name: String) throws(FHIRPathError) -> Item? {
        guard !input.isSeveral else { throw .several(name) }
        guard case .one(let value) = input else { return nil }
        if case .element(let element) = value { return Item(value: value, element: element) }
        return Item(value: value, element: nil)
    }

    private static func holdsValue(_ value: FHIRPathValue) -> Bool {
        guard case .element(let element) = value else { return true }
        return element.isPrimitive && !element.value.isNull
    }

    /// Whether an element conforms to a profile. An element conforms to the profile of its own type.
    private func conforms(_ item: Item, _ url: String) throws(FHIRPathError) -> Bool {
        guard let element = item.element else {
            throw .execution("element-expected", "conformsTo() takes an element.")
        }
        if let answer = context.conformance?(element, url) { return answer }
        let core = "http://hl7.org/fhir/StructureDefinition/"
        if url.hasPrefix(core), let type = TypeModel.r4.type(String(url.dropFirst(core.count))) {
            return TypeModel.r4.isSubtype(element.type, of: type)
        }
        throw .execution(
            "unknown-profile", "The profile in conformsTo() is not known: supply it.")
    }

    /// Returns the scores of the items' options
    /// (<https://hl7.org/fhir/extensions/StructureDefinition-itemWeight.html>).
    private func weights(_ input: [FHIRPathValue]) -> [FHIRPathValue] {
        return input.compactMap { item -> FHIRPathValue? in
            guard case .element(let element) = item else { return nil }
            let holders = [element] + element.children("value")
            for holder in holders {
                for candidate in holder.children("extension") {
                    guard let url = candidate.value["url"]?.string, OptionWeight.urls.contains(url),
                        let number = candidate.value["valueDecimal"]?.number
                            ?? candidate.value["valueInteger"]?.number,
                        let decimal = FHIRPathDecimal(text: number.text)
                    else { continue }
                    return .decimal(decimal)
                }
            }
            return nil
        }
    }

    // MARK: References

    /// Returns the targets of references: contained resources, entries of the Bundle, then results of the resolver.
    private mutating func resolved(_ input: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        var output: [FHIRPathValue] = []
        for item in input {
            try spend()
            let text: String?
            switch item {
            case .element(let element):
                text = element.value.object.flatMap { $0["reference"]?.string } ?? element.value.string
            case .string(let literal): text = literal
            default: text = nil
            }
            guard let text, let found = try target(text) else { continue }
            output.append(.element(found))
        }
        return output
    }

    private mutating func target(_ reference: String) throws(FHIRPathError) -> TypedElement? {
        let roots = [context.rootResource, context.resource, context.context, rootElement].compactMap {
            $0
        }
        if reference.hasPrefix("#") {
            let id = String(reference.dropFirst())
            for root in roots {
                if id.isEmpty { return root }
                if let contained = context.contained {
                    if let found = contained[id] { return found }
                    continue
                }
                for contained in root.children("contained") {
                    try spend()
                    if contained.value["id"]?.string == id { return contained }
                }
            }
            return nil
        }
        for root in roots where root.typeName == "Bundle" {
            for entry in root.children("entry") {
                try spend()
                guard let resource = entry.children("resource").first else { continue }
                let url = entry.value["fullUrl"]?.string
                if url == reference || url?.hasSuffix("/" + reference) == true { return resource }
                if let type = resource.value["resourceType"]?.string, let id = resource.value["id"]?.string,
                    reference == type + "/" + id
                {
                    return resource
                }
            }
        }
        return context.resolver?(reference)
    }

    private var rootElement: TypedElement? {
        if case .one(.element(let element)) = root { element } else { nil }
    }
}
