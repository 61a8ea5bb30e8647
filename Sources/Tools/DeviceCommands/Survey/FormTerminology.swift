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
        // A supplement has the designations of the system that it names.
        let named = folder.all(CodeSystem.self).flatMap { system in
            [system.url, system.supplements.map { CanonicalURL($0).url }].compactMap(\.self).map { ($0, system) }
        }
        systems = Dictionary(named) { first, _ in first }
    }

    @Sendable func valueSet(_ name: String) -> ValueSet? { given.valueSet(name) ?? own.valueSet(name) }

    @Sendable func codeSystem(_ url: String) -> CodeSystem? { systems[url] }
}
