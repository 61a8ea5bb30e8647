import FHIR
import FHIRPath
import TestSupport
import Testing

@testable import Records

@Suite struct SearchTreeTests {
    @Test func everyPublishedParameterOfEveryTypeIsCompiled() throws {
        var ways = 0
        for type in TypeModel.r4.resourceTypes {
            let tree = try #require(SearchTree.of(type))
            #expect(tree.unread == [], "\(type)")
            #expect(tree.place(of: "_id") != nil && tree.place(of: "_lastUpdated") != nil)
            ways += tree.parameters.count
        }
        print("\(TypeModel.r4.resourceTypes.count) types, \(ways) parameters")
        #expect(ways > 2_000)
    }

    @Test func parametersWithoutExpressionAndNearAreLeftOut() {
        for code in ["_text", "_content", "_filter", "_query", "near"] {
            #expect(TypeModel.r4.resourceTypes.allSatisfy { SearchTree.of($0)?.place(of: code) == nil })
        }
        #expect(SearchTree.of("Patient")?.place(of: "age") == nil)
    }

    @Test func fewExpressionsAreMoreThanWays() {
        let evaluated = TypeModel.r4.resourceTypes.flatMap { type in
            (SearchTree.of(type)?.evaluated ?? []).map {
                type + "." + (SearchTree.of(type)?.parameters[$0.parameter].code ?? "")
            }
        }
        #expect(evaluated == ["Patient.deceased"])
    }

    /// The kinds of parameters and the types of elements that have no rule, by name: nothing is found there.
    @Test func whatNoRuleIsForIsNamed() {
        var without: Set<String> = []
        for tree in TypeModel.r4.resourceTypes.compactMap({ SearchTree.of($0) }) {
            for node in tree.nodes {
                for leaf in node.leaves where SearchedForm.of(node.type) == .other {
                    without.insert("\(leaf.kind.rawValue) \(TypeModel.r4.name(of: node.type))")
                }
            }
        }
        print(without.sorted())
        #expect(without == ["quantity SampledData", "reference Attachment"])
    }

    @Test(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func theTreeSelectsWhatTheExpressionsEvaluateTo() throws {
        var compared = 0
        var nodes = 0
        for (name, resource) in try SearchedExamples.all() {
            guard let tree = SearchTree.of(resource.resourceType) else { continue }
            let selected = SelectionRecorder.selected(in: resource)
            let element = TypedElement(resource: resource.object)
            var context = FHIRPathContext()
            context.resolver = { text in
                LiteralReference(text).map { TypedElement(resource: JSONObject(resourceType: $0.type, id: $0.id)) }
            }
            let calculated = Set(tree.evaluated.map(\.parameter))
            for (place, parameter) in tree.parameters.enumerated() where !calculated.contains(place) {
                let expected = try evaluated(parameter.expression, element, context).filter { value in
                    // Of the first resource of a Bundle, what it is decides.
                    guard tree.type == "Bundle", let type = value["resourceType"]?.string else { return true }
                    return parameter.targets.contains(type)
                }
                let found = selected[parameter.code] ?? []
                // A union has of equal elements one, and tells no measurement from another one by its comparator.
                #expect(Set(texts(found)) == Set(texts(expected)), "\(name) \(parameter.code)")
                if !parameter.expression.contains(" | ") {
                    #expect(texts(found).sorted() == texts(expected).sorted(), "\(name) \(parameter.code)")
                }
                compared += 1
                nodes += found.count
            }
        }
        print("\(compared) evaluations, \(nodes) elements")
        #expect(nodes > 4_000)
    }

    /// As FHIRPath evaluates it, with casts as filters.
    private func evaluated(_ text: String, _ element: TypedElement, _ context: FHIRPathContext) throws -> [JSON] {
        let filtering = text.replacing(/\(([A-Za-z.]+) as ([A-Za-z]+)\)/) { "\($0.output.1).ofType(\($0.output.2))" }
            .replacing(".as(", with: ".ofType(")
            .replacing(/hasExtension\(('[^']*')\)/) { "extension(\($0.output.1)).exists()" }
        return try filtering.split(separator: " | ").flatMap { part in
            try FHIRPathExpression(String(part)).evaluate(element, in: context).map(\.json).filter { !$0.isNull }
        }
    }

    private func texts(_ values: [JSON]) -> [String] { values.map { $0.text() } }
}
