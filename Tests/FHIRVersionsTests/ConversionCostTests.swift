import FHIR
import TestSupport
import Testing

@testable import FHIRVersions

/// The cost of a conversion grows linearly with the resource, for any content.
@Suite(.serialized) struct ConversionCostTests {
    static let types: [(FHIRVersion, String)] =
        [
            "QuestionnaireResponse", "Questionnaire", "Observation", "Patient", "Contract", "ValueSet", "Bundle",
            "Encounter", "StructureDefinition", "Condition",
        ].flatMap { [(FHIRVersion.dstu2, $0), (.stu3, $0)] }

    private func check(_ what: String, version: FHIRVersion, from size: Int = 200, making make: (Int) -> Resource)
        throws
    {
        let growth = try Growth.of(from: size, make) { _ = try FHIRConversion.toR4($0, from: version) }
        print("\(version) \(what) \(growth)")
        #expect(growth.factor <= 6, "\(version) \(what)")
    }

    private func made(_ json: JSON) -> Resource { Resource(json.object ?? JSONObject()) }

    private func items(_ count: Int, _ make: (Int) -> JSON) -> JSON { .array((0..<count).map(make)) }

    @Test(arguments: types)
    func everyRepeatedElementOfAType(version: FHIRVersion, type: String) throws {
        try check(type, version: version, from: 16) { count in
            var wide = WideResources(version == .dstu2 ? .dstu2 : .stu3, count: count)
            return wide.resource(type)
        }
    }

    @Test func questionsOfResponses() throws {
        func response(_ question: @escaping (Int) -> JSON) -> (Int) -> Resource {
            { count in
                made([
                    "resourceType": "QuestionnaireResponse", "group": ["question": items(count, question)],
                ])
            }
        }
        let answer: JSON = [["valueString": "x"]]
        try check("questions", version: .dstu2, making: response { ["linkId": .string("q\($0)"), "answer": answer] })
        try check("one question", version: .dstu2, making: response { _ in ["linkId": "q", "answer": answer] })
        try check("questions without linkId", version: .dstu2, making: response { _ in ["answer": answer] })
        try check("groups", version: .dstu2) { count in
            made([
                "resourceType": "QuestionnaireResponse",
                "group": ["group": items(count) { ["question": [["linkId": .string("q\($0)"), "answer": answer]]] }],
            ])
        }
        try check("items", version: .stu3) { count in
            made([
                "resourceType": "QuestionnaireResponse",
                "item": items(count) { ["linkId": .string("q\($0)"), "answer": answer] },
            ])
        }
        try check("items without linkId", version: .stu3) { count in
            made(["resourceType": "QuestionnaireResponse", "item": items(count) { _ in ["answer": answer] }])
        }
    }

    @Test func questionsOfForms() throws {
        try check("questions", version: .dstu2) { count in
            made([
                "resourceType": "Questionnaire", "status": "draft",
                "group": ["question": items(count) { ["text": .string("q\($0)"), "type": "string"] }],
            ])
        }
        try check("options that are selected", version: .stu3) { count in
            made([
                "resourceType": "Questionnaire", "status": "draft",
                "item": [
                    [
                        "linkId": "q", "type": "choice",
                        "option": items(count) { ["valueString": .string("o\($0)")] },
                        "initial": items(count) { ["valueString": .string("o\(count - 1 - $0)")] },
                    ]
                ],
            ])
        }
        try check("answers of a condition", version: .stu3) { count in
            var condition: JSON = [
                "question": "q", "extension": items(count) { ["url": .string("http://x/\($0)")] },
            ]
            for index in 0..<count { condition["answerX\(index)"] = "x" }
            return made([
                "resourceType": "Questionnaire", "status": "draft",
                "item": [["linkId": "q", "type": "string", "enableWhen": [condition]]],
            ])
        }
    }

    @Test func namesThatAreGivenOnce() throws {
        try check("contained code systems", version: .dstu2) { count in
            let set: JSON = [
                "resourceType": "ValueSet", "status": "draft",
                "codeSystem": ["system": "http://x", "concept": [["code": "a"]]],
            ]
            return made(["resourceType": "Patient", "contained": items(count) { _ in set }])
        }
        try check("slices", version: .dstu2) { count in
            made([
                "resourceType": "StructureDefinition",
                "snapshot": ["element": items(count) { _ in ["path": "Patient.name", "name": "s"] }],
            ])
        }
        try check("types", version: .dstu2) { count in
            made([
                "resourceType": "StructureDefinition",
                "snapshot": [
                    "element": [
                        [
                            "path": "Patient.name",
                            "type": items(count) { ["code": "HumanName", "profile": [.string("http://x/\($0)")]] },
                        ]
                    ]
                ],
            ])
        }
    }

    @Test func membersThatNoReleaseHas() throws {
        for version in [FHIRVersion.dstu2, .stu3] {
            try check("members", version: version) { count in
                var object: JSON = ["resourceType": "Observation"]
                for index in 0..<count {
                    object["name\(index)"] = "x"
                    object["_valueX\(index)"] = ["id": "x"]
                }
                return made(object)
            }
            try check("entries with other names", version: version) { count in
                let entry: (Int) -> JSON = {
                    [
                        "fullUrl": .string("http://x/ReferralRequest/\($0)"),
                        "resource": ["resourceType": "ReferralRequest", "id": .string("\($0)"), "status": "active"],
                    ]
                }
                return made(["resourceType": "Bundle", "type": "transaction", "entry": items(count, entry)])
            }
        }
    }

    @Test func aSearchForTheTypeInAnURLIsShort() throws {
        try check("type of an entry", version: .dstu2, from: 2000) { count in
            let name = String(repeating: "a", count: count)
            return made([
                "resourceType": "Bundle",
                "entry": [
                    [
                        "fullUrl": .string("http://x/" + String(repeating: "/" + name.dropLast(), count: 8)),
                        "resource": ["resourceType": .string(name)],
                    ]
                ],
            ])
        }
    }

    @Test func budgetEndsTheConversionOfALargeResource() throws {
        let response = made([
            "resourceType": "QuestionnaireResponse",
            "group": ["question": items(1000) { ["linkId": .string("q\($0)"), "answer": [["valueString": "x"]]] }],
        ])
        let budget = StepBudget(steps: 1_000_000)
        let whole = try FHIRConversion.toR4(response, from: .dstu2, budget: budget)
        #expect(whole == (try FHIRConversion.toR4(response, from: .dstu2)))
        #expect((3000...50000).contains(budget.spent), "\(budget.spent)")
        let exact = StepBudget(steps: budget.spent)
        #expect(try FHIRConversion.toR4(response, from: .dstu2, budget: exact) == whole)
        for limit in [0, 1, 10, 500, budget.spent - 1] {
            #expect(throws: FHIRConversionError.tooExpensive(StepBudgetError(limit: limit))) {
                try FHIRConversion.toR4(response, from: .dstu2, budget: StepBudget(steps: limit))
            }
        }
        #expect(FHIRConversionError.tooExpensive(StepBudgetError(limit: 1)).code == "too-expensive")
    }
}
