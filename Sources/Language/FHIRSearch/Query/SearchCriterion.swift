/// A criterion on a record of one type: on a parameter of its own, or on those of records that references connect with
/// it (<https://hl7.org/fhir/R4/search.html#chaining>).
package indirect enum SearchCriterion: Sendable {
    /// A parameter of the record itself.
    case condition(SearchCondition)
    /// `subject:Patient.name`: a criterion on the targets of a reference.
    case chain(Chain)
    /// `_has:Observation:patient:code`: a criterion on the records that refer to this one.
    case reverse(Reverse)
    /// Any of several criteria: the ways in which a record belongs to a compartment.
    case any([SearchCriterion])

    /// A record matches where one of its references leads to a matching record.
    package struct Chain: Sendable {
        package struct Target: Sendable {
            package let type: String
            package let criterion: SearchCriterion
        }

        /// The type of the record.
        package let type: String
        /// The code of the reference parameter.
        package let parameter: String
        /// The possible target types, with a criterion for each.
        package let targets: [Target]
    }

    /// A record matches where a matching record refers to it.
    package struct Reverse: Sendable {
        /// The type of the record.
        package let type: String
        /// The type of the referring records.
        package let source: String
        /// The code of their reference parameter.
        package let parameter: String
        /// The criterion on the referring records.
        package let criterion: SearchCriterion
    }
}
