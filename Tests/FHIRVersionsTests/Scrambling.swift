import FHIR

/// The value with one of its inner values replaced.
func scrambled(_ json: JSON, _ random: inout Sequence64) -> JSON {
    switch json {
    case .object(let object) where !object.isEmpty && random.next() % 8 != 0:
        let index = Int(random.next() % UInt64(object.count))
        let member = object.members[index]
        guard member.key != "resourceType" else { return json }
        var copy = object
        copy[member.key] = scrambled(member.value, &random)
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

/// A seeded generator (SplitMix64).
struct Sequence64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
