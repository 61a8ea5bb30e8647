import FHIR
import RecordStorage

extension OperationOutcome {
    /// Creates the outcome of a refusal, with all of its problems.
    package init(_ failure: RecordsFailure) {
        guard failure.issues.isEmpty else {
            self.init(issue: failure.issues.map { $0.row(detail: failure.code) })
            return
        }
        self.init(code: failure.issue, detail: failure.code, diagnostics: failure.message)
        if let expression = failure.expression, var row = issue.first {
            row.expression = [expression]
            issue = [row]
        }
    }
}
