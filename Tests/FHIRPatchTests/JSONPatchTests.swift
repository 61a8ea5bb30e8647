import Core
import Foundation
import TestSupport
import Testing

@testable import FHIRPatch

private func json(_ text: String) throws -> JSON { try #require(JSON(reading: Data(text.utf8))) }

private func code(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch { return (error as? PatchError)?.code }
}

@Suite struct JSONPatchTests {
    /// Document, patch and result: RFC 6902 appendix A, and pointers of RFC 6901.
    @Test(arguments: [
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        (
            #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, #"{"foo":"bar","baz":"qux"}"#),
        (
            #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10},{"op":"remove","path":"/~1"}]"#,
            #"{"~1":10}"#
        ),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        (#"{"a":{"b":1}}"#, #"[{"op":"copy","from":"/a","path":"/c"}]"#, #"{"a":{"b":1},"c":{"b":1}}"#),
        (#"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"[{"op":"replace","path":"","value":{"b":2}}]"#, #"{"b":2}"#),
        (#"{"a":1.50}"#, #"[{"op":"test","path":"","value":{"a":1.5}}]"#, #"{"a":1.50}"#),
        (#"{"":1}"#, #"[{"op":"replace","path":"/","value":2}]"#, #"{"":2}"#),
    ])
    func operationsGiveTheResultsOfTheStandard(document: String, patch: String, result: String) throws {
        let changed = try JSONPatch(json(patch)).applied(to: json(document))
        #expect(try changed.isSameData(as: json(result)), "\(String(decoding: changed.data(), as: UTF8.self))")
    }

    @Test(arguments: [
        (#"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#, "patch-test-failed"),
        (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":"10"}]"#, "patch-test-failed"),
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, "patch-not-applicable"),
        (#"{"foo":[1]}"#, #"[{"op":"add","path":"/foo/2","value":1}]"#, "patch-not-applicable"),
        (#"{"foo":[1,2]}"#, #"[{"op":"remove","path":"/foo/01"}]"#, "patch-not-applicable"),
        (#"{"foo":[1,2]}"#, #"[{"op":"remove","path":"/foo/-"}]"#, "patch-not-applicable"),
        (#"{"foo":[1,2]}"#, #"[{"op":"replace","path":"/foo/-1","value":1}]"#, "patch-not-applicable"),
        (#"{"foo":1}"#, #"[{"op":"replace","path":"/bar","value":1}]"#, "patch-not-applicable"),
        (#"{"foo":1}"#, #"[{"op":"remove","path":""}]"#, "patch-not-applicable"),
        (#"{"foo":{"a":1}}"#, #"[{"op":"move","from":"/foo","path":"/foo/a"}]"#, "patch-invalid"),
        (#"{"foo":1}"#, #"[{"op":"add","path":"foo","value":1}]"#, "patch-invalid"),
        (#"{"foo":1}"#, #"[{"op":"add","path":"/~2","value":1}]"#, "patch-invalid"),
        (#"{"foo":1}"#, #"[{"op":"add","path":"/~","value":1}]"#, "patch-invalid"),
        (#"{"foo":1}"#, #"[{"op":"add","path":"/bar"}]"#, "patch-invalid"),
        (#"{"foo":1}"#, #"[{"op":"spam","path":"/bar"}]"#, "patch-invalid"),
        (#"{"foo":1}"#, #"{"op":"remove","path":"/foo"}"#, "patch-invalid"),
    ])
    func invalidOperationIsRefusedWithItsCode(document: String, patch: String, expected: String) throws {
        let document = try json(document)
        let patch = try json(patch)
        #expect(code { _ = try JSONPatch(patch).applied(to: document) } == expected)
    }

    @Test func aPatchIsAppliedWhollyOrNotAtAll() throws {
        let document = try json(#"{"a":1,"b":2}"#)
        let patch = try JSONPatch(json(#"[{"op":"remove","path":"/a"},{"op":"test","path":"/b","value":3}]"#))
        #expect(code { _ = try patch.applied(to: document) } == "patch-test-failed")
        #expect(try document == json(#"{"a":1,"b":2}"#))
    }

    @Test func repeatedDoublingAndLongPatchesAreRefused() throws {
        let doubling = (0..<200).map { #"{"op":"copy","from":"","path":"/\#($0)"}"# }.joined(separator: ",")
        let patch = try JSONPatch(json("[\(doubling)]"))
        #expect(code { _ = try patch.applied(to: .object(JSONObject())) } == "too-costly")
        let many = Array(repeating: #"{"op":"remove","path":"/a"}"#, count: JSONPatch.maximumOperations + 1)
        let list = try json("[\(many.joined(separator: ","))]")
        #expect(code { _ = try JSONPatch(list) } == "patch-invalid")
        let deep = try json(#"[{"op":"remove","path":"\#(String(repeating: "/a", count: 100_000))"}]"#)
        #expect(code { _ = try JSONPatch(deep) } == "patch-invalid")
    }

    /// The cost of an operation depends on the changed part, not on the rest of the document.
    @Test func anOperationDoesNotCopyTheDocument() throws {
        let growth = try Growth.of(from: 500) { size in
            let elements = (0..<size).map { JSON.number(JSONNumber($0)) }
            let document: JSON = ["a": ["b": .array(elements)], "c": 1]
            let patch = String(repeating: #"{"op":"replace","path":"/a/b/0","value":1},"#, count: 400)
            return (document, "[" + patch + #"{"op":"replace","path":"/c","value":2}]"#)
        } _: { document, patch in
            _ = try JSONPatch(json(patch)).applied(to: document)
        }
        #expect(growth.factor < 3, "\(growth)")
    }

    /// Digits, the order of members and unknown members stay unchanged.
    @Test func unchangedMembersStayAsTheyWere() throws {
        let document =
            #"{"resourceType":"Observation","x":[1.00,{"y":"z"}],"valueQuantity":{"value":70.10,"unit":"kg"}}"#
        let patch = try JSONPatch(json(#"[{"op":"replace","path":"/valueQuantity/unit","value":"g"}]"#))
        let changed = try patch.applied(to: json(document))
        #expect(
            String(decoding: changed.data(), as: UTF8.self) == document.replacingOccurrences(of: "kg", with: "g"))
    }

    /// A value added at a path is found there, and is absent after it is removed.
    @Test func addAndRemoveRestoreTheDocument() throws {
        var generator = Seeded.fresh()
        for _ in 0..<500 {
            let document = Self.random(&generator, depth: 4)
            guard let container = Self.containers(document, []).randomElement(using: &generator) else { continue }
            let token =
                if case .array(let elements)? = JSONPointer(tokens: container).value(in: document) {
                    String(Int.random(in: 0...elements.count, using: &generator))
                } else {
                    "new member"
                }
            let path = "/" + (container + [token]).map(Self.escaped).joined(separator: "/")
            func patch(_ text: String) throws -> JSONPatch { try JSONPatch(json(text)) }
            let added = try patch(#"[{"op":"add","path":"\#(path)","value":"planted"}]"#).applied(to: document)
            #expect(JSONPointer(path)?.value(in: added) == "planted")
            #expect(try patch(#"[{"op":"remove","path":"\#(path)"}]"#).applied(to: added) == document)
        }
    }

    private static func escaped(_ token: String) -> String {
        token.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1")
    }

    private static func random(_ generator: inout Seeded, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth == 0 ? 3 : 5), using: &generator) {
        case 0: return .number(JSONNumber(Int.random(in: -5...5, using: &generator)))
        case 1: return .string("text")
        case 2: return .bool(true)
        case 3:
            return .array(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in random(&generator, depth: depth - 1) })
        default:
            var object = JSONObject()
            for name in ["a", "b/c", "~", ""].prefix(Int.random(in: 0...4, using: &generator)) {
                object[name] = random(&generator, depth: depth - 1)
            }
            return .object(object)
        }
    }

    /// Returns the paths of all arrays and objects.
    private static func containers(_ value: JSON, _ path: [String]) -> [[String]] {
        switch value {
        case .array(let elements):
            [path] + elements.enumerated().flatMap { containers($1, path + [String($0)]) }
        case .object(let object): [path] + object.members.flatMap { containers($0.value, path + [$0.key]) }
        default: []
        }
    }
}

@Suite struct MergePatchTests {
    /// RFC 7396 appendix A, for patches that are objects.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#), ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func mergePatchExamplesOfTheStandardAreMet(document: String, patch: String, result: String) throws {
        #expect(try MergePatch(json(patch)).applied(to: json(document)) == json(result))
    }

    @Test func mergePatchMustBeAnObject() throws {
        for text in ["[]", #""a""#, "null", "1"] {
            let patch = try json(text)
            #expect(code { _ = try MergePatch(patch) } == "patch-invalid")
        }
    }

    private func budget(_ bytes: Int) -> PatchBudget { PatchBudget(bytes: bytes, steps: .unlimited) }

    /// Copying a text takes no time, but its bytes count.
    @Test(arguments: [
        (#"{"op":"copy","from":"/a","path":"/b"}"#, 1_000_000),
        (#"{"op":"test","path":"/a","value":"VALUE"}"#, 1_000_000),
        (#"{"op":"add","path":"/b","value":"VALUE"}"#, 1_000_000),
        (#"{"op":"replace","path":"/a","value":"VALUE"}"#, 1_000_000),
        (#"{"op":"move","from":"/a","path":"/b"}"#, 1_000_000), (#"{"op":"copy","from":"","path":"/b"}"#, 1_000_000),
    ])
    func operationsChargeTheBytesOfTheirValues(operation: String, bytes: Int) throws {
        let text = String(repeating: "x", count: bytes)
        let patch = try JSONPatch(json("[" + operation.replacingOccurrences(of: "VALUE", with: text) + "]"))
        let document: JSON = ["a": .string(text)]
        var enough = budget(bytes + 100)
        _ = try patch.applied(to: document, &enough)
        #expect(enough.bytes < 100)
        #expect(
            code {
                var less = budget(bytes - 1)
                _ = try patch.applied(to: document, &less)
            } == "too-costly")
    }

    /// Copies of copies: the size of the result is computed without making it.
    @Test func nestedCopiesAreTooCostly() throws {
        let doubling = (0..<40).map { #"{"op":"copy","from":"/a","path":"/a/\#($0)"}"# }.joined(separator: ",")
        let patch = try JSONPatch(json("[\(doubling)]"))
        let document: JSON = ["a": ["n": .string(String(repeating: "x", count: 10_000))]]
        #expect(code { _ = try patch.applied(to: document) } == "too-costly")
    }

    @Test func elementsThatMoveAreCharged() throws {
        let document: JSON = ["a": .array(Array(repeating: 0, count: 100_000))]
        let patch = try JSONPatch(
            json("[" + Array(repeating: #"{"op":"remove","path":"/a/0"}"#, count: 900).joined(separator: ",") + "]"))
        #expect(code { _ = try patch.applied(to: document) } == "too-costly")
    }

    @Test func removalsFromALargeObjectCostNoMoreThanItsSize() throws {
        let growth = try Growth.of(from: 2_000) { size in
            let members = (0..<size).map { JSONObject.Member(key: "n\($0)", value: 1) }
            let removals = (0..<900).map { #"{"op":"remove","path":"/a/n\#($0)"}"# }.joined(separator: ",")
            return (["a": .object(JSONObject(keepingFirst: members))] as JSON, "[\(removals)]")
        } _: { document, patch in
            _ = try JSONPatch(json(patch)).applied(to: document)
        }
        #expect(growth.factor < 8, "\(growth)")
    }
}
