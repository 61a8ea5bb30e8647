import FHIR
import Foundation
import TestSupport

@testable import Records

/// HL7's R4 examples, where they lie.
enum SearchedExamples {
    static let archive = PublishedData.url("fhir-r4.tar.xz")

    static func all() throws -> [(name: String, resource: Resource)] {
        let unpacked = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/examples"])
        defer { unpacked.remove() }
        return try PublishedData.files(below: unpacked.url).map {
            ($0.lastPathComponent, try Resource(Data(contentsOf: $0)))
        }
    }
}

/// Notes the elements that the parameters of a tree select, by the codes of the parameters.
struct SelectionRecorder: SearchTreeVisitor {
    let tree: SearchTree
    var found: [String: [JSON]] = [:]

    mutating func visit(_ node: SearchTree.Node, _ value: JSON) {
        for place in node.leaves.flatMap(\.parameters) { found[tree.parameters[place].code, default: []].append(value) }
        for place in node.composites.flatMap(\.parameters) {
            found[tree.parameters[place].code, default: []].append(value)
        }
    }

    mutating func leave(_ node: SearchTree.Node) {}

    /// What the parameters of a resource select, those that are evaluated aside.
    static func selected(in resource: Resource) -> [String: [JSON]] {
        guard let tree = SearchTree.of(resource.resourceType) else { return [:] }
        var recorder = SelectionRecorder(tree: tree)
        var walk = SearchWalk(tree, resource.object)
        walk.walk(from: 0, .object(resource.object), &recorder)
        return recorder.found
    }
}
