import HealthData

/// A batch that was read from an export and is to be converted. It is passed from the reading core to the converting
/// core.
struct ExportBatch: Sendable {
    enum Role: Sendable {
        case standalone
        /// A sample that can be a member of a correlation, outside of one.
        case loose
        /// A member of the correlation that follows next.
        case claimed
        case correlation
    }

    /// The instruction for converting a sample: its row of the import report and its role.
    struct Mark: Sendable {
        let row: Int
        let role: Role
    }

    /// A special record.
    struct Special: Sendable {
        let record: any SpecialRecord
        /// The row of the import report; nil for a record that is not an element of the XML.
        let row: Int?
        let repairs: Repairs
    }

    var samples: [HealthSample] = []
    /// One mark for each sample.
    var marks: [Mark] = []
    var specials: [Special] = []
    /// The rows of the import report that were added since the last batch, in order, so that both sides use the same
    /// numbers.
    var rows: [String] = []
    var progress = HealthProgress()
}

extension HealthConversion {
    /// Converts the waiting members, and returns the complete import report.
    func finish(with read: HealthImportReport) throws -> HealthImportReport {
        try finish()
        importReport.merge(read)
        return importReport
    }

    func take(_ batch: ExportBatch) throws {
        for name in batch.rows { _ = importReport.row(for: name, isTyped: true) }
        let fingerprints = fingerprints(of: batch.samples)
        for (index, mark) in batch.marks.enumerated() {
            let sample = batch.samples[index]
            switch mark.role {
            case .standalone: try add(sample, row: mark.row, fingerprint: fingerprints[index])
            case .loose: try addMember(sample, row: mark.row)
            case .claimed: claim(sample)
            case .correlation: try addCorrelation(sample, row: mark.row)
            }
        }
        for special in batch.specials { try add(special.record, row: special.row, repairs: special.repairs) }
    }
}
