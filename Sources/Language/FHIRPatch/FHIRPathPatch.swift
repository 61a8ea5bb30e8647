import Core
import FHIR

/// A FHIRPath Patch: operations in a Parameters resource, applied in order, all of them or none
/// (<https://hl7.org/fhir/R4/fhirpatch.html>).
public struct FHIRPathPatch: Sendable {
    /// One operation. A target is a path to an element; for a list it is the path to the element without an index.
    package enum Operation: Sendable {
        case add(PatchTarget, name: String, FHIRPathPatchValue)
        case insert(PatchTarget, index: Int, FHIRPathPatchValue)
        case delete(PatchTarget)
        case replace(PatchTarget, FHIRPathPatchValue)
        case move(PatchTarget, from: Int, to: Int)
    }

    package let operations: [Operation]

    /// Reads a patch.
    ///
    /// - Throws: ``PatchError`` with code `patch-invalid`.
    public init(_ resource: Resource) throws(PatchError) {
        guard resource.resourceType == Parameters.resourceType else {
            throw .invalid("A FHIRPath Patch is a Parameters resource.")
        }
        let parameters = resource["parameter"]?.array ?? []
        guard !parameters.isEmpty, parameters.count <= JSONPatch.maximumOperations else {
            throw .invalid("A FHIRPath Patch has 1 to \(JSONPatch.maximumOperations) operations.")
        }
        var operations: [Operation] = []
        for (operationIndex, parameter) in parameters.enumerated() {
            guard parameter["name"]?.string == "operation" else {
                throw .invalid("Its parameter is named operation.", operationIndex)
            }
            operations.append(try Self.operation(parameter["part"]?.array ?? [], operationIndex))
        }
        self.operations = operations
    }

    private static func operation(_ parts: [JSON], _ operationIndex: Int) throws(PatchError) -> Operation {
        func part(_ name: String) throws(PatchError) -> JSON {
            let found = parts.filter { $0["name"]?.string == name }
            guard found.count == 1 else { throw .invalid("It has no part \(name), or several.", operationIndex) }
            return found[0]
        }
        func text(_ name: String, _ member: String) throws(PatchError) -> String {
            guard let text = try part(name)[member]?.string else {
                throw .invalid("Its \(name) is a \(member).", operationIndex)
            }
            return text
        }
        func number(_ name: String) throws(PatchError) -> Int {
            guard let number = try part(name)["valueInteger"]?.number.flatMap({ Int($0.text) }), number >= 0 else {
                throw .invalid("Its \(name) is a valueInteger that is not negative.", operationIndex)
            }
            return number
        }
        func path() throws(PatchError) -> PatchTarget {
            guard let path = PatchTarget(try text("path", "valueString")) else {
                throw .invalid("Its path is not in the subset of FHIRPath for patches.", operationIndex)
            }
            return path
        }
        func value() throws(PatchError) -> FHIRPathPatchValue {
            guard let value = FHIRPathPatchValue(try part("value")) else {
                throw .invalid("Its value has neither value[x] nor parts nor a resource.", operationIndex)
            }
            return value
        }
        switch try text("type", "valueCode") {
        case "add": return .add(try path(), name: try text("name", "valueString"), try value())
        case "insert": return .insert(try path(), index: try number("index"), try value())
        case "delete": return .delete(try path())
        case "replace": return .replace(try path(), try value())
        case "move": return .move(try path(), from: try number("source"), to: try number("destination"))
        default: throw .invalid("Its type is not add, insert, delete, replace or move.", operationIndex)
        }
    }

    /// Returns the resource after all operations.
    ///
    /// - Throws: ``PatchError``: `patch-not-applicable` where a path does not find exactly one element, `too-costly`.
    public func applied(to resource: JSONObject) throws(PatchError) -> JSONObject {
        var budget = PatchBudget.standard
        return try applied(to: resource, &budget)
    }

    /// Returns the resource after all operations.
    ///
    /// - Parameter budget: the bytes that the operations may copy and insert, and the steps of their paths and
    ///   conditions.
    /// - Throws: ``PatchError``: `patch-not-applicable` where a path does not find exactly one element, `too-costly`.
    package func applied(to resource: JSONObject, _ budget: inout PatchBudget) throws(PatchError) -> JSONObject {
        var document = JSON.object(resource)
        for (index, operation) in operations.enumerated() {
            for change in try Self.changes(of: operation, in: document.object ?? resource, index, budget.steps) {
                try JSONPatch.apply(change, at: index, to: &document, &budget)
            }
            guard document.object != nil else { throw .notApplicable("The resource would be removed.", index) }
        }
        return document.object ?? resource
    }

