extension HealthImportReport {
    /// Identifies the counters of the import report in which a converted element is counted.
    public struct CounterKey: Sendable, Hashable {
        /// The row of the import report; nil for a record that is counted in ``HealthImportReport/otherResources``.
        let row: Int?
        /// The identifier of the type or of the kind of record.
        let kind: String
        let repairs: Repairs
        let isImplausible: Bool

        init(_ sample: HealthSample, row: Int, isImplausible: Bool) {
            self.row = row
            kind = sample.type.identifier
            repairs = sample.repairs
            self.isImplausible = isImplausible
        }

        init(_ kind: SpecialKind, row: Int?, repairs: Repairs) {
            self.row = row
            self.kind = kind.identifier
            self.repairs = repairs
            isImplausible = false
        }
    }
}
