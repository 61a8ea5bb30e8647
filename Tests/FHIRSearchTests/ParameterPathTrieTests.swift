import FHIR
import FHIRPath
import SearchTestSupport
import TestSupport
import Testing

@testable import FHIRSearch

@Suite struct ParameterPathTrieTests {
    @Test func everyPublishedParameterOfEveryTypeIsCompiled() throws {
        var ways = 0
        for type in TypeModel.r4.resourceTypes {
            let tree = try #require(ParameterPathTrie.of(type))
            #expect(tree.unread == [], "\(type)")
            #expect(tree.index(of: "_id") != nil && tree.index(of: "_lastUpdated") != nil)
            ways += tree.parameters.count
        }
        print("\(TypeModel.r4.resourceTypes.count) types, \(ways) parameters")
        #expect(ways > 2_000)
    }

    @Test func parametersWithoutExpressionAndNearAreLeftOut() {
        for code in ["_text", "_content", "_filter", "_query", "near"] {
            #expect(TypeModel.r4.resourceTypes.allSatisfy { ParameterPathTrie.of($0)?.index(of: code) == nil })
        }
        #expect(ParameterPathTrie.of("Patient")?.index(of: "age") == nil)
    }

    @Test func onlyOneExpressionIsNotASetOfPaths() {
        let evaluated = TypeModel.r4.resourceTypes.flatMap { type in
            (ParameterPathTrie.of(type)?.evaluated ?? []).map {
                type + "." + (ParameterPathTrie.of(type)?.parameters[$0.parameter].code ?? "")
            }
        }
        #expect(evaluated == ["Patient.deceased"])
    }

    /// The parameter types and element types without a rule, by name: their values are not searchable.
    @Test func elementTypesWithoutARuleAreListed() {
        var without: Set<String> = []
        for tree in TypeModel.r4.resourceTypes.compactMap({ ParameterPathTrie.of($0) }) {
            for node in tree.nodes {
                for leaf in node.leaves where SearchValueType.of(node.type) == .other {
                    without.insert("\(leaf.kind.rawValue) \(TypeModel.r4.name(of: node.type))")
                }
            }
        }
        print(without.sorted())
        #expect(without == ["quantity SampledData", "reference Attachment"])
    }

    @Test(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func treeSelectsTheResultsOfTheExpressions() throws {
        var compared = 0
        var nodes = 0
        for (name, resource) in try SearchedExamples.all() {
            guard let tree = ParameterPathTrie.of(resource.resourceType) else { continue }
            let selected = SelectionRecorder.selected(in: resource)
            let element = TypedElement(resource: resource.object)
            var context = FHIRPathContext()
            context.resolver = { text in
                LiteralReference(text).map { TypedElement(resource: JSONObject(resourceType: $0.type, id: $0.id)) }
            }
            let calculated = Set(tree.evaluated.map(\.parameter))
            for (index, parameter) in tree.parameters.enumerated() where !calculated.contains(index) {
                let expected = try evaluated(parameter.expression, on: element, in: context).filter { value in
                    // For the first resource of a Bundle its type decides.
                    guard tree.type == "Bundle", let type = value["resourceType"]?.string else { return true }
                    return parameter.targets.contains(type)
                }
                let found = selected[parameter.code] ?? []
                // A union keeps one of equal elements, and treats measurements that differ only in the comparator as
                // equal.
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

    /// Returns FHIRPath's result, with casts as filters.
    private func evaluated(_ text: String, on element: TypedElement, in context: FHIRPathContext) throws -> [JSON] {
        let filtering = text.replacing(/\(([A-Za-z.]+) as ([A-Za-z]+)\)/) { "\($0.output.1).ofType(\($0.output.2))" }
            .replacing(".as(", with: ".ofType(")
            .replacing(/hasExtension\(('[^']*')\)/) { "extension(\($0.output.1)).exists()" }
        return try filtering.split(separator: " | ").flatMap { part in
            try FHIRPathExpression(String(part)).evaluate(element, in: context).map(\.json).filter { !$0.isNull }
        }
    }

    private func texts(_ values: [JSON]) -> [String] { values.map { $0.text() } }
}
