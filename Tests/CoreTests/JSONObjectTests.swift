import TestSupport
import Testing

@testable import Core

@Suite struct JSONObjectTests {
    /// The behaviour of an object, implemented without an index.
    private struct Model {
        var members: [(key: String, value: JSON)] = []

        mutating func set(_ key: String, _ value: JSON?, at index: Int? = nil) {
            let existing = members.firstIndex { $0.key == key }
            switch (existing, value) {
            case (let existing?, let value?): members[existing].value = value
            case (let existing?, nil): members.remove(at: existing)
            case (nil, let value?): members.insert((key, value), at: min(max(index ?? members.count, 0), members.count))
            case (nil, nil): break
            }
        }
    }

    @Test func largeObjectBehavesLikeASmallOne() {
        var random = Seeded.fresh("members")
        for _ in 0..<20 {
            var object = JSONObject()
            var model = Model()
            let names = Int.random(in: 1...80, using: &random)
            for step in 0..<250 {
                // Canonically equivalent names of four and of five bytes are different names.
                let number = Int.random(in: 0..<names, using: &random)
                let key = number % 7 == 0 ? "e\u{301}\(number)" : number % 7 == 1 ? "\u{E9}\(number - 1)" : "n\(number)"
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    object[key] = nil
                    model.set(key, nil)
                case 1:
                    let index = Int.random(in: -1...90, using: &random)
                    object.set(key, .number(JSONNumber(step)), at: index)
                    model.set(key, .number(JSONNumber(step)), at: index)
                case 2:
                    _ = object.update(key) { $0 = .string("u\(step)") }
                    if model.members.contains(where: { $0.key == key }) { model.set(key, .string("u\(step)")) }
                default:
                    object[key] = .number(JSONNumber(step))
                    model.set(key, .number(JSONNumber(step)))
                }
                let isSame =
                    object.count == model.members.count
                    && object[key] == model.members.first { $0.key == key }?.value
                guard !isSame else { continue }
                Issue.record("step \(step) of \(names) names, at \(key)")
                return
            }
            #expect(object.keys.map { Array($0.utf8) } == model.members.map { Array($0.key.utf8) })
            #expect(object.members.map(\.value) == model.members.map(\.value))
            for name in object.keys { #expect(object[name] == model.members.first { $0.key == name }?.value) }
            #expect(object == JSONObject(unique: object.members))
            #expect(object.hashValue == JSONObject(unique: object.members).hashValue)
        }
    }

    @Test func anObjectThatWasReadIsFoundByItsNames() throws {
        let text =
            "{" + (0..<100).map { "\"n\($0)\":\($0),\"_n\($0)\":{\"id\":\"\($0)\"}" }.joined(separator: ",") + "}"
        let object = try #require(try JSON(parsing: text).object)
        for number in 0..<100 {
            #expect(object["n\(number)"]?.integer == number)
            #expect(object["_n\(number)"]?["id"]?.string == "\(number)")
        }
        #expect(object["n100"] == nil)
        #expect(JSON.object(object).text() == text)
    }

    @Test func valuesAreChangedWithoutCopies() {
        var json: JSON = ["list": [1, 2], "text": "x"]
        json.withMembers { object in
            _ = object.update("list") { list in list.withElements { $0.append(3) } }
            #expect(object.update("nothing") { _ in true } == nil)
        }
        json["more"] = true
        #expect(json.text() == #"{"list":[1,2,3],"text":"x","more":true}"#)
    }

    @Test func costOfAMemberDoesNotGrowWithTheObject() {
        let building = Growth.of(from: 1000) { count in
            (0..<count).map { "name\($0)" }
        } _: { names in
            var object = JSONObject()
            for name in names { object[name] = true }
            for name in names { #expect(object[name] != nil) }
            var json = JSON.object(object)
            for name in names { json[name] = false }
        }
        print("building \(building)")
        #expect(building.factor <= 6)
    }

    @Test func readingAndWritingAreLinearInTheText() throws {
        func members(_ count: Int) -> String { (0..<count).map { "\"name\($0)\":[\($0)]" }.joined(separator: ",") }
        let texts: [(String, (Int) -> String)] = [
            ("members", { "{" + members($0) + "}" }),
            ("elements", { "[" + (0..<$0).map { "{\"a\":\($0)}" }.joined(separator: ",") + "]" }),
            ("escapes", { "\"" + String(repeating: "\\n\\u00e9x", count: $0) + "\"" }),
            (
                "objects",
                { "[" + Array(repeating: "{" + members(40) + "}", count: $0 / 40 + 1).joined(separator: ",") + "]" }
            ),
            (
                "depth",
                {
                    "["
                        + Array(
                            repeating: String(repeating: "[", count: 180) + "1" + String(repeating: "]", count: 180),
                            count: $0 / 180 + 1
                        ).joined(separator: ",") + "]"
                }
            ),
        ]
        for (what, make) in texts {
            let growth = try Growth.of(from: 2000) {
                Array(make($0).utf8)
            } _: { bytes in
                let written = try JSON(bytes).bytes(.pretty)
                #expect(written.count >= bytes.count / 4)
            }
            print("\(what) \(growth)")
            #expect(growth.factor <= 6, "\(what)")
        }
    }

    /// Removes the members of a large object one by one, first to last: the average cost of a removal is constant.
    @Test func removalsCostNoMoreInALargeObject() {
        let growth = Growth.of(from: 1_000) { size in
            JSONObject(unique: (0..<size).map { JSONObject.Member(key: "n\($0)", value: .number(JSONNumber($0))) })
        } _: { object in
            var object = object
            for number in 0..<(object.count * 2 / 3) { object["n\(number)"] = nil }
            _ = object.members.count
        }
        #expect(growth.factor < 8, "\(growth)")
    }

    @Test func remainingMembersKeepTheirOrderAfterRemovals() {
        let all = (0..<200).map { JSONObject.Member(key: "n\($0)", value: .number(JSONNumber($0))) }
        var object = JSONObject(unique: all)
        for number in stride(from: 0, to: 90, by: 2) { object["n\(number)"] = nil }
        object["n0"] = "again"
        object.set("second", true, at: 1)
        #expect(object.count == 200 - 45 + 2 && object.keys.count == object.count)
        #expect(object.keys.prefix(3) == ["n1", "second", "n3"] && object.keys.last == "n0")
        #expect(object["n2"] == nil && object["n3"] == 3 && !object.isEmpty)
        #expect(object == JSONObject(unique: object.members))
    }
}
