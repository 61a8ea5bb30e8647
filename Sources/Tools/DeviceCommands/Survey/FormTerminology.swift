import FHIR
import Foundation
import StudyFiles

/// The value sets and code systems that a form does not contain: those of the folder of `--value-sets`, then the value
/// sets in the form's own folder.
struct FormTerminology: Sendable {
    private let given: PublishedValueSets
    private let own: PublishedValueSets
    private let systems: [String: CodeSystem]

    /// - Parameters:
    ///   - path: the file of the form; `-` if there is none.
    ///   - folder: the resources of the folder of `--value-sets`.
    init(of path: String, _ folder: ResourceFolder = ResourceFolder()) {
        given = PublishedValueSets(folder.all(ValueSet.self))
        let location = URL(fileURLWithPath: path).deletingLastPathComponent()
        own = path == "-" ? PublishedValueSets() : PublishedValueSets(StudyFolder.valueSets(in: location))
        var systems: [String: CodeSystem] = [:]
        let found = folder.all(CodeSystem.self)
        for system in found {
            if let url = system.url, systems[url] == nil { systems[url] = system }
        }
        // A supplement has designations of the concepts of the system that it names.
        for supplement in found {
            guard let url = supplement.supplements.map({ CanonicalURL($0).url }) else { continue }
            guard var system = systems[url] else {
                systems[url] = supplement
                continue
            }
            system.concept += supplement.concept
            systems[url] = system
        }
        self.systems = systems
    }

    @Sendable func valueSet(_ name: String) -> ValueSet? { given.valueSet(name) ?? own.valueSet(name) }

    @Sendable func codeSystem(_ url: String) -> CodeSystem? { systems[url] }
}
