import HealthData

/// A batch that was read of an export and is to be converted: it goes from the core that reads to the one that
/// converts.
struct ExportBatch: Sendable {
    enum Role: Sendable {
        case standalone
        /// A sample that may be a member of a correlation, outside of one.
        case loose
        /// A member of the correlation that is handed on next.
        case claimed
        case correlation
    }

    /// The instruction for converting a sample: its row of the import report and its role.
    struct Mark: Sendable {
        let row: Int
        let role: Role
    }

    /// A record with a structure of its own.
    struct Special: Sendable {
        let record: any SpecialRecord
        /// The row of the import report; nil for what is no element of the XML.
        let row: Int?
        let repairs: Repairs
    }

    var samples: [HealthSample] = []
    /// One for each sample.
    var marks: [Mark] = []
    var specials: [Special] = []
    /// The rows of the import report that came up since the last batch, in order: both sides number them alike.
    var rows: [String] = []
    var progress = HealthProgress()
}

extension HealthConversion {
    /// Converts what waits, and gives the whole import report.
    func finish(with read: HealthImportReport) throws -> HealthImportReport {
        try finish()
        importReport.merge(read)
        return importReport
    }

    func take(_ batch: ExportBatch) throws {
        for name in batch.rows { _ = importReport.row(for: name, isTyped: true) }
        let fingerprints = fingerprints(of: batch.samples)
        for (place, mark) in batch.marks.enumerated() {
            let sample = batch.samples[place]
            switch mark.role {
            case .standalone: try add(sample, row: mark.row, fingerprint: fingerprints[place])
            case .loose: try addMember(sample, row: mark.row)
            case .claimed: claim(sample)
            case .correlation: try addCorrelation(sample, row: mark.row)
            }
        }
        for special in batch.specials { try add(special.record, row: special.row, repairs: special.repairs) }
    }
}
