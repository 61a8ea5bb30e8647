import FHIR
import FHIRPath
import Foundation
import TestSupport
import Testing

@testable import FHIRValidation

@Suite struct InvariantTests {
    @Test func linearExpressionsReplaceExpressionsOfR4() throws {
        for key in InvariantTable.linear.keys {
            let row = try #require(InvariantTable.r4.rows.first { $0.key == key })
            let compiled = try #require(row.compiled)
            #expect(compiled.source != row.expression, "\(key)")
        }
    }

    @Test(arguments: [
        (
            "obs-7", #""code":{"coding":[{"system":"s","code":"a"}]},"component":[{"code":{"coding":[{"code":"b"}]}}]"#,
            true
        ),
        (
            "obs-7",
            #""valueString":"x","code":{"coding":[{"code":"b"},{"code":"a"}]},"component":[{"code":{"coding":[{"code":"b"}]}}]"#,
            false
        ),
        ("obs-7", #""code":{"coding":[{"code":"a"}]},"component":[{"code":{"coding":[{"code":"a"}]}}]"#, true),
        (
            "obs-7",
            #""valueString":"x","code":{"coding":[{"code":"a","system":"s"}]},"component":[{"code":{"text":"y"}},{"code":{"coding":[{"system":"s","code":"a"}]}}]"#,
            false
        ),
    ])
    func linearExpressionAgreesWithTheOneOfR4(key: String, members: String, holds: Bool) throws {
        let row = try #require(InvariantTable.r4.rows.first { $0.key == key })
        let object = try #require(try JSON(parsing: #"{"resourceType":"Observation",\#(members)}"#).object)
        let element = TypedElement(resource: object)
        var context = FHIRPathContext()
        context.resource = element
        let stated = try FHIRPathExpression(row.expression)
        #expect(try stated.evaluateBoolean(element, in: context) == holds)
        #expect(try row.compiled?.evaluateBoolean(element, in: context) == holds)
    }

    @Test(arguments: [("Patient.name", true), ("Person.name", false)])
    func pathsOfASnapshotBeginWithTheFirst(path: String, holds: Bool) throws {
        let list = #"{"element":[{"path":"Patient"},{"path":"Patient.id"},{"path":"\#(path)"}]}"#
        let text = """
            {"resourceType":"StructureDefinition","type":"Patient","kind":"resource","snapshot":\(list),
             "differential":\(list)}
            """
        let definition = TypedElement(resource: try #require(try JSON(parsing: text).object))
        var context = FHIRPathContext()
        context.resource = definition
        for (key, name) in [("sdf-8", "snapshot"), ("sdf-8a", "differential")] {
            let row = try #require(InvariantTable.r4.rows.first { $0.key == key })
            let element = try #require(definition.children(name).first)
            #expect(try FHIRPathExpression(row.expression).evaluateBoolean(element, in: context) == holds)
            #expect(try row.compiled?.evaluateBoolean(element, in: context) == holds)
        }
    }

    @Test func everyExpressionOfR4IsRead() {
        let unread = InvariantTable.r4.rows.filter { $0.compiled == nil }.map(\.key)
        #expect(unread == [])
        #expect(InvariantTable.r4.rows.count > 230)
    }

    @Test func everyConstraintBelongsToAnElementOfR4() {
        let model = TypeModel.r4
        let elements = Set((0..<Int32(model.elementCount)).map { model.declaration($0).path })
        let lost = InvariantTable.r4.byPath.keys.filter { model.type($0) == nil && !elements.contains($0) }
        #expect(lost == [])
    }

    @Test func everyConstraintIsCheckedForSomeTypeOrElement() {
        let plan = ValidationPlan.r4
        var checked = Set(plan.types.flatMap(\.invariants) + plan.elements.flatMap(\.invariants))
        for (index, row) in InvariantTable.r4.rows.enumerated() where row.isNative { checked.insert(Int32(index)) }
        let forgotten = InvariantTable.r4.rows.indices.filter { !checked.contains(Int32($0)) }
        #expect(forgotten.map { InvariantTable.r4.rows[$0].key } == [])
    }

    @Test func elementsOfEveryTypeFitIntoASet() {
        let model = TypeModel.r4
        for index in 0..<Int32(model.typeCount) {
            #expect(model.elementIndices(of: TypeModel.TypeID(index: index)).count <= ElementSet.capacity)
        }
    }

    /// Constraints that are checked in code must agree with HL7's expressions.
    @Test(.enabled(if: PublishedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func constraintsThatAreCheckedNativelyAgreeWithTheirExpressions() throws {
        let examples = try PublishedExamples()
        defer { examples.remove() }
        let checked = ["ext-1", "qty-3", "ref-1", "dom-2", "dom-4", "dom-5"]
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        var compared = 0
        for file in examples.files() {
            guard let object = try JSON(Data(contentsOf: file)).object else { continue }
            for round in 0..<3 {
                let damaged = round == 0 ? object : Damage.damaged(object, &random)
                let report = FHIRValidator().validate(.object(damaged))
                guard !report.issues.contains(where: { $0.code == "too-many-issues" }) else { continue }
                let reported = Set(report.issues.map(\.code)).intersection(checked)
                let expected = Set(checked.filter { Damage.isBroken($0, damaged) })
                #expect(reported == expected, "\(file.lastPathComponent) round \(round), seed \(seed)")
                compared += 1
            }
        }
        #expect(compared > 900)
    }
}

/// Damage that keeps the structure valid, and the results of HL7's expressions for it.
enum Damage {
    static func damaged(_ object: JSONObject, _ random: inout Seeded) -> JSONObject {
        var object = object
        let extra: JSON = ["url": "http://example.org/x", "valueBoolean": true]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: object["extension"] = [["url": "http://example.org/x"]]
        case 1:
            object["extension"] = [
                ["url": "http://example.org/x", "valueString": "a", "extension": [extra]]
            ]
        case 2:
            object["extension"] = [["url": "http://example.org/x", "valueQuantity": ["value": 1, "code": "kg"]]]
        case 3:
            object["extension"] = [["url": "http://example.org/x", "valueReference": ["reference": "#gone"]]]
        default:
            object["extension"] = [["url": "http://example.org/x", "valueReference": ["reference": "#p"]]]
            object["contained"] = [
                [
                    "resourceType": "Patient", "id": "p", "meta": ["versionId": "1", "security": [["code": "R"]]],
                    "contained": [["resourceType": "Patient", "id": "q"]],
                ]
            ]
        }
        return object
    }

    /// Whether HL7's expression is false for any element of the resource.
    static func isBroken(_ key: String, _ object: JSONObject) -> Bool {
        guard let row = InvariantTable.r4.rows.first(where: { $0.key == key }), let compiled = row.compiled,
            let wanted = InvariantTable.r4.byPath.first(where: { path in
                path.value.contains { InvariantTable.r4.rows[Int($0)].key == key }
            }).flatMap({ TypeModel.r4.type($0.key) })
        else { return false }
        var isBroken = false
        func walk(_ element: TypedElement, resource: TypedElement, root: TypedElement) {
            var (resource, root) = (resource, root)
            if TypeModel.r4.kind(of: element.type) == .resource {
                // A contained resource keeps its container as root.
                let isContained = element.name == "contained"
                resource = element
                if !isContained { root = element }
            }
            if element.type.isKnown, TypeModel.r4.isSubtype(element.type, of: wanted) {
                var context = FHIRPathContext()
                context.resource = resource
                context.rootResource = root
                let answer = try? compiled.evaluateBoolean(element, in: context)
                if answer == .some(.some(false)) { isBroken = true }
            }
            element.forEachChild { walk($0, resource: resource, root: root) }
        }
        let root = TypedElement(resource: object)
        walk(root, resource: root, root: root)
        return isBroken
    }
}
