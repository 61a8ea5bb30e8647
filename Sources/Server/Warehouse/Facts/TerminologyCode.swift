import FHIR

/// A code that a terminology publishes, which a sensor's value and a form's question may have in common.
struct TerminologyCode: Sendable, Hashable {
    /// The short name of the terminology, as the i2b2 community uses it.
    let prefix: String
    let code: String

    /// nil for a code of any other system, and for one that does not have the system's format.
    init?(_ coding: Coding) {
        self.init(system: coding.system, code: coding.code)
    }

    init?(system: String?, code: String?) {
        guard let code, PublishedCode.has(system: system, code: code) else { return nil }
        (prefix, self.code) = (ConceptCode.prefix(system), code)
    }

    /// The folders that contain all concepts with the code a second time, parents first.
    var folders: [Concept] {
        let terminology = ConceptPath.child(of: ConceptPath.codes, ConceptPath.segment(prefix))
        return [
            Concept(path: terminology, code: nil, name: prefix, kind: .folder),
            Concept(path: path, code: nil, name: "\(prefix) \(code)", kind: .folder),
        ]
    }

    /// The folder of the code.
    var path: String {
        ConceptPath.child(
            of: ConceptPath.child(of: ConceptPath.codes, ConceptPath.segment(prefix)), ConceptPath.segment(code))
    }

    /// Returns a concept as it occurs in the folder of the code.
    ///
    /// - Parameters:
    ///   - segment: the segment that distinguishes it from the other concepts with the code.
    ///   - options: the concepts below it, which occur in this folder too.
    func concepts(
        of concept: Concept, segment: String, options: [(segment: String, concept: Concept)] = []
    ) -> [Concept] {
        let own = ConceptPath.child(of: path, ConceptPath.segment(segment))
        return folders + [Concept(path: own, code: concept.code, name: concept.name, kind: concept.kind)]
            + options.map { option in
                Concept(
                    path: ConceptPath.child(of: own, option.segment), code: option.concept.code,
                    name: option.concept.name, kind: option.concept.kind)
            }
    }
}
