import FHIR
import Foundation
import TestSupport

@testable import FHIRSearch

/// HL7's R4 examples, if they are present.
package enum SearchedExamples {
    package static let archive = PublishedData.url("fhir-r4.tar.xz")

    package static func all() throws -> [(name: String, resource: Resource)] {
        let unpacked = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/examples"])
        defer { unpacked.remove() }
        return try PublishedData.files(below: unpacked.url).map {
            ($0.lastPathComponent, try Resource(Data(contentsOf: $0)))
        }
    }
}

/// Records the elements that the parameters of a tree select, by the codes of the parameters.
package struct SelectionRecorder: ParameterPathTrieVisitor {
    package let tree: ParameterPathTrie
    package var found: [String: [JSON]] = [:]

    package mutating func visit(_ node: ParameterPathTrie.Node, _ value: JSON) {
        for index in node.leaves.flatMap(\.parameters) { found[tree.parameters[index].code, default: []].append(value) }
        for index in node.composites.flatMap(\.parameters) {
            found[tree.parameters[index].code, default: []].append(value)
        }
    }

    package mutating func leave(_ node: ParameterPathTrie.Node) {}

    /// Returns the elements that the parameters of a resource select, except for separately evaluated parameters.
    package static func selected(in resource: Resource) -> [String: [JSON]] {
        guard let tree = ParameterPathTrie.of(resource.resourceType) else { return [:] }
        var recorder = SelectionRecorder(tree: tree)
        var walk = SearchWalk(tree, resource.object)
        walk.walk(from: 0, .object(resource.object), &recorder)
        return recorder.found
    }
}
