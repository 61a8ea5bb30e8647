import FHIR

/// Assigns every property of a view from another view of the same type.
struct Pass {
    /// Whether the views begin without members, instead of with those of the view that is read.
    let isFresh: Bool
    /// Whether codes that R4 does not have are errors.
    var isStrict = true

    func callAsFunction<Value: PassingValue>(_ value: Value?) throws -> Value? { try value?.passed(self) }

    func callAsFunction<Value: PassingValue>(_ values: [Value]) throws -> [Value] {
        try values.map { try $0.passed(self) }
    }

    func callAsFunction(_ siblings: [PrimitiveElement?]) throws -> [PrimitiveElement?] {
        try siblings.map { try $0?.passed(self) }
    }

    func callAsFunction<Code: CodeValue>(_ code: Code?) throws -> Code? {
        guard let code else { return nil }
        // Only the case for unknown codes has an associated value.
        if isStrict, !Mirror(reflecting: code).children.isEmpty { throw Unrecognized(what: code.rawValue) }
        return code
    }

    func callAsFunction<Code: CodeValue>(_ codes: [Code]) throws -> [Code] {
        try codes.compactMap { try self($0) }
    }
}

/// A value or code that a view does not know although it should know all.
struct Unrecognized: Error {
    let what: String
}

protocol PassingValue {
    func passed(_ pass: Pass) throws -> Self
}

protocol Passing: ElementView, PassingValue {
    mutating func take(from other: Self, _ pass: Pass) throws
}

extension Passing {
    func passed(_ pass: Pass) throws -> Self {
        var copy = pass.isFresh ? Self(JSONObject()) : self
        try copy.take(from: self, pass)
        return copy
    }

    mutating func takeElement(from other: Self, _ pass: Pass) throws {
        id = try pass(other.id)
        `extension` = try pass(other.extension)
    }

    /// The sibling of a choice without a value is found and kept, and can be set without the value.
    mutating func takeLoneSibling(_ name: String, from other: Self) {
        guard other.object.choice(name) == nil else { return }
        for member in other.object.members where member.key.hasPrefix("_" + name) && object[member.key] == nil {
            guard member.key.dropFirst(1 + name.count).first?.isUppercase ?? false else { continue }
            object[member.key] = [:]
        }
    }
}

extension Passing where Self: BackboneElementView {
    mutating func takeBackboneElement(from other: Self, _ pass: Pass) throws {
        modifierExtension = try pass(other.modifierExtension)
    }
}

extension Passing where Self: ResourceView {
    mutating func takeResource(from other: Self, _ pass: Pass) throws {
        object["resourceType"] = other.object["resourceType"]
        id = try pass(other.id)
        meta = try pass(other.meta)
        implicitRules = try pass(other.implicitRules)
        implicitRulesElement = try pass(other.implicitRulesElement)
        language = try pass(other.language)
        languageElement = try pass(other.languageElement)
    }
}

extension Passing where Self: DomainResourceView {
    mutating func takeDomainResource(from other: Self, _ pass: Pass) throws {
        text = try pass(other.text)
        contained = try pass(other.contained)
        `extension` = try pass(other.extension)
        modifierExtension = try pass(other.modifierExtension)
    }
}

extension PrimitiveElement: Passing {
    mutating func take(from other: PrimitiveElement, _ pass: Pass) throws { try takeElement(from: other, pass) }
}

extension Resource: PassingValue {
    /// Returns the resource passed through the view of its type, or unchanged if there is no view.
    func passed(_ pass: Pass) throws -> Resource {
        guard let view = Pass.views[resourceType] else { return self }
        return Resource(try view.passed(object, pass))
    }
}

extension Passing {
    static func passed(_ object: JSONObject, _ pass: Pass) throws -> JSONObject { try Self(object).passed(pass).object }
}

extension String: PassingValue {
    func passed(_ pass: Pass) throws -> String { self }
}

extension Bool: PassingValue {
    func passed(_ pass: Pass) throws -> Bool { self }
}

extension Int: PassingValue {
    func passed(_ pass: Pass) throws -> Int { self }
}

extension JSONNumber: PassingValue {
    func passed(_ pass: Pass) throws -> JSONNumber { self }
}

extension DateTime: PassingValue {
    func passed(_ pass: Pass) throws -> DateTime { self }
}

extension TimeOfDay: PassingValue {
    func passed(_ pass: Pass) throws -> TimeOfDay { self }
}

extension JSON {
    /// The value with the members of all objects sorted by name.
    var sorted: JSON {
        switch self {
        case .array(let elements): return .array(elements.map(\.sorted))
        case .object(let object):
            var output = JSONObject()
            for member in object.members.sorted(by: { $0.key < $1.key }) { output[member.key] = member.value.sorted }
            return .object(output)
        default: return self
        }
    }
}
