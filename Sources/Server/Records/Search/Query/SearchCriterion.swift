/// What a search asks of a record of one type: by a parameter of its own, or by those of other records that references
/// lead to and from (<https://hl7.org/fhir/R4/search.html#chaining>).
indirect enum SearchCriterion: Sendable {
    /// A parameter of the record itself.
    case condition(SearchCondition)
    /// `subject:Patient.name`: what the record refers to.
    case chain(Chain)
    /// `_has:Observation:patient:code`: what refers to the record.
    case reverse(Reverse)
    /// One of them: how a record belongs to a compartment.
    case any([SearchCriterion])

    /// A record is found where a reference of it leads to one that is found.
    struct Chain: Sendable {
        struct Target: Sendable {
            let type: String
            let criterion: SearchCriterion
        }

        /// The type of the record.
        let type: String
        /// The code of the parameter that has the references.
        let parameter: String
        /// One for each type that the references may lead to.
        let targets: [Target]
    }

    /// A record is found where one that is found refers to it.
    struct Reverse: Sendable {
        /// The type of the record.
        let type: String
        /// The type of those that refer to it.
        let source: String
        /// The code of the parameter that has their references.
        let parameter: String
        /// What is asked of them.
        let criterion: SearchCriterion
    }
}
