import FHIR
import Testing

@testable import FHIRVersions

/// Apps send what they send: whatever stands where, the result has R4's structure.
struct MalformedInputTests {
    @Test func scrambledResourcesStillBecomeR4() throws {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &generator)
        print("seed \(seed)")
        var random = Sequence64(state: seed)
        let sources = try [
            ContractTests.contract(signer: ContractTests.signer),
            ContractTests.contract(signer: ContractTests.arraySigner), QuestionnaireResponseTests.steps,
        ].map { try resource($0).json }
        for _ in 0..<300 {
            for source in sources {
                let scrambled = scramble(source, &random)
                guard let object = scrambled.object, object["resourceType"]?.string != nil else { continue }
                for version in [FHIRVersion.dstu2, .stu3] {
                    guard let result = try? FHIRConversion.toR4(Resource(object), from: version) else { continue }
                    // An element that came empty is not ours to fill, and wrong texts stay as they were written.
                    let problems = StructureCheck.problems(result.resource).filter { problem in
                        !["empty", "missing", "date", "instant", "time", "form", "null"].contains {
                            problem.hasSuffix(": " + $0)
                        }
                    }
                    #expect(problems == [], "\(version) \(scrambled.text())")
                }
            }
        }
    }

    /// The value with one of its inner values replaced.
    private func scramble(_ json: JSON, _ random: inout Sequence64) -> JSON {
        switch json {
        case .object(let object) where !object.isEmpty && random.next() % 8 != 0:
            let index = Int(random.next() % UInt64(object.count))
            let member = object.members[index]
            guard member.key != "resourceType" else { return json }
            var copy = object
            copy[member.key] = scramble(member.value, &random)
            return .object(copy)
        case .array(let values) where !values.isEmpty && random.next() % 8 != 0:
            var copy = values
            let index = Int(random.next() % UInt64(values.count))
            copy[index] = scramble(values[index], &random)
            return .array(copy)
        default:
            let replacements: [JSON] = [
                .null, true, 7, "x", [], ["a", "b"], [["c": 1]], [:], ["reference": "#p"], ["x": ["y": [1, .null]]],
                [json, json], ["group": json], ["question": [json]],
            ]
            return replacements[Int(random.next() % UInt64(replacements.count))]
        }
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
