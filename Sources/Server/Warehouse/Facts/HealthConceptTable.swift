import FHIR
import HealthTypes

/// The table of health types as facts are made by it: which codes are a type's, in which unit, with which options. Made
/// once for a study.
public struct HealthConceptTable: Sendable {
    /// The standard table.
    public static let standard = HealthConceptTable(HealthConcept.all, types: .standard)

    /// The types and their parts.
    public let concepts: [HealthConcept]
    /// By their codes; those without a number have none.
    private let units: [String: ConceptUnit]
    private let codes: Set<String>
    private let options: Set<String>
    /// What the concepts come to that were met with this table.
    let readings: ConceptReadings

    /// The concepts of a table's types.
    public init(of types: HealthTypeTable) { self.init(HealthConcept.concepts(of: types), types: types) }

    /// The table of these concepts.
    ///
    /// - Parameter types: the types by which measurements are recognised.
    public init(_ concepts: [HealthConcept], types: HealthTypeTable = .standard) {
        self.concepts = concepts
        readings = ConceptReadings(types)
        var units: [String: ConceptUnit] = [:]
        var own: Set<String> = []
        var codes: Set<String> = []
        var options: Set<String> = []
        for concept in concepts {
            guard let code = concept.conceptCode else { continue }
            // A part that has the code of a type is the type's.
            if own.insert(code).inserted, concept.isNumeric, let ucum = concept.ucum {
                units[code] = .declared(ucum)
            }
            for option in concept.options {
                options.insert(SurveyConcepts.combinedCode(question: code, system: option.system, code: option.code))
            }
            // Every terminology's code of a type is the type's, also that which its facts do not have.
            for coding in concept.codings where TerminologyCode(system: coding.system, code: coding.code) != nil {
                codes.insert(ConceptCode.code(system: coding.system, code: coding.code))
            }
        }
        (self.units, self.codes, self.options) = (units, codes.union(own), options)
    }

    /// Whether a concept's code is that of a type.
    func has(_ code: String) -> Bool { codes.contains(code) }

    /// The unit of a type's numbers; nil where the table has none.
    func unit(of code: String) -> ConceptUnit? { units[code] }

    /// Whether the code is that of an answer which the table has below its type.
    func hasOption(_ code: String) -> Bool { options.contains(code) }
}

extension HealthConcept {
    /// The code of its facts.
    var conceptCode: String? {
        FactMapping.code(of: CodeableConcept(coding: codings.map { Coding(system: $0.system, code: $0.code) }))
    }
}
