import FHIR
import HealthTypes

/// The table of health types for making facts: the codes of the types, their units and their options. Created once for
/// a study.
package struct HealthConceptTable: Sendable {
    /// The standard table.
    package static let standard = HealthConceptTable(HealthConcept.all, types: .standard)

    /// The types and their parts.
    package let concepts: [HealthConcept]
    /// The units by code; types without numbers have none.
    private let units: [String: ConceptUnit]
    private let codes: Set<String>
    private let options: Set<String>
    /// The cache of concepts converted with this table.
    let readings: ConceptReadings

    /// Creates the table of a type table's concepts.
    package init(of types: HealthTypeTable) { self.init(HealthConcept.concepts(of: types), types: types) }

    /// Creates the table of these concepts.
    ///
    /// - Parameter types: the types that measurements are matched with.
    package init(_ concepts: [HealthConcept], types: HealthTypeTable = .standard) {
        self.concepts = concepts
        readings = ConceptReadings(types)
        var units: [String: ConceptUnit] = [:]
        var own: Set<String> = []
        var codes: Set<String> = []
        var options: Set<String> = []
        for concept in concepts {
            guard let code = concept.conceptCode else { continue }
            // A part with the code of a type is treated as the type.
            if own.insert(code).inserted, concept.isNumeric, let ucum = concept.ucum {
                units[code] = .declared(ucum)
            }
            for option in concept.options {
                options.insert(SurveyConcepts.combinedCode(question: code, system: option.system, code: option.code))
            }
            // Every terminology's code of a type belongs to the type, even if its facts have another one.
            for coding in concept.codings where TerminologyCode(system: coding.system, code: coding.code) != nil {
                codes.insert(ConceptCode.code(system: coding.system, code: coding.code))
            }
        }
        (self.units, self.codes, self.options) = (units, codes.union(own), options)
    }

    /// Whether a concept's code belongs to a type.
    func has(_ code: String) -> Bool { codes.contains(code) }

    /// Returns the unit of a type's numbers; nil if the table has none.
    func unit(of code: String) -> ConceptUnit? { units[code] }

    /// Whether the code belongs to an answer that the table contains below its type.
    func hasOption(_ code: String) -> Bool { options.contains(code) }
}

extension HealthConcept {
    /// The code of the type's facts.
    var conceptCode: String? {
        FactMapping.code(of: CodeableConcept(coding: codings.map { Coding(system: $0.system, code: $0.code) }))
    }
}