    /// Returns the changes of the JSON that an operation makes.
    private static func changes(
        of operation: Operation, in resource: JSONObject, _ operationIndex: Int, _ budget: StepBudget
    ) throws(PatchError) -> [JSONPatch.Operation] {
        func found(_ path: PatchTarget) throws(PatchError) -> [PatchTarget.Found] {
            let found = path.find(in: resource, budget)
            guard !budget.isExhausted else { throw .tooCostly }
            guard let found else { throw .invalid("A condition in its path cannot be evaluated.", operationIndex) }
            return found
        }
        func one(_ path: PatchTarget) throws(PatchError) -> PatchTarget.Found {
            let all = try found(path)
            guard all.count == 1 else {
                throw .notApplicable("Its path finds \(all.isEmpty ? "nothing" : "several elements").", operationIndex)
            }
            return all[0]
        }
        // The extensions of a list's primitive values are in a second list, with the same indices.
        func requireNoExtensions(ofList list: JSONPointer) throws(PatchError) {
            guard let name = list.tokens.last else { return }
            let sibling = JSONPointer(tokens: list.tokens.dropLast() + ["_" + name])
            guard sibling.value(in: .object(resource)) == nil else {
                throw .notApplicable(
                    "Values of the list have extensions; send the resource, or a JSON Patch.", operationIndex)
            }
        }
        func requireNoExtensions(ofItem item: JSONPointer) throws(PatchError) {
            let list = JSONPointer(tokens: item.tokens.dropLast())
            if list.value(in: .object(resource))?.array != nil { try requireNoExtensions(ofList: list) }
        }
        func json(_ value: FHIRPathPatchValue, _ type: TypeModel.TypeID) throws(PatchError) -> JSON {
            guard let json = value.json(as: type) else {
                throw .invalid("Its value has two parts for an element that is not a list.", operationIndex)
            }
            return json
        }
        func list(
            _ path: PatchTarget
        ) throws(PatchError) -> (at: JSONPointer, count: Int, type: TypeModel.TypeID) {
            guard let (parent, name) = path.list else {
                throw .invalid("Its path is not that of a list.", operationIndex)
            }
            let owner = try one(parent)
            let pointer = JSONPointer(tokens: owner.pointer.tokens + [name])
            guard let elements = pointer.value(in: .object(resource))?.array else {
                throw .notApplicable("There is no list at its path.", operationIndex)
            }
            try requireNoExtensions(ofList: pointer)
            return (pointer, elements.count, PatchMember(name, of: owner.type).type)
        }
        switch operation {
        case .add(let path, let name, let value):
            let owner = try one(path)
            guard case .object(let object) = owner.value else {
                guard name == "extension", let sibling = owner.sibling else {
                    throw .notApplicable("Nothing can be added to a value.", operationIndex)
                }
                // The extensions of a primitive are in a separate object.
                let new = try json(value, TypeModel.r4.extensionType)
                guard let present = sibling.value(in: .object(resource)) else {
                    return [.add(sibling, ["extension": .array([new])])]
                }
                let list = JSONPointer(tokens: sibling.tokens + ["extension"])
                return present["extension"] == nil
                    ? [.add(list, .array([new]))] : [.add(JSONPointer(tokens: list.tokens + ["-"]), new)]
            }
            let member = PatchMember(name, valueType: value.type, of: owner.type)
            let new = try json(value, member.type)
            let pointer = JSONPointer(tokens: owner.pointer.tokens + [member.key])
            guard let present = object[member.key] else {
                return [.add(pointer, member.isList ? .array([new]) : new)]
            }
            guard member.isList, present.array != nil else {
                throw .notApplicable("The element exists already.", operationIndex)
            }
            return [.add(JSONPointer(tokens: pointer.tokens + ["-"]), new)]
        case .insert(let path, let index, let value):
            let list = try list(path)
            guard index <= list.count else { throw .notApplicable("Its index is beyond the list.", operationIndex) }
            return [.add(JSONPointer(tokens: list.at.tokens + [String(index)]), try json(value, list.type))]
        case .delete(let path):
            let all = try found(path)
            guard all.count < 2 else { throw .notApplicable("Its path finds several elements.", operationIndex) }
            guard let only = all.first else { return [] }
            try requireNoExtensions(ofItem: only.pointer)
            return removal(of: only.pointer, in: resource)
        case .replace(let path, let value):
            let only = try one(path)
            try requireNoExtensions(ofItem: only.pointer)
            // A choice with another type has another member name.
            if value.type != nil, let (parent, name) = path.list {
                let owner = try one(parent)
                let member = PatchMember(name, valueType: value.type, of: owner.type)
                if !member.isList, let present = only.pointer.tokens.last, member.key != present,
                    only.pointer.tokens.dropLast().elementsEqual(owner.pointer.tokens)
                {
                    let new = JSONPointer(tokens: owner.pointer.tokens + [member.key])
                    return [.remove(only.pointer)] + siblingRemoval(of: only.pointer, in: resource)
                        + [.add(new, try json(value, member.type))]
                }
            }
            return [.replace(only.pointer, try json(value, only.type))]
                + siblingRemoval(of: only.pointer, in: resource)
        case .move(let path, let source, let destination):
            let list = try list(path)
            guard source < list.count, destination < list.count else {
                throw .notApplicable("Its source or destination is beyond the list.", operationIndex)
            }
            return [
                .move(
                    from: JSONPointer(tokens: list.at.tokens + [String(source)]),
                    to: JSONPointer(tokens: list.at.tokens + [String(destination)]))
            ]
        }
    }

    /// FHIR has no empty lists: a list is removed with its last element.
    private static func removal(of pointer: JSONPointer, in resource: JSONObject) -> [JSONPatch.Operation] {
        let list = JSONPointer(tokens: pointer.tokens.dropLast())
        if let elements = list.value(in: .object(resource))?.array, elements.count == 1 { return [.remove(list)] }
        return [.remove(pointer)] + siblingRemoval(of: pointer, in: resource)
    }

    /// The id and the extensions of a primitive are in a sibling member, which is removed with it.
    private static func siblingRemoval(of pointer: JSONPointer, in resource: JSONObject) -> [JSONPatch.Operation] {
        guard let name = pointer.tokens.last else { return [] }
        let sibling = JSONPointer(tokens: pointer.tokens.dropLast() + ["_" + name])
        return sibling.value(in: .object(resource)) == nil ? [] : [.remove(sibling)]
    }
}
