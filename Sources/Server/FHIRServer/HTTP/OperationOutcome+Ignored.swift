import FHIR
import FHIRSearch

extension OperationOutcome {
    /// Maximum number of ignored parameters in an outcome.
    private static let maximumIgnored = 20

    /// Creates a warning for each unknown parameter that was ignored (<https://hl7.org/fhir/R4/search.html#errors>);
    /// nil where there is none.
    package init?(ignored names: [String]) {
        guard !names.isEmpty else { return nil }
        self.init(
            issue: names.prefix(Self.maximumIgnored).map { name in
                var issue = Issue(severity: .warning, code: .notSupported)
                issue.details = CodeableConcept(coding: [], text: "parameter-unknown")
                issue.diagnostics =
                    "The parameter \(ParameterName.shown(name)) is unknown and was ignored; see /fhir/metadata."
                return issue
            })
    }

    /// The outcome as an entry of a searchset.
    var searchEntry: FHIR.Bundle.Entry {
        var entry = FHIR.Bundle.Entry()
        entry.resource = resource
        var search = FHIR.Bundle.Entry.Search()
        search.mode = .outcome
        entry.search = search
        return entry
    }
}
