import Core

/// A JSON Patch (RFC 6902): operations that change a document in order, all of them or none
/// (<https://hl7.org/fhir/R4/http.html#patch>).
public struct JSONPatch: Sendable, Hashable {
    /// One operation (RFC 6902 section 4).
    package enum Operation: Sendable, Hashable {
        case add(JSONPointer, JSON)
        case remove(JSONPointer)
        case replace(JSONPointer, JSON)
        case move(from: JSONPointer, to: JSONPointer)
        case copy(from: JSONPointer, to: JSONPointer)
        case test(JSONPointer, JSON)
    }

    package let operations: [Operation]

    /// Maximum number of operations of a patch.
    static let maximumOperations = 1_000

    package init(operations: [Operation]) { self.operations = operations }

    /// Reads a patch.
    ///
    /// - Throws: ``PatchError`` with code `patch-invalid`.
    public init(_ json: JSON) throws(PatchError) {
        guard let list = json.array else { throw .invalid("A JSON Patch is an array of operations.") }
        guard list.count <= Self.maximumOperations else {
            throw .invalid("A JSON Patch may have up to \(Self.maximumOperations) operations.")
        }
        var operations: [Operation] = []
        for (index, json) in list.enumerated() { operations.append(try Self.operation(json, index)) }
        self.operations = operations
    }

    private static func operation(_ json: JSON, _ index: Int) throws(PatchError) -> Operation {
        func pointer(_ name: String) throws(PatchError) -> JSONPointer {
            guard let pointer = json[name]?.string.flatMap(JSONPointer.init) else {
                throw .invalid("Its \(name) is not a JSON Pointer.", index)
            }
            return pointer
        }
        func value() throws(PatchError) -> JSON {
            guard let value = json["value"] else { throw .invalid("It has no value.", index) }
            return value
        }
        switch json["op"]?.string {
        case "add": return .add(try pointer("path"), try value())
        case "remove": return .remove(try pointer("path"))
        case "replace": return .replace(try pointer("path"), try value())
        case "move":
            let (source, target) = (try pointer("from"), try pointer("path"))
            guard source == target || !source.contains(target) else {
                throw .invalid("Nothing can be moved into itself.", index)
            }
            return .move(from: source, to: target)
        case "copy": return .copy(from: try pointer("from"), to: try pointer("path"))
        case "test": return .test(try pointer("path"), try value())
        default: throw .invalid("Its op is not add, remove, replace, move, copy or test.", index)
        }
    }

    /// Returns the document after all operations.
    ///
    /// - Throws: ``PatchError``: `patch-test-failed`, `patch-not-applicable` where a path does not exist, `too-costly`.
    public func applied(to document: JSON) throws(PatchError) -> JSON {
        var budget = PatchBudget.standard
        return try applied(to: document, &budget)
    }

    /// Returns the document after all operations.
    ///
    /// - Parameter budget: the bytes that the operations may copy, insert and compare: a few `copy` operations could
    ///   otherwise double a document again and again.
    /// - Throws: ``PatchError``: `patch-test-failed`, `patch-not-applicable` where a path does not exist, `too-costly`.
    package func applied(to document: JSON, _ budget: inout PatchBudget) throws(PatchError) -> JSON {
        var document = document
        for (index, operation) in operations.enumerated() {
            try Self.apply(operation, at: index, to: &document, &budget)
        }
        return document
    }

    /// Applies one operation to the document.
    ///
    /// - Parameter index: the index of the operation in its patch, for the error.
    /// - Throws: ``PatchError``; the document must not be used then.
    package static func apply(
        _ operation: Operation, at index: Int, to document: inout JSON, _ budget: inout PatchBudget
    ) throws(PatchError) {
        guard !budget.steps.isOver else { throw .tooCostly }
        do throws(Failure) { try apply(operation, to: &document, &budget) } catch { throw error.error(of: index) }
    }

    private enum Failure: Error {
        case missing
        case different
        case tooMuch

