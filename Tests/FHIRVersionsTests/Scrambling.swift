import FHIR
import TestSupport

/// Returns the value with one of its inner values replaced.
func scrambled(_ json: JSON, _ random: inout Seeded) -> JSON {
    switch json {
    case .object(let object) where !object.isEmpty && random.next() % 8 != 0:
        let index = Int(random.next() % UInt64(object.count))
        let member = object.members[index]
        guard member.key != "resourceType" else { return json }
        var copy = object
        if random.next() % 6 == 0 {
            graft(member.key, onto: &copy, &random)
        } else {
            copy[member.key] = scrambled(member.value, &random)
        }
        return .object(copy)
    case .array(let values) where !values.isEmpty && random.next() % 8 != 0:
        var copy = values
        let index = Int(random.next() % UInt64(values.count))
        copy[index] = scrambled(values[index], &random)
        return .array(copy)
    default:
        let replacements: [JSON] = [
            .null, true, 7, "x", "", "2015", -1, [], ["a", "b"], [["c": 1]], [:], ["reference": "#p"],
            ["x": ["y": [1, .null]]], [json, json], [[json]], ["group": json], ["question": [json]],
            ["extension": [["url": "http://x.example/e", "valueMoney": ["value": 1, "unit": "EUR"]]]],
            ["coding": [["system": "http://hl7.org/fhir/v2/0203", "code": "MR"]]], ["id": "i", "value": json],
        ]
        return replacements[Int(random.next() % UInt64(replacements.count))]
    }
}

/// Adds a member that the object does not have: an extension of a primitive, or a name of some release.
private func graft(_ key: String, onto object: inout JSONObject, _ random: inout Seeded) {
    let mark = JSON.string("graft-\(random.next() % 100_000)")
    let extended: JSON = ["id": "e", "extension": [["url": "http://x.example/g", "valueString": mark]]]
    let grafts: [(String, JSON)] = [
        ("_" + key, extended), ("_" + key, [.null, extended]), ("id", mark),
        ("extension", [["url": "http://x.example/g", "valueString": mark]]),
        ("modifierExtension", [["url": "http://x.example/m", "valueString": mark]]),
        ("type", mark), ("status", mark), ("code", [["code": mark]]), ("name", mark), ("title", mark),
        ("version", mark), ("text", mark), ("value", mark), ("valueInstant", "2015-02-07T13:28:17Z"),
        ("valueString", mark), ("subject", ["reference": "#p", "display": mark]), ("required", true),
        ("enableBehavior", "all"), ("initialString", mark), ("note", [["text": mark]]), ("udi", ["name": mark]),
        ("lockedDate", "2015-01-01"), ("related", [["type": "replaces", "target": ["display": mark]]]),
        ("identifier", ["value": mark]), ("use", mark), ("period", ["start": "2015"]), ("display", mark),
    ]
    let (name, value) = grafts[Int(random.next() % UInt64(grafts.count))]
    if object[name] == nil { object[name] = value }
}
