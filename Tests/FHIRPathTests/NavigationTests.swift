import FHIR
import FHIRPath
import Testing

/// The steps of expressions find what the typed cursor of module FHIR finds.
@Suite struct NavigationTests {
    private static let odd = Evaluation.resource(
        """
        {"resourceType":"Observation","status":"final","unknown":[1,{"a":true}],"_unknown":[null,{"id":"x"}],
        "valueQuantity":{"value":185,"unit":"lbs"},"_valueString":{"id":"beside"},"valueFoo":"odd",
        "_effectiveDateTime":{"extension":[{"url":"urn:a","valueCode":"unknown"}]},
        "code":{"coding":[{"code":"a","_code":{"id":"c"}},{"_code":{"id":"only"}}],"text":null},
        "contained":[{"resourceType":"Patient","birthDate":"2020"},{"resourceType":"Strange","x":1}],
        "note":[{"_text":{"id":"t"}}],"component":[{"valueInteger":5},{"valueBoolean":true}],
        "category":[null,{"text":"one"}],"_issued":null,"interpretation":[]}
        """)

    @Test func eachNameFindsTheChildrenOfTheTypedCursor() throws {
        var count = 0
        for resource in [NavigationTests.odd, Evaluation.patient] {
            var open = [resource]
            var names: Set<String> = [
                "value", "valueQuantity", "effective", "extension", "resourceType", "unknown", "_code",
            ]
            while let element = open.popLast() {
                for name in TypeModel.r4.elements(of: element.type).map(\.name) { names.insert(name) }
                if let object = element.value.object { names.formUnion(object.keys) }
                for name in names {
                    let expression = try FHIRPathExpression("$this.`\(name)`")
                    let found = try expression.evaluate(element).compactMap { item -> TypedElement? in
                        if case .element(let child) = item { child } else { nil }
                    }
                    #expect(found == element.children(name), "\(name) of \(element.typeName)")
                    count += found.count
                }
                let children = try FHIRPathExpression("children()").evaluate(element).compactMap {
                    item -> TypedElement? in
                    if case .element(let child) = item { child } else { nil }
                }
                #expect(children == element.children(), "children of \(element.typeName)")
                open += children
            }
        }
        #expect(count > 60)
    }
}