        func error(of index: Int) -> PatchError {
            switch self {
            case .missing: .notApplicable("One of its paths does not exist.", index)
            case .different: .testFailed(index)
            case .tooMuch: .tooCostly
            }
        }
    }

    private static func apply(
        _ operation: Operation, to document: inout JSON, _ budget: inout PatchBudget
    ) throws(Failure) {
        switch operation {
        case .add(let path, let value):
            try charge(value, at: path, &budget)
            try change(&document, at: path.tokens[...], by: .add(value), within: &budget)
        case .replace(let path, let value):
            try charge(value, at: path, &budget)
            try change(&document, at: path.tokens[...], by: .replace(value), within: &budget)
        case .remove(let path): try change(&document, at: path.tokens[...], by: .remove, within: &budget)
        case .move(let source, let target):
            guard let value = source.value(in: document) else { throw .missing }
            guard source != target else { return }
            try charge(value, at: target, &budget)
            try change(&document, at: source.tokens[...], by: .remove, within: &budget)
            try change(&document, at: target.tokens[...], by: .add(value), within: &budget)
        case .copy(let source, let target):
            guard let value = source.value(in: document) else { throw .missing }
            try charge(value, at: target, &budget)
            try change(&document, at: target.tokens[...], by: .add(value), within: &budget)
        case .test(let path, let expected):
            guard let value = path.value(in: document) else { throw .missing }
            try charge(expected, at: path, &budget)
            guard value.isSameData(as: expected) else { throw .different }
        }
    }

    private static func charge(_ value: JSON, at path: JSONPointer, _ budget: inout PatchBudget) throws(Failure) {
        guard budget.spend(on: value, depth: path.tokens.count) else { throw .tooMuch }
    }

    private enum Change {
        case add(JSON)
        case replace(JSON)
        case remove
    }

    /// Changes the value at a path without a copy of other parts of the document.
    private static func change(
        _ value: inout JSON, at tokens: ArraySlice<String>, by change: Change, within budget: inout PatchBudget
    ) throws(Failure) {
        guard let token = tokens.first else {
            // The document itself always exists, and must not be removed.
            switch change {
            case .add(let new), .replace(let new): value = new
            case .remove: throw .missing
            }
            return
        }
        let isLast = tokens.count == 1
        // The value must have no other reference, or all of its members would be copied.
        switch value {
        case .object:
            let result: Result<Void, Failure> = value.withMembers { members in
                guard isLast else {
                    return members.update(token) {
                        outcome(&$0, at: tokens.dropFirst(), by: change, within: &budget)
                    }
                        ?? .failure(.missing)
                }
                if case .add(let new) = change {
                    members[token] = new
                    return .success(())
                }
                guard members[token] != nil else { return .failure(.missing) }
                let new: JSON? = if case .replace(let new) = change { new } else { .none }
                members[token] = new
                return .success(())
            }
            try result.get()
        case .array:
            let result: Result<Void, Failure> = value.withElements { elements in
                let isAdding = if isLast, case .add = change { true } else { false }
                guard let index = JSONPointer.index(of: token, count: elements.count, mayAppend: isAdding) else {
                    return .failure(.missing)
                }
                guard isLast else {
                    return outcome(&elements[index], at: tokens.dropFirst(), by: change, within: &budget)
                }
                // The following elements move.
                if case .replace = change {
                } else {
                    guard budget.spend(bytes: elements.count - index) else { return .failure(.tooMuch) }
                }
                switch change {
                case .add(let new): elements.insert(new, at: index)
                case .replace(let new): elements[index] = new
                case .remove: elements.remove(at: index)
                }
                return .success(())
            }
            try result.get()
        default: throw .missing
        }
    }

    private static func outcome(
        _ value: inout JSON, at tokens: ArraySlice<String>, by change: Change, within budget: inout PatchBudget
    ) -> Result<Void, Failure> {
        do throws(Failure) {
            try Self.change(&value, at: tokens, by: change, within: &budget)
            return .success(())
        } catch { return .failure(error) }
    }
}
